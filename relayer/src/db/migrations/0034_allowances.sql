-- Limits of actions: a counter for each name that an action uses for a wallet.
CREATE TABLE "allowance_counters" (
	"id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	"account" bytea NOT NULL,
	"cid" text NOT NULL,
	"wallet" bytea NOT NULL,
	"name" text NOT NULL,
	"window_sec" integer NOT NULL,
	-- Number and time of the last use, and the sum of all uses.
	"sequence" bigint DEFAULT 0 NOT NULL,
	"last_at" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"total" numeric DEFAULT 0 NOT NULL,
	-- `total` after the last use that was deleted.
	"deleted_total" numeric DEFAULT 0 NOT NULL,
	CONSTRAINT "allowance_counters_name" UNIQUE("account","cid","wallet","name")
);
--> statement-breakpoint
-- `total` of the counter after the use: the sum of a window is the difference of two of them.
CREATE TABLE "allowance_uses" (
	"counter" bigint NOT NULL REFERENCES "allowance_counters"("id"),
	"at" timestamp with time zone NOT NULL,
	"sequence" bigint NOT NULL,
	"amount" numeric NOT NULL,
	"sum" numeric NOT NULL,
	"total" numeric NOT NULL,
	"run" text NOT NULL,
	"number" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "allowance_uses_counter_at_pk" PRIMARY KEY("counter","at")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "allowance_uses_run" ON "allowance_uses" USING btree ("run","number");
--> statement-breakpoint
CREATE INDEX "allowance_uses_expires_at" ON "allowance_uses" USING btree ("expires_at");
--> statement-breakpoint
-- Totals rise with the times: the use whose end makes enough room.
CREATE INDEX "allowance_uses_total" ON "allowance_uses" USING btree ("counter","total");
