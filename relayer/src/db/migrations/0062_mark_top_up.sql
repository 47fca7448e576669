-- Marks the settings of an automatic top-up in the transaction that lowers the credit below their threshold, so that a relayer looks at them
-- next. The balance counts reserved credit. Settings that are marked already are written again: a look that does not see this transaction yet
-- must not take the mark away.
CREATE OR REPLACE FUNCTION mark_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE auto_top_ups t SET due_at = now()
		WHERE t.account = new.account AND t.pause_reason IS NULL AND new.available + new.reserved < t.threshold_micros;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER mark_top_up AFTER UPDATE OF captured, reversed ON credit_balances FOR EACH ROW
	WHEN (new.available + new.reserved < old.available + old.reserved) EXECUTE FUNCTION mark_top_up();
