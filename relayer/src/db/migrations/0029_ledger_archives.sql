-- A closing balance: of an account, after its last entry of a month. Only for months in which the account has an entry.
CREATE TABLE "ledger_closings" (
	"account" "bytea" NOT NULL,
	"month" date NOT NULL,
	-- Number of the last entry.
	"entries" bigint NOT NULL,
	"available" bigint NOT NULL,
	"credited" bigint NOT NULL,
	"captured" bigint NOT NULL,
	"reversed" bigint NOT NULL,
	"signature" "bytea" NOT NULL,
	CONSTRAINT "ledger_closings_account_month_pk" PRIMARY KEY("account","month")
);
--> statement-breakpoint
-- The archived months. A month is closed when it is here.
CREATE TABLE "ledger_archives" (
	"month" date PRIMARY KEY NOT NULL,
	"file" text NOT NULL,
	-- Of the CSV in the file.
	"sha256" "bytea" NOT NULL,
	"entries" bigint NOT NULL,
	"accounts" integer NOT NULL,
	"signature" "bytea" NOT NULL,
	-- When the removal of its ended reserves began.
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TRIGGER ledger_archives_kept BEFORE DELETE OR TRUNCATE OR UPDATE OF
	month, file, sha256, entries, accounts, signature ON ledger_archives
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_closings_append_only BEFORE UPDATE OR TRUNCATE ON ledger_closings
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- `remove_archived_ends` says in `ledger.removing` that it deletes: any other DELETE is refused.
CREATE OR REPLACE TRIGGER ledger_ends_append_only BEFORE UPDATE OR TRUNCATE ON ledger_ends
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_ends_removed BEFORE DELETE ON ledger_ends FOR EACH STATEMENT
	WHEN (current_setting('ledger.removing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION ledger_refuse();
