-- A reserve is a row of `ledger_reserves` while it is open. Its end makes of it one row of `ledger_ends`, which is two entries of the
-- ledger. Other entries, and reserves and ends of the version before, are rows of `ledger_entries`.
-- Number of the account in `ledger_ends`, from its first reserve on.
CREATE SEQUENCE "ledger_accounts" AS integer;
--> statement-breakpoint
ALTER TABLE "credit_balances" ADD COLUMN "id" integer;
--> statement-breakpoint
CREATE TABLE "ledger_reserves" (
	"account" text NOT NULL,
	"number" bigint NOT NULL,
	"amount_micros" bigint NOT NULL CONSTRAINT "ledger_reserves_amount" CHECK ("amount_micros" > 0),
	"available_after" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"key_hash" text NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "ledger_reserves_account_number_pk" PRIMARY KEY("account","number")
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
-- In the order in which the columns need no space between them.
CREATE TABLE "ledger_ends" (
	"number" bigint NOT NULL,
	"amount_micros" bigint NOT NULL CONSTRAINT "ledger_ends_amount" CHECK ("amount_micros" > 0),
	"available_after" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"reserve_available_after" bigint NOT NULL,
	"reserved_at" timestamp with time zone NOT NULL,
	"account" integer NOT NULL,
	"distance" integer NOT NULL CONSTRAINT "ledger_ends_distance" CHECK ("distance" > 0),
	"run" uuid,
	"is_captured" boolean NOT NULL,
	"key" "bytea" NOT NULL,
	"reason" text,
	CONSTRAINT "ledger_ends_account_number_pk" PRIMARY KEY("account","number"),
	CONSTRAINT "ledger_ends_reason" CHECK (("run" IS NULL) <> ("reason" IS NULL))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
-- A reserve that ended after more than 16 further entries is found by this index, and any other among the 16 entries after it.
CREATE UNIQUE INDEX "ledger_ends_far" ON "ledger_ends" ("account", ("number" - "distance")) WHERE "distance" > 16;
--> statement-breakpoint
CREATE TRIGGER ledger_ends_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_ends
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- Only the end of a reserve writes it.
CREATE TRIGGER ledger_ends_kept BEFORE INSERT ON ledger_ends FOR EACH ROW
	WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_reserves_append_only BEFORE UPDATE OR TRUNCATE ON ledger_reserves
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- All entries.
CREATE VIEW "ledger" AS
	SELECT account, number, kind, from_book, to_book, amount_micros, reserve, key_hash, external_id, reason, available_after, created_at
		FROM ledger_entries
	UNION ALL
	SELECT account, number, 'reserve', 'available', 'reserved', amount_micros, NULL, key_hash, NULL, reason, available_after, created_at
		FROM ledger_reserves
	UNION ALL
	SELECT b.account, x.number, x.kind, x.from_book, x.to_book, e.amount_micros, x.reserve, '0x' || encode(e.key, 'hex'), NULL,
			coalesce(e.reason, 'run ' || e.run), x.available_after, x.created_at
		FROM ledger_ends e JOIN credit_balances b ON b.id = e.account,
		LATERAL (VALUES
			(e.number - e.distance, 'reserve', 'available', 'reserved', NULL, e.reserve_available_after, e.reserved_at),
			(e.number, CASE WHEN e.is_captured THEN 'capture' ELSE 'release' END, 'reserved',
				CASE WHEN e.is_captured THEN 'revenue' ELSE 'available' END, e.number - e.distance, e.available_after, e.created_at)
		) x (number, kind, from_book, to_book, reserve, available_after, created_at);
