-- Returns the entry that ended a reserve, if any.
CREATE OR REPLACE FUNCTION list_end(owner text, reserve_number bigint)
RETURNS TABLE (kind text, amount_micros bigint, key_hash text, reason text) LANGUAGE sql STABLE AS $$
	SELECT o.kind, o.amount_micros, o.key_hash, o.reason FROM ledger_entries o
		WHERE o.account = owner AND o.reserve = reserve_number
	UNION ALL
	SELECT CASE WHEN e.is_captured THEN 'capture' ELSE 'release' END, e.amount_micros, '0x' || encode(e.key, 'hex'),
			coalesce(e.reason, 'run ' || e.run)
		FROM credit_balances b JOIN ledger_ends e ON e.account = b.id
		WHERE b.account = owner AND e.number - e.distance = reserve_number
			AND (e.distance > 16 OR e.number BETWEEN reserve_number + 1 AND reserve_number + 16);
$$;
