-- Deletes at most this many ended reserves of these accounts that are in archives whose removal has begun. Returns their number.
CREATE OR REPLACE FUNCTION remove_archived_ends(owners text[], max_rows integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	removed integer;
BEGIN
	PERFORM set_config('ledger.removing', 'on', true);
	WITH old AS MATERIALIZED (
		SELECT o.account, o.number
			FROM unnest(owners) owner
			JOIN credit_balances b ON b.account = owner,
			LATERAL (
				SELECT c.entries FROM ledger_closings c JOIN ledger_archives a ON a.month = c.month
				WHERE c.account = decode(substr(owner, 3), 'hex') AND a.removed_at IS NOT NULL
				ORDER BY c.month DESC LIMIT 1
			) archived,
			LATERAL (
				SELECT e.account, e.number FROM ledger_ends e
				WHERE e.account = b.id AND e.number <= archived.entries ORDER BY e.number LIMIT max_rows
			) o
		LIMIT max_rows
	)
	DELETE FROM ledger_ends e USING old WHERE e.account = old.account AND e.number = old.number;
	GET DIAGNOSTICS removed = ROW_COUNT;
	PERFORM set_config('ledger.removing', '', true);
	RETURN removed;
END $$;
