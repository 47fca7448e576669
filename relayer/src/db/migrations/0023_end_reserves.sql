-- Ends these reserves by 'capture' or 'release'. The first end of each reserve counts. Returns how many it ended.
CREATE OR REPLACE FUNCTION end_reserves(ending text, owner text, reserves bigint[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	entry bigint;
	ended ledger_reserves;
	count integer := 0;
BEGIN
	IF ending = 'release' THEN
		PERFORM FROM usage_key_caps
			WHERE key IN (
				SELECT r.key_hash FROM ledger_reserves r WHERE r.account = owner AND r.number = ANY (reserves)
				UNION ALL SELECT e.key_hash FROM ledger_entries e WHERE e.account = owner AND e.number = ANY (reserves))
			ORDER BY key FOR UPDATE;
	END IF;
	-- Ends of the same reserves, in whatever order, come one after the other.
	PERFORM FROM credit_balances WHERE account = owner FOR UPDATE;
	PERFORM set_config('ledger.ending', ending, true);
	FOR entry IN SELECT DISTINCT n FROM unnest(reserves) n ORDER BY n LOOP
		DELETE FROM ledger_reserves r WHERE r.account = owner AND r.number = entry RETURNING * INTO ended;
		IF NOT FOUND THEN
			-- A reserve of the version before. `ledger_append` ignores the end of one that has ended.
			INSERT INTO ledger_entries (account, number, kind, amount_micros, reserve, key_hash, reason, available_after)
				SELECT owner, 0, ending, e.amount_micros, e.number, e.key_hash, e.reason, 0
				FROM ledger_entries e WHERE e.account = owner AND e.number = entry AND e.kind = 'reserve';
			CONTINUE WHEN NOT FOUND;
			SELECT e.account, e.number, e.amount_micros, e.available_after, e.created_at, e.key_hash, e.reason INTO ended
				FROM ledger_entries e WHERE e.account = owner AND e.number = entry;
		END IF;
		count := count + 1;
		IF ending = 'release' THEN
			-- An amount that was reserved in the current window of a cap no longer counts as spent.
			UPDATE usage_key_caps c SET spent_micros = c.spent_micros - ended.amount_micros
				WHERE c.key = ended.key_hash AND c.window_started_at <= ended.created_at;
		END IF;
	END LOOP;
	PERFORM set_config('ledger.ending', '', true);
	RETURN count;
END $$;
