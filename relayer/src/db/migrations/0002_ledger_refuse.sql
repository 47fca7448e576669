CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% of %: the ledger is append-only', tg_op, tg_table_name;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
	FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- Only `ledger_append` writes it.
CREATE OR REPLACE TRIGGER credit_balances_kept BEFORE UPDATE OR DELETE ON credit_balances FOR EACH ROW
	WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse();
