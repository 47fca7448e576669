-- Ends these reserves by 'capture' or 'release'. The first end of each reserve counts. Returns how many it ended.
CREATE OR REPLACE FUNCTION end_reserves(ending text, owner text, reserves bigint[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	ended bigint[];
BEGIN
	IF ending = 'release' THEN
		PERFORM FROM usage_key_caps
			WHERE key IN (SELECT e.key_hash FROM ledger_entries e WHERE e.account = owner AND e.number = ANY (reserves))
			ORDER BY key FOR UPDATE;
	END IF;
	WITH added AS (
		INSERT INTO ledger_entries (account, number, kind, amount_micros, reserve, key_hash, reason, available_after)
			SELECT owner, 0, ending, e.amount_micros, e.number, e.key_hash, e.reason, 0
			FROM ledger_entries e WHERE e.account = owner AND e.number = ANY (reserves) ORDER BY e.number
			RETURNING ledger_entries.reserve
	)
	SELECT array_agg(added.reserve) INTO ended FROM added;
	IF ending = 'release' THEN
		-- An amount that was reserved in the current window of a cap no longer counts as spent.
		UPDATE usage_key_caps c SET spent_micros = c.spent_micros - s.micros
			FROM (
				SELECT k.key, sum(e.amount_micros) AS micros
				FROM ledger_entries e JOIN usage_key_caps k ON k.key = e.key_hash AND k.window_started_at <= e.created_at
				WHERE e.account = owner AND e.number = ANY (ended)
				GROUP BY k.key
			) s
			WHERE c.key = s.key;
	END IF;
	RETURN coalesce(cardinality(ended), 0);
END $$;
