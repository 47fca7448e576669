CREATE TABLE "output_recordings" (
	"key" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "output" text;--> statement-breakpoint
CREATE INDEX "runs_recorded" ON "runs" USING btree ("key") WHERE "runs"."output" is not null;--> statement-breakpoint
DROP FUNCTION begin_run(text, text, text, text, text, bigint, interval);
--> statement-breakpoint
DROP FUNCTION end_run(text, integer, integer, text, jsonb, jsonb, text);
--> statement-breakpoint
-- Applies a change of caps: new caps, none (`null`), or those of the key that was rotated (`from`). The recording of the
-- output moves with a rotated key, and ends with a removed one (`isRemoved`).
CREATE OR REPLACE FUNCTION change_caps(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	caps jsonb := change -> 'caps';
BEGIN
	IF change ? 'from' THEN
		-- Caps can be left of a removed key with the hash of the new one. A second call for a rotation changes nothing.
		DELETE FROM usage_key_caps WHERE key = change ->> 'key'
			AND EXISTS (SELECT FROM usage_key_caps WHERE key = change ->> 'from');
		UPDATE usage_key_caps SET key = change ->> 'key' WHERE key = change ->> 'from';
		DELETE FROM output_recordings WHERE key = change ->> 'key'
			AND EXISTS (SELECT FROM output_recordings WHERE key = change ->> 'from');
		UPDATE output_recordings SET key = change ->> 'key' WHERE key = change ->> 'from';
	ELSIF change ? 'isRemoved' THEN
		DELETE FROM usage_key_caps WHERE key = change ->> 'key';
		DELETE FROM output_recordings WHERE key = change ->> 'key';
	ELSIF caps = 'null' THEN
		DELETE FROM usage_key_caps WHERE key = change ->> 'key';
	ELSE
		INSERT INTO usage_key_caps (key, spend_cap_cents, spend_window_sec, max_runs_per_minute, max_concurrency)
			VALUES (change ->> 'key', (caps ->> 'spendCapCents')::integer, (caps ->> 'spendWindowSec')::integer,
				(caps ->> 'maxRunsPerMinute')::integer, (caps ->> 'maxConcurrency')::integer)
			ON CONFLICT (key) DO UPDATE
				SET spend_cap_cents = excluded.spend_cap_cents, spend_window_sec = excluded.spend_window_sec,
					max_runs_per_minute = excluded.max_runs_per_minute, max_concurrency = excluded.max_concurrency;
	END IF;
END $$;
--> statement-breakpoint
-- Begins a run: its key must be below its caps on runs, and its first second is reserved. Returns the head of the account,
-- NULL without writes, and whether the account records the output of the key. Raises LK403 as `reserve_credit` does, with the
-- name of the cap in COLUMN.
-- Its commit does not wait for the disk: a server that loses it loses the run, which then costs nothing.
CREATE FUNCTION begin_run(
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
--> statement-breakpoint
-- Ends an open run: captures its first `seconds` reserves, releases the others, completes its record and stores its sealed
-- outcome, and its sealed output if the account still records it. Returns the number of its reserves, NULL when it has already
-- ended, and whether the use of its code was noted in the last day.
CREATE FUNCTION end_run(
	run_id text, seconds integer, duration integer, error text, used jsonb, signed jsonb, sealed text, sealed_output text,
	OUT reserved integer, OUT has_code boolean
)
LANGUAGE plpgsql AS $$
DECLARE
	run runs;
BEGIN
	IF sealed_output IS NOT NULL THEN
		-- The lock makes who stops the recording wait, and then delete this output.
		PERFORM FROM output_recordings o JOIN runs r ON r.key = o.key AND r.account = o.account
			WHERE r.id = run_id FOR KEY SHARE OF o;
		IF NOT FOUND THEN
			sealed_output := NULL;
		END IF;
	END IF;
	UPDATE runs SET ended_at = clock_timestamp(), paid_seconds = least(seconds, cardinality(reserves)),
			duration_ms = duration, error_name = error, usage = used, receipt = signed, outcome = sealed, output = sealed_output
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
