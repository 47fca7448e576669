CREATE TABLE "triggers"."idempotency" (
	"id" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_created_at" ON "triggers"."idempotency" USING btree ("created_at");