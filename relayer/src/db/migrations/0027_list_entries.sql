-- Returns the entries of an account from one number to another, the latest first.
CREATE OR REPLACE FUNCTION list_entries(owner text, first bigint, last bigint)
RETURNS TABLE (
	number bigint, kind text, amount_micros bigint, reserve bigint, key_hash text, reason text, available_after bigint,
	created_at timestamp with time zone
)
-- The plan is the same for all numbers: making it takes longer than the page.
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
	owner_id integer := (SELECT b.id FROM credit_balances b WHERE b.account = owner);
BEGIN
	RETURN QUERY
		SELECT o.number, o.kind, o.amount_micros, o.reserve, o.key_hash, o.reason, o.available_after, o.created_at
			FROM ledger_entries o WHERE o.account = owner AND o.number BETWEEN first AND last
		UNION ALL
		SELECT r.number, 'reserve', r.amount_micros, NULL, r.key_hash, r.reason, r.available_after, r.created_at
			FROM ledger_reserves r WHERE r.account = owner AND r.number BETWEEN first AND last
		UNION ALL
		SELECT x.number, x.kind, e.amount_micros, x.reserve, '0x' || encode(e.key, 'hex'), coalesce(e.reason, 'run ' || e.run),
				x.available_after, x.created_at
			FROM (
				SELECT * FROM ledger_ends n WHERE n.account = owner_id AND n.number BETWEEN first AND last + 16
				UNION ALL
				SELECT * FROM ledger_ends f
					WHERE f.account = owner_id AND f.distance > 16 AND f.number - f.distance BETWEEN first AND last AND f.number > last + 16
			) e,
			LATERAL (VALUES
				(e.number - e.distance, 'reserve', NULL, e.reserve_available_after, e.reserved_at),
				(e.number, CASE WHEN e.is_captured THEN 'capture' ELSE 'release' END, e.number - e.distance, e.available_after, e.created_at)
			) x (number, kind, reserve, available_after, created_at)
			WHERE x.number BETWEEN first AND last
		ORDER BY number DESC;
END $$;
