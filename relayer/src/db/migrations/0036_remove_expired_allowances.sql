-- Deletes at most this many uses that count in no window any more. Counters that are in use are left for later. Returns their number.
CREATE OR REPLACE FUNCTION remove_expired_allowances(max_rows integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	counter allowance_counters;
	removed integer := 0;
	number integer;
	last_total numeric;
BEGIN
	FOR counter IN
		SELECT c.* FROM allowance_counters c WHERE c.id = ANY (ARRAY(
			SELECT u.counter FROM allowance_uses u WHERE u.expires_at < now() ORDER BY u.expires_at LIMIT max_rows
		)) FOR UPDATE SKIP LOCKED
	LOOP
		WITH deleted AS (
			DELETE FROM allowance_uses u WHERE u.counter = counter.id AND u.at <= (
				SELECT max(o.at) FROM (
					SELECT e.at FROM allowance_uses e
						WHERE e.counter = counter.id AND e.at < now() - greatest(make_interval(secs => counter.window_sec), interval '1 hour')
						ORDER BY e.at LIMIT max_rows - removed
				) o
			) RETURNING u.total
		)
		SELECT count(*), max(d.total) INTO number, last_total FROM deleted d;
		UPDATE allowance_counters c SET deleted_total = greatest(c.deleted_total, last_total) WHERE c.id = counter.id;
		removed := removed + number;
		EXIT WHEN removed >= max_rows;
	END LOOP;
	RETURN removed;
END $$;
