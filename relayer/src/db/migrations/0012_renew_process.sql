-- Renews the row of a process. `is_new`: it had none. `has_others`: another process renewed its row in the last ten
-- seconds. A row that was renewed in the last second stays as it is, so that most renewals write nothing to the disk. The lock
-- makes of two processes that join concurrently at least the second see the first.
CREATE OR REPLACE FUNCTION renew_process(process text, OUT is_new boolean, OUT has_others boolean) LANGUAGE plpgsql AS $$
DECLARE
	renewed_at timestamp with time zone;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('relayer_processes'));
	SELECT seen_at INTO renewed_at FROM relayer_processes WHERE id = process;
	is_new := NOT FOUND;
	IF is_new THEN
		DELETE FROM relayer_processes WHERE seen_at <= clock_timestamp() - interval '10 seconds';
		INSERT INTO relayer_processes VALUES (process, clock_timestamp());
	ELSIF renewed_at <= clock_timestamp() - interval '1 second' THEN
		UPDATE relayer_processes SET seen_at = clock_timestamp() WHERE id = process;
	END IF;
	has_others := EXISTS (
		SELECT FROM relayer_processes WHERE id <> process AND seen_at > clock_timestamp() - interval '10 seconds');
END $$;
