-- Numbers the entry and moves the balance. The lock of the balance's row makes the entries of an account one after the other.
CREATE OR REPLACE FUNCTION ledger_append() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	amount bigint := new.amount_micros;
BEGIN
	IF new.external_id IS NOT NULL OR new.reserve IS NOT NULL THEN
		PERFORM FROM credit_balances WHERE account = new.account FOR UPDATE;
		IF NOT FOUND THEN
			INSERT INTO credit_balances VALUES (new.account, 0, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
			PERFORM FROM credit_balances WHERE account = new.account FOR UPDATE;
		END IF;
		-- A repeated outcome changes nothing. The same external id under another account fails at the unique index.
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
CREATE OR REPLACE TRIGGER ledger_append BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_append();
