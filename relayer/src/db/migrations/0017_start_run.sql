-- Begins a run: its key must be below its caps on runs, and its first second is reserved. Returns the head of the account,
-- NULL without writes, whether the account records the output of the key, and the longest run of the key. Raises LK403 as `reserve_credit` does, with the
-- name of the cap in COLUMN.
-- Its commit does not wait for the disk: a server that loses it loses the run, which then costs nothing.
CREATE OR REPLACE FUNCTION start_run(
	run_id text, owner text, run_key text, code_cid text, request text, amount bigint, lease interval,
	OUT head bigint, OUT is_recorded boolean, OUT max_run_sec integer
)
LANGUAGE plpgsql AS $$
DECLARE
	caps usage_key_caps;
	oldest timestamptz;
	-- A variable: an index does not take an expression whose value can change between two rows.
	minute_ago timestamptz := clock_timestamp() - interval '1 minute';
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
			WHERE key = run_key AND started_at > minute_ago
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
	max_run_sec := caps.max_run_sec;
	is_recorded := EXISTS (SELECT FROM output_recordings WHERE key = run_key AND account = owner);
END $$;
