-- Claims due runs of enabled triggers. Users with the fewest running runs come first (round robin among equals, after "after_user"),
-- and within a user the triggers with the fewest. At most "per_user" runs of a user run, over all processes. "position" is the order
-- of the claimed runs. While "held_until" of a trigger is set, at most one of its runs runs, to try whether the relayer executes it.
-- Of each trigger the first "max_examined" due runs are examined.
-- The claims of all processes wait for each other. Every statement in the function sees what was committed before it, so the limits
-- are exact.
-- One index probe per trigger with queued runs, then a bounded number of rows per trigger: the cost does not depend on the length of
-- the queue. The plan is kept per session; without enable_seqscan = off, one made while the table is small would read the whole
-- table later.
CREATE OR REPLACE FUNCTION "triggers"."claim_runs"(
	"max_runs" integer, "per_user" integer, "after_user" text, "max_examined" integer, "lease_sec" integer
) RETURNS TABLE (
	"run_id" uuid, "run_trigger" uuid, "run_user" uuid, "run_input" json, "run_claim" integer, "run_attempt" integer,
	"run_key" uuid, "run_revision" integer, "code" text, "code_cid" text, "params" json, "sealed_key" text,
	"asked_ago_sec" double precision, "age_sec" double precision, "lag_sec" double precision, "run_position" integer
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	since timestamptz;
	at timestamptz;
BEGIN
	-- Any constant works.
	PERFORM pg_advisory_xact_lock(5140223);
	at := clock_timestamp();
	since := at - interval '60 s';
	RETURN QUERY
	WITH RECURSIVE waiting AS (
		(SELECT r.user_id, r.trigger_id FROM triggers.runs r WHERE r.status = 'queued' ORDER BY r.user_id, r.trigger_id LIMIT 1)
		UNION ALL
		SELECT next.* FROM waiting w CROSS JOIN LATERAL (
			SELECT r.user_id, r.trigger_id FROM triggers.runs r
			WHERE r.status = 'queued' AND (r.user_id, r.trigger_id) > (w.user_id, w.trigger_id)
			ORDER BY r.user_id, r.trigger_id LIMIT 1
		) next
	),
	busy AS (
		SELECT r.user_id, r.trigger_id, count(*)::integer AS runs FROM triggers.runs r WHERE r.status = 'running'
		GROUP BY r.user_id, r.trigger_id
	),
	busy_users AS (SELECT b.user_id, sum(b.runs)::integer AS runs FROM busy b GROUP BY b.user_id),
	-- trigger_rank and user_rank: how many runs of the trigger and of the user would be running with this one.
	by_trigger AS (
		SELECT w.user_id, w.trigger_id, due.*, coalesce(u.runs, 0) AS user_running,
			coalesce(b.runs, 0) + row_number() OVER (PARTITION BY w.trigger_id ORDER BY due.due_at, due.id) AS trigger_rank
		FROM waiting w
		JOIN triggers.triggers t ON t.id = w.trigger_id AND t.enabled AND coalesce(t.held_until <= at, true)
		LEFT JOIN busy b ON b.trigger_id = w.trigger_id
		LEFT JOIN busy_users u ON u.user_id = w.user_id
		CROSS JOIN LATERAL (
			SELECT r.id, r.due_at, r.revision FROM (
				SELECT q.id, q.due_at, q.revision, q.concurrency_key, q.trigger_id, q.created_at FROM triggers.runs q
				WHERE q.status = 'queued' AND q.user_id = w.user_id AND q.trigger_id = w.trigger_id AND q.due_at <= at
				ORDER BY q.due_at LIMIT greatest(max_runs, max_examined)
			) r
			WHERE r.concurrency_key IS NULL OR NOT EXISTS (
				SELECT FROM triggers.runs before
				WHERE before.trigger_id = r.trigger_id AND before.concurrency_key = r.concurrency_key
					AND (before.status = 'running'
						OR before.status = 'queued' AND (before.created_at, before.id) < (r.created_at, r.id))
			)
			ORDER BY r.due_at
			LIMIT greatest(least(
				t.max_concurrent_runs - coalesce(b.runs, 0), per_user - coalesce(u.runs, 0), max_runs,
				CASE WHEN t.held_until IS NOT NULL THEN 1 - coalesce(b.runs, 0) END,
				t.throttle_per_minute - (
					SELECT count(*) FROM triggers.runs started
					WHERE t.throttle_per_minute IS NOT NULL AND started.trigger_id = w.trigger_id AND started.started_at > since
				)
			), 0)
		) due
	),
	by_user AS (
		SELECT c.id, c.user_id, c.trigger_id, c.revision,
			c.user_running + row_number() OVER (PARTITION BY c.user_id ORDER BY c.trigger_rank, c.due_at, c.id) AS user_rank
		FROM by_trigger c
	),
	chosen AS MATERIALIZED (
		SELECT c.*, row_number() OVER (ORDER BY c.user_rank, c.user_id::text <= after_user, c.user_id) AS position
		FROM by_user c WHERE c.user_rank <= per_user
		ORDER BY position LIMIT max_runs
	)
	UPDATE triggers.runs r SET
		status = 'running',
		claim = r.claim + 1,
		revision = coalesce(r.revision, t.revision),
		lease_until = clock_timestamp() + make_interval(secs => lease_sec),
		started_at = coalesce(r.started_at, clock_timestamp())
	FROM chosen
	JOIN triggers.triggers t ON t.id = chosen.trigger_id
	LEFT JOIN triggers.revisions v ON v.trigger_id = chosen.trigger_id AND v.number = chosen.revision
	-- Again, because a newer event may have replaced the run meanwhile.
	WHERE r.id = chosen.id AND r.status = 'queued'
	-- The columns of the run's revision, which is the trigger's current one unless an earlier one is stored.
	RETURNING r.id, r.trigger_id, r.user_id, r.input, r.claim, r.attempt, r.idempotency_key, r.revision,
		CASE WHEN v.number IS NULL THEN t.action_code ELSE v.action_code END,
		CASE WHEN v.number IS NULL THEN t.action_cid ELSE v.action_cid END,
		CASE WHEN v.number IS NULL THEN t.default_params ELSE v.default_params END,
		CASE WHEN v.number IS NULL THEN t.usage_api_key ELSE v.usage_api_key END,
		extract(epoch FROM at - r.asked_at)::double precision, extract(epoch FROM at - r.created_at)::double precision,
		extract(epoch FROM at - r.due_at)::double precision, chosen.position::integer;
END
$$;
