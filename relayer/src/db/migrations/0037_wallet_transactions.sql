CREATE TABLE "wallet_nonces" (
	"chain_id" bigint NOT NULL,
	"wallet" text NOT NULL,
	"next" integer NOT NULL,
	"in_chain" integer NOT NULL,
	"in_chain_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone DEFAULT now() NOT NULL,
	"turn_of" text,
	"turn_until" timestamp with time zone,
	"waits_of" text,
	"waits_until" timestamp with time zone,
	CONSTRAINT "wallet_nonces_chain_id_wallet_pk" PRIMARY KEY("chain_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "wallet_transactions" (
	"id" text PRIMARY KEY NOT NULL,
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
	"dropped_at" timestamp with time zone,
	"account" text NOT NULL,
	"idempotency_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"chain_id" bigint NOT NULL,
	"wallet" text NOT NULL,
	"receiver" text,
	"value" numeric(78, 0) NOT NULL,
	"usage_key" text NOT NULL,
	"run_id" text NOT NULL,
	"cid" text NOT NULL,
	"forms" text[] NOT NULL,
	"cancel_raw" text NOT NULL,
	"cancel_hash" text NOT NULL,
	"cancel_requested_at" timestamp with time zone,
	"broadcast_at" timestamp with time zone,
	"reason" text,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_transactions_pending_nonce" ON "wallet_transactions" USING btree ("chain_id","wallet","nonce") WHERE "wallet_transactions"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_transactions_idempotency_id" ON "wallet_transactions" USING btree ("idempotency_id");--> statement-breakpoint
CREATE INDEX "wallet_transactions_created_at" ON "wallet_transactions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "wallet_transactions_block" ON "wallet_transactions" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "wallet_transactions_account" ON "wallet_transactions" USING btree ("account","created_at","id");--> statement-breakpoint
CREATE INDEX "wallet_transactions_usage_key" ON "wallet_transactions" USING btree ("usage_key","created_at","id");--> statement-breakpoint
CREATE INDEX "wallet_transactions_wallet" ON "wallet_transactions" USING btree ("account","wallet","created_at","id");--> statement-breakpoint
CREATE INDEX "wallet_transactions_status" ON "wallet_transactions" USING btree ("account","status","created_at","id");--> statement-breakpoint
CREATE INDEX "wallet_transactions_changed_at" ON "wallet_transactions" USING btree ("account","changed_at");
