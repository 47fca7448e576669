-- Begins a run: its key must be below its caps on runs, and its first second is reserved. Returns the head of the account,
-- NULL without writes, and whether the account records the output of the key. Raises LK403 as `reserve_credit` does, with the
-- name of the cap in COLUMN.
-- Its commit does not wait for the disk: a server that loses it loses the run, which then costs nothing.
CREATE OR REPLACE FUNCTION begin_run(
	run_id text, owner text, run_key text, code_cid text, request text, amount bigint, lease interval,
	OUT head bigint, OUT is_recorded boolean
)
LANGUAGE plpgsql AS $$
DECLARE
	caps usage_key_caps;
	oldest timestamptz;
BEGIN
	PERFORM set_config('synchronous_commit', 'off', true);
	SELECT * INTO caps FROM usage_key_caps WHERE key = run_key FOR UPDATE;
	IF caps.max_concurrency <= (
		SELECT count(*) FROM runs WHERE key = run_key AND ended_at IS NULL AND lease_until > clock_timestamp()
	) THEN
		RAISE EXCEPTION 'the usage key has reached its max_concurrency'
			USING ERRCODE = 'LK403', COLUMN = 'max_concurrency';
	END IF;
	IF caps.max_runs_per_minute IS NOT NULL THEN
		SELECT started_at INTO oldest FROM runs
			WHERE key = run_key AND started_at > clock_timestamp() - interval '1 minute'
			ORDER BY started_at DESC OFFSET caps.max_runs_per_minute - 1 LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'the usage key has reached its max_runs_per_minute'
				USING ERRCODE = 'LK403', COLUMN = 'max_runs_per_minute', DETAIL = extract(epoch FROM oldest) + 60;
		END IF;
	END IF;
	INSERT INTO runs (id, account, key, cid, idempotency_id, lease_until, reserves)
		VALUES (run_id, owner, run_key, code_cid, request, clock_timestamp() + lease,
			ARRAY[reserve_credit(owner, run_key, amount, 'run ' || run_id)]);
	head := (SELECT block FROM account_heads WHERE account = owner);
	is_recorded := EXISTS (SELECT FROM output_recordings WHERE key = run_key AND account = owner);
END $$;
