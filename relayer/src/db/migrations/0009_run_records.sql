ALTER TABLE "runs" ADD COLUMN "cid" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "paid_seconds" integer;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "duration_ms" integer;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "error_name" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "usage" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "receipt" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "stop_requested_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "runs_account_started_at" ON "runs" USING btree ("account","started_at","id");--> statement-breakpoint
DROP FUNCTION begin_run(text, text, text, text, bigint, interval);
--> statement-breakpoint
DROP FUNCTION end_run(text, integer, text, text);
--> statement-breakpoint
-- Begins a run: its key must be below its caps on runs, and its first second is reserved. Returns the head of the account,
-- NULL without writes. Raises LK403 as `reserve_credit` does, with the name of the cap in COLUMN.
-- Its commit does not wait for the disk: a server that loses it loses the run, which then costs nothing.
CREATE FUNCTION begin_run(run_id text, owner text, run_key text, code_cid text, request text, amount bigint, lease interval)
RETURNS bigint LANGUAGE plpgsql AS $$
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
	RETURN (SELECT block FROM account_heads WHERE account = owner);
END $$;
--> statement-breakpoint
-- Ends an open run: captures its first `seconds` reserves, releases the others, completes its record and stores its sealed
-- outcome. Returns the number of its reserves, NULL when it has already ended, and whether the use of its code was noted in
-- the last day.
CREATE FUNCTION end_run(
	run_id text, seconds integer, duration integer, error text, used jsonb, signed jsonb, sealed text,
	OUT reserved integer, OUT has_code boolean
)
LANGUAGE plpgsql AS $$
DECLARE
	run runs;
BEGIN
	UPDATE runs SET ended_at = clock_timestamp(), paid_seconds = least(seconds, cardinality(reserves)),
			duration_ms = duration, error_name = error, usage = used, receipt = signed, outcome = sealed
		WHERE id = run_id AND ended_at IS NULL
		RETURNING * INTO run;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	IF seconds < cardinality(run.reserves) THEN
		PERFORM end_reserves('release', run.account, run.reserves[seconds + 1:]);
	END IF;
	IF seconds > 0 THEN
		PERFORM end_reserves('capture', run.account, run.reserves[:seconds]);
	END IF;
	reserved := cardinality(run.reserves);
	has_code := EXISTS (
		SELECT FROM action_code_uses u
		WHERE u.account = run.account AND u.cid = run.cid AND u.last_used_at > now() - interval '1 day'
	);
END $$;
