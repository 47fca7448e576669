-- Numbers the reserve and moves the balance, as `ledger_append` does for other entries. The account gets its number in `ledger_ends`.
CREATE OR REPLACE FUNCTION ledger_reserve() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE credit_balances
		SET available = available - new.amount_micros, reserved = reserved + new.amount_micros, entries = entries + 1,
			id = coalesce(id, nextval('ledger_accounts'))
		WHERE account = new.account RETURNING entries, available INTO new.number, new.available_after;
	-- An account without a row has nothing.
	IF NOT FOUND OR new.available_after < 0 THEN
		RAISE EXCEPTION 'the account has not enough credit' USING ERRCODE = 'LK402';
	END IF;
	new.created_at := clock_timestamp();
	RETURN new;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER ledger_reserve BEFORE INSERT ON ledger_reserves FOR EACH ROW EXECUTE FUNCTION ledger_reserve();
