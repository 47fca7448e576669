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
	CONSTRAINT "ledger_entries_ended_once" UNIQUE("account","reserve"),
	CONSTRAINT "ledger_entries_amount" CHECK ("ledger_entries"."amount_micros" > 0),
	CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."from_book" is not null),
	CONSTRAINT "ledger_entries_reserve" CHECK (("ledger_entries"."reserve" is not null) = ("ledger_entries"."kind" in ('capture', 'release')))
);
--> statement-breakpoint
CREATE TABLE "processor_customers" (
	"account" text PRIMARY KEY NOT NULL,
	"customer" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"key" text NOT NULL,
	"idempotency_id" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"reserves" bigint[] NOT NULL,
	"outcome" text
);
--> statement-breakpoint
CREATE TABLE "usage_key_caps" (
	"key" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"spend_cap_cents" integer,
	"spend_window_sec" integer,
	"max_runs_per_minute" integer,
	"max_concurrency" integer,
	"spent_micros" bigint DEFAULT 0 NOT NULL,
	"window_started_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "reserve" bigint;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "caps_change" jsonb;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_ended_reserve" FOREIGN KEY ("account","reserve","reserve_kind","amount_micros") REFERENCES "public"."ledger_entries"("account","number","kind","amount_micros") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "runs_idempotency_id" ON "runs" USING btree ("idempotency_id") WHERE "runs"."outcome" is not null;--> statement-breakpoint
CREATE INDEX "runs_key_started_at" ON "runs" USING btree ("key","started_at");--> statement-breakpoint
CREATE INDEX "runs_open_lease" ON "runs" USING btree ("lease_until") WHERE "runs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "runs_ended_at" ON "runs" USING btree ("ended_at");
--> statement-breakpoint
-- Numbers the entry and moves the balance. The lock of the balance's row makes the entries of an account one after the other.
CREATE FUNCTION ledger_append() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	amount bigint := new.amount_micros;
BEGIN
	IF new.external_id IS NOT NULL OR new.reserve IS NOT NULL THEN
		PERFORM FROM credit_balances WHERE account = new.account FOR UPDATE;
		IF NOT FOUND THEN
			INSERT INTO credit_balances VALUES (new.account, 0, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
			PERFORM FROM credit_balances WHERE account = new.account FOR UPDATE;
		END IF;
		-- What has an outcome already is not done again. The same of another account is an error of its own.
		IF new.external_id IS NOT NULL
			AND EXISTS (SELECT FROM ledger_entries e WHERE e.external_id = new.external_id AND e.account = new.account)
		THEN
			RETURN NULL;
		END IF;
		IF new.reserve IS NOT NULL
			AND EXISTS (SELECT FROM ledger_entries e WHERE e.account = new.account AND e.reserve = new.reserve)
		THEN
			RETURN NULL;
		END IF;
	END IF;
	CASE new.kind
		WHEN 'credit' THEN
			UPDATE credit_balances
				SET available = available + amount, credited = credited + amount, entries = entries + 1
				WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
		WHEN 'reverse' THEN
			UPDATE credit_balances
				SET available = available - amount, reversed = reversed + amount, entries = entries + 1
				WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
		WHEN 'reserve' THEN
			UPDATE credit_balances
				SET available = available - amount, reserved = reserved + amount, entries = entries + 1
				WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
			-- An account without a row has nothing.
			IF NOT FOUND OR new.available_after < 0 THEN
				RAISE EXCEPTION 'the account has not enough credit' USING ERRCODE = 'LK402';
			END IF;
		WHEN 'capture' THEN
			UPDATE credit_balances
				SET reserved = reserved - amount, captured = captured + amount, entries = entries + 1
				WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
		WHEN 'release' THEN
			UPDATE credit_balances
				SET available = available + amount, reserved = reserved - amount, entries = entries + 1
				WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
	END CASE;
	new.created_at := clock_timestamp();
	RETURN new;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% of %: the ledger is append-only', tg_op, tg_table_name;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_append BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_append();
--> statement-breakpoint
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- Only the function of the trigger above writes it.
CREATE TRIGGER credit_balances_kept BEFORE UPDATE OR DELETE ON credit_balances FOR EACH ROW
	WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse();
