-- Requests of accounts, for seven days.
CREATE TABLE "account_requests" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "account_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account" text NOT NULL,
	"request_id" text NOT NULL,
	"key" text NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"outcome" text NOT NULL,
	"status" integer,
	"error" text,
	"duration_ms" integer NOT NULL,
	"charged_micros" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"omitted" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "account_requests_at" ON "account_requests" USING btree ("at");
