-- Deletes at most this many uses that count in no window any more. Counters that are in use are left for later. Returns their number.
CREATE OR REPLACE FUNCTION remove_expired_allowances(max_rows integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	removed integer;
BEGIN
	WITH old AS MATERIALIZED (
		SELECT u.counter, u.at FROM allowance_uses u WHERE u.expires_at < now() ORDER BY u.expires_at LIMIT max_rows
	), locked AS MATERIALIZED (
		SELECT c.id FROM allowance_counters c WHERE c.id IN (SELECT o.counter FROM old o) FOR UPDATE SKIP LOCKED
	), deleted AS (
		DELETE FROM allowance_uses u USING old o, locked l
			WHERE u.counter = o.counter AND u.at = o.at AND l.id = u.counter RETURNING u.counter, u.total
	), last AS (
		SELECT d.counter, max(d.total) AS total, count(*) AS number FROM deleted d GROUP BY d.counter
	), updated AS (
		UPDATE allowance_counters c SET deleted_total = greatest(c.deleted_total, l.total) FROM last l
			WHERE c.id = l.counter RETURNING l.number
	)
	SELECT coalesce(sum(number), 0) INTO removed FROM updated;
	RETURN removed;
END $$;
