CREATE TABLE "account_heads" (
	"account" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_codes" (
	"cid" text PRIMARY KEY NOT NULL,
	"code" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deployments" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "deployments_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"id" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payer_nonces" (
	"payer" text PRIMARY KEY NOT NULL,
	"next" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_seeds" (
	"id" text PRIMARY KEY NOT NULL,
	"seed" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"payer" text NOT NULL,
	"nonce" integer NOT NULL,
	"data" text NOT NULL,
	"gas" bigint NOT NULL,
	"max_fee_per_gas" bigint NOT NULL,
	"max_priority_fee_per_gas" bigint NOT NULL,
	"raw" text NOT NULL,
	"hashes" text[] NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"mined_hash" text,
	"block_number" bigint,
	"account" text NOT NULL,
	"idempotency_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_created_at" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "request_seeds_created_at" ON "request_seeds" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_pending_nonce" ON "transactions" USING btree ("payer","nonce") WHERE "transactions"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_idempotency_id" ON "transactions" USING btree ("idempotency_id") WHERE "transactions"."status" in ('pending', 'mined');--> statement-breakpoint
CREATE INDEX "transactions_created_at" ON "transactions" USING btree ("created_at");