-- Reserves the amount and returns the number of the entry. Raises LK403 when the cap of the key does not allow it, with the
-- time in DETAIL (Unix seconds) at which the cap frees, if any.
-- All functions take locks in the order payer or transaction, cap of the key, balance of the account.
CREATE OR REPLACE FUNCTION reserve_credit(payer_account text, payer_key text, amount bigint, cause text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	cap usage_key_caps;
	entry bigint;
BEGIN
	UPDATE usage_key_caps c
		SET window_started_at = CASE WHEN w.begins THEN clock_timestamp() ELSE c.window_started_at END,
			spent_micros = CASE WHEN w.begins THEN amount ELSE c.spent_micros + amount END
		FROM (SELECT key, coalesce(
				window_started_at IS NULL
				OR window_started_at + make_interval(secs => spend_window_sec) <= clock_timestamp(), false) AS begins
			FROM usage_key_caps WHERE key = payer_key FOR UPDATE) w
		WHERE c.key = w.key
		RETURNING c.* INTO cap;
	IF cap.spent_micros > cap.spend_cap_cents::bigint * 10000 THEN
		RAISE EXCEPTION 'the usage key has reached its spend_cap_cents'
			USING ERRCODE = 'LK403',
				DETAIL = coalesce((extract(epoch FROM cap.window_started_at) + cap.spend_window_sec)::text, '');
	END IF;
	INSERT INTO ledger_entries (account, number, kind, amount_micros, key_hash, reason, available_after)
		VALUES (payer_account, 0, 'reserve', amount, payer_key, cause, 0)
		RETURNING number INTO entry;
	RETURN entry;
END $$;
