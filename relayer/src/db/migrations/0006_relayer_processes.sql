CREATE TABLE "relayer_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);

--> statement-breakpoint
-- Renews the row of a process. `is_new`: it had none. `has_others`: another process renewed its row in the last ten
-- seconds. The lock makes of two processes that join concurrently at least the second see the first.
CREATE FUNCTION renew_process(process text, OUT is_new boolean, OUT has_others boolean) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('relayer_processes'));
	UPDATE relayer_processes SET seen_at = clock_timestamp() WHERE id = process;
	is_new := NOT FOUND;
	IF is_new THEN
		DELETE FROM relayer_processes WHERE seen_at <= clock_timestamp() - interval '10 seconds';
		INSERT INTO relayer_processes VALUES (process, clock_timestamp());
	END IF;
	has_others := EXISTS (
		SELECT FROM relayer_processes WHERE id <> process AND seen_at > clock_timestamp() - interval '10 seconds');
END $$;
