-- A closing of an archived month cannot be deleted, and none can be added to it.
CREATE OR REPLACE FUNCTION ledger_keep_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM ledger_archives a WHERE a.month = coalesce(new.month, old.month)) THEN
		RAISE EXCEPTION '% of ledger_closings: the month is archived', tg_op;
	END IF;
	RETURN coalesce(new, old);
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER ledger_keep_closing BEFORE INSERT OR DELETE ON ledger_closings
	FOR EACH ROW EXECUTE FUNCTION ledger_keep_closing();
