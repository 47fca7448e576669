-- Ends an open run: captures its first `seconds` reserves, releases the others, completes its record and stores its sealed
-- outcome, and its sealed output if the account still records it. Returns the captured amount, NULL when the run has already
-- ended, and whether the use of its code was noted in the last day. Queues `run.finished` for the webhooks of the account. An approval that
-- a released run has stored expires: its caller gets no id, and a retry asks for another one.
CREATE OR REPLACE FUNCTION finish_run(
	run_id text, seconds integer, duration integer, error text, used jsonb, signed jsonb, sealed text, sealed_output text,
	OUT charged bigint, OUT has_code boolean
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
	UPDATE runs SET ended_at = clock_timestamp(), charged_micros = (
				SELECT coalesce(sum(e.amount_micros), 0) FROM (
					SELECT r.amount_micros FROM ledger_reserves r
						WHERE r.account = runs.account AND r.number = ANY (runs.reserves[:seconds])
					-- Reserves of the version before.
					UNION ALL SELECT o.amount_micros FROM ledger_entries o
						WHERE o.account = runs.account AND o.number = ANY (runs.reserves[:seconds])
				) e
			),
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
	IF duration IS NULL THEN
		UPDATE approvals SET expires_at = clock_timestamp() - interval '1 minute', input = NULL
			WHERE account = run.account AND approvals.run_id = run.id AND input IS NOT NULL;
	END IF;
	charged := run.charged_micros;
	PERFORM queue_webhook(run.account, 'run.finished', json_build_object(
		'run_id', run.id,
		'cid', run.cid,
		'usage_key_hash', run.key,
		'status', CASE
			WHEN duration IS NULL THEN 'released'
			WHEN error IS NULL THEN 'success'
			WHEN error = 'ApprovalRequiredError' THEN 'waiting_for_approval'
			ELSE 'failed'
		END,
		'error_name', error,
		'duration_ms', duration,
		'charged_micros', charged));
	has_code := EXISTS (
		SELECT FROM action_code_uses u
		WHERE u.account = run.account AND u.cid = run.cid AND u.last_used_at > now() - interval '1 day'
	);
END $$;
