CREATE TABLE "account_heads" (
	"account" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_code_uses" (
	"account" text NOT NULL,
	"cid" text NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL,
	CONSTRAINT "action_code_uses_account_cid_pk" PRIMARY KEY("account","cid")
);
--> statement-breakpoint
CREATE TABLE "action_codes" (
	"cid" text PRIMARY KEY NOT NULL,
	"code" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_keys" (
	"cid" text PRIMARY KEY NOT NULL,
	"certificate" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "caps_changes" (
	"key" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL,
	"transaction_index" integer NOT NULL,
	"rotated_to" text
);
--> statement-breakpoint
CREATE TABLE "credit_balances" (
	"account" text PRIMARY KEY NOT NULL,
	"available" bigint NOT NULL,
	"reserved" bigint NOT NULL,
	"credited" bigint NOT NULL,
	"captured" bigint NOT NULL,
	"reversed" bigint NOT NULL,
	"entries" bigint NOT NULL,
	CONSTRAINT "credit_balances_reserved" CHECK ("credit_balances"."reserved" >= 0),
	CONSTRAINT "credit_balances_sum" CHECK ("credit_balances"."available" + "credit_balances"."reserved" = "credit_balances"."credited" - "credit_balances"."captured" - "credit_balances"."reversed")
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
CREATE TABLE "ledger_entries" (
	"account" text NOT NULL,
	"number" bigint NOT NULL,
	"kind" text NOT NULL,
	"from_book" text GENERATED ALWAYS AS (case kind when 'credit' then 'funding' when 'reserve' then 'available' when 'capture' then 'reserved' when 'release' then 'reserved' when 'reverse' then 'available' end) STORED,
	"to_book" text GENERATED ALWAYS AS (case kind when 'credit' then 'available' when 'reserve' then 'reserved' when 'capture' then 'revenue' when 'release' then 'available' when 'reverse' then 'funding' end) STORED,
	"amount_micros" bigint NOT NULL,
	"reserve" bigint,
	"reserve_kind" text GENERATED ALWAYS AS (case when reserve is null then null else 'reserve' end) STORED,
	"key_hash" text,
	"external_id" text,
	"reason" text NOT NULL,
	"available_after" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entries_account_number_pk" PRIMARY KEY("account","number"),
	CONSTRAINT "ledger_entries_external_id" UNIQUE("external_id"),
	CONSTRAINT "ledger_entries_identity" UNIQUE("account","number","kind","amount_micros"),
	CONSTRAINT "ledger_entries_amount" CHECK ("ledger_entries"."amount_micros" > 0),
	CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."from_book" is not null),
	CONSTRAINT "ledger_entries_reserve" CHECK (("ledger_entries"."reserve" is not null) = ("ledger_entries"."kind" in ('capture', 'release')))
);
--> statement-breakpoint
CREATE TABLE "new_account_gas" (
	"hour" timestamp with time zone PRIMARY KEY NOT NULL,
	"gas" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "output_recordings" (
	"key" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payer_nonces" (
	"payer" text PRIMARY KEY NOT NULL,
	"next" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "processor_customers" (
	"account" text PRIMARY KEY NOT NULL,
	"customer" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relayer_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_seeds" (
	"id" text PRIMARY KEY NOT NULL,
	"seed" text NOT NULL,
	"made" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"key" text NOT NULL,
	"cid" text,
	"idempotency_id" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"reserves" bigint[] NOT NULL,
	"paid_seconds" integer,
	"duration_ms" integer,
	"error_name" text,
	"usage" jsonb,
	"receipt" jsonb,
	"stop_requested_at" timestamp with time zone,
	"outcome" text,
	"output" text
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
	"block_hash" text,
	"account" text NOT NULL,
	"idempotency_id" text,
	"reserve" bigint,
	"caps_change" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_key_caps" (
	"key" text PRIMARY KEY NOT NULL,
	"spend_cap_cents" integer,
	"spend_window_sec" integer,
	"max_runs_per_minute" integer,
	"max_concurrency" integer,
	"spent_micros" bigint DEFAULT 0 NOT NULL,
	"window_started_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "action_code_uses" ADD CONSTRAINT "action_code_uses_cid_action_codes_cid_fk" FOREIGN KEY ("cid") REFERENCES "public"."action_codes"("cid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_ended_reserve" FOREIGN KEY ("account","reserve","reserve_kind","amount_micros") REFERENCES "public"."ledger_entries"("account","number","kind","amount_micros") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_code_uses_cid" ON "action_code_uses" USING btree ("cid","last_used_at");--> statement-breakpoint
CREATE INDEX "idempotency_created_at" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_ended_once" ON "ledger_entries" USING btree ("account","reserve") WHERE "ledger_entries"."reserve" is not null;--> statement-breakpoint
CREATE INDEX "ledger_entries_external_created_at" ON "ledger_entries" USING btree ("created_at") WHERE "ledger_entries"."external_id" is not null;--> statement-breakpoint
CREATE INDEX "request_seeds_created_at" ON "request_seeds" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_idempotency_id" ON "runs" USING btree ("idempotency_id") WHERE "runs"."outcome" is not null;--> statement-breakpoint
CREATE INDEX "runs_key_started_at" ON "runs" USING btree ("key","started_at");--> statement-breakpoint
CREATE INDEX "runs_open_lease" ON "runs" USING btree ("lease_until") WHERE "runs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "runs_ended_at" ON "runs" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "runs_recorded" ON "runs" USING btree ("key") WHERE "runs"."output" is not null;--> statement-breakpoint
CREATE INDEX "runs_account_started_at" ON "runs" USING btree ("account","started_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_pending_nonce" ON "transactions" USING btree ("payer","nonce") WHERE "transactions"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_idempotency_id" ON "transactions" USING btree ("idempotency_id") WHERE "transactions"."status" in ('pending', 'mined');--> statement-breakpoint
CREATE INDEX "transactions_created_at" ON "transactions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "transactions_block_number" ON "transactions" USING btree ("block_number");