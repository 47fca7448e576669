-- Makes of an open reserve its row of `ledger_ends`, and moves the balance. `end_reserves` says in `ledger.ending` how it ends: a
-- DELETE without that is refused. A reserve can be deleted once, and so ends once.
CREATE OR REPLACE FUNCTION ledger_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	ending text := current_setting('ledger.ending', true);
	balance credit_balances;
	run text := substring(old.reason FROM '^run ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$');
BEGIN
	CASE ending
		WHEN 'capture' THEN
			UPDATE credit_balances
				SET reserved = reserved - old.amount_micros, captured = captured + old.amount_micros, entries = entries + 1
				WHERE account = old.account RETURNING * INTO balance;
		WHEN 'release' THEN
			UPDATE credit_balances
				SET available = available + old.amount_micros, reserved = reserved - old.amount_micros, entries = entries + 1
				WHERE account = old.account RETURNING * INTO balance;
		ELSE
			RAISE EXCEPTION 'DELETE of ledger_reserves: the ledger is append-only';
	END CASE;
	INSERT INTO ledger_ends VALUES (balance.entries, old.amount_micros, balance.available, clock_timestamp(), old.available_after,
		old.created_at, balance.id, balance.entries - old.number, run::uuid, ending = 'capture',
		decode(substr(old.key_hash, 3), 'hex'), CASE WHEN run IS NULL THEN old.reason END);
	RETURN old;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER ledger_end BEFORE DELETE ON ledger_reserves FOR EACH ROW EXECUTE FUNCTION ledger_end();
