-- Reserves one more second of an open run. Returns false when the run has ended.
CREATE OR REPLACE FUNCTION reserve_second(run_id text, amount bigint, lease interval) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	run runs;
BEGIN
	SELECT * INTO run FROM runs WHERE id = run_id AND ended_at IS NULL FOR UPDATE;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE runs SET lease_until = clock_timestamp() + lease,
			reserves = reserves || reserve_credit(run.account, run.key, amount, 'run ' || run_id)
		WHERE id = run_id;
	RETURN true;
END $$;
