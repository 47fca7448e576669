-- Claims due runs of ready triggers. Users with the fewest running runs come first, and among them the one whose last claim is longest ago;
-- within a user the triggers in this order too. At most "per_user" runs of a user run, over all processes. "run_position" is the order of the
-- claimed runs. While "held_until" of a trigger is set, at most one of its runs runs, to try whether the relayer executes it.
-- A row without a run is the last one: other transactions have locked users or changes, so another call may find more. With "waits", the
-- call first waits for one of them, and fails with 55P03 after half a second. It has locked nothing then, so two calls cannot wait for each other.
-- A claim locks the users of whom it claims, and skips those that are locked. The runs of a user are counted after that, so the limits are
-- exact. Its own changes bring the ready list up to date with the next call; until then a trigger can be ready that has no run left.
CREATE OR REPLACE FUNCTION "triggers"."claim_ready"(
	"max_runs" integer, "per_user" integer, "max_changes" integer, "max_examined" integer, "lease_sec" integer, "waits" boolean
) RETURNS TABLE (
	"run_id" uuid, "run_trigger" uuid, "run_user" uuid, "run_input" json, "run_claim" integer, "run_attempt" integer,
	"run_key" uuid, "run_revision" integer, "code" text, "code_cid" text, "params" json, "sealed_key" text,
	"asked_ago_sec" double precision, "age_sec" double precision, "lag_sec" double precision, "run_position" integer
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	at timestamptz;
	is_behind boolean;
	chosen_users uuid[];
	claimed integer := 0;
BEGIN
	-- Processes of the previous version hold this lock while they claim. They and this function do not see each other's running runs.
	PERFORM pg_advisory_xact_lock_shared(5140223);
	IF waits THEN
		-- A deletion of a large trigger also locks its user: claims for other users do not wait for its end.
		PERFORM set_config('lock_timeout', '500ms', true);
		PERFORM FROM triggers.queue_users u WHERE u.user_id = coalesce(
			(SELECT r.user_id FROM triggers.queue_users r WHERE r.is_ready AND r.running < per_user
				ORDER BY r.running, r.served_at LIMIT 1),
			(SELECT c.user_id FROM triggers.queue_changes c ORDER BY c.id LIMIT 1)
		) FOR NO KEY UPDATE;
		PERFORM set_config('lock_timeout', '0', true);
	END IF;
	is_behind := triggers.settle_queue(max_changes, max_examined);
	SELECT array_agg(u.user_id) INTO chosen_users FROM (
		SELECT user_id FROM triggers.queue_users WHERE is_ready AND running < per_user
		ORDER BY running, served_at LIMIT max_runs FOR NO KEY UPDATE SKIP LOCKED
	) u;
	IF chosen_users IS NOT NULL THEN
		at := clock_timestamp();
		RETURN QUERY
		WITH counted AS (
			SELECT c.user_id, c.n, (
				SELECT count(*)::integer FROM triggers.runs r WHERE r.user_id = c.user_id AND r.status = 'running'
			) AS running
			FROM unnest(chosen_users) WITH ORDINALITY AS c (user_id, n)
		),
		-- "share": the most runs that this user can get when each of the others has one.
		sharing AS (
			SELECT c.*, least(per_user - c.running, greatest(
				max(c.running) OVER () - c.running + 1, max_runs - count(*) OVER ()::integer + 1
			)) AS share
			FROM counted c WHERE c.running < per_user
		),
		looked AS MATERIALIZED (
			SELECT s.user_id, s.n, s.running AS user_running, q.trigger_id, q.running AS seen_running, greatest(
				max(q.running) OVER (PARTITION BY s.user_id) - q.running + 1,
				s.share - count(*) OVER (PARTITION BY s.user_id)::integer + 1
			) AS share
			FROM sharing s CROSS JOIN LATERAL (
				SELECT t.trigger_id, t.running FROM triggers.queue_triggers t WHERE t.user_id = s.user_id AND t.is_ready
				ORDER BY t.running, t.served_at LIMIT s.share
			) q
		),
		-- trigger_rank and user_rank: how many runs of the trigger and of the user would be running with this one.
		by_trigger AS (
			SELECT l.user_id, l.n, l.user_running, l.trigger_id, due.*,
				busy.running + row_number() OVER (PARTITION BY l.trigger_id ORDER BY due.due_at, due.id) AS trigger_rank
			FROM looked l
			JOIN triggers.triggers t ON t.id = l.trigger_id AND t.enabled AND coalesce(t.held_until <= at, true)
			CROSS JOIN LATERAL (
				SELECT count(*)::integer AS running FROM triggers.runs r
				WHERE r.user_id = t.user_id AND r.trigger_id = t.id AND r.status = 'running'
			) busy
			CROSS JOIN LATERAL (
				SELECT d.* FROM triggers.due_runs(l.user_id, l.trigger_id, at, greatest(max_runs, max_examined)) d
				LIMIT greatest(least(
					l.share, t.max_concurrent_runs - busy.running,
					CASE WHEN t.held_until IS NOT NULL THEN 1 - busy.running END,
					t.throttle_per_minute - (
						SELECT count(*) FROM triggers.runs started
						WHERE t.throttle_per_minute IS NOT NULL AND started.trigger_id = l.trigger_id
							AND started.started_at > at - interval '60 s'
					)
				), 0)
			) due
		),
		by_user AS (
			SELECT c.*, c.user_running + row_number() OVER (PARTITION BY c.user_id ORDER BY c.trigger_rank, c.due_at, c.id) AS user_rank
			FROM by_trigger c
		),
		chosen AS MATERIALIZED (
			SELECT c.*, row_number() OVER (ORDER BY c.user_rank, c.n)::integer AS position
			FROM by_user c WHERE c.user_rank <= per_user
			ORDER BY position LIMIT max_runs
		),
		-- Skips a run that another transaction changes or deletes.
		locked AS MATERIALIZED (
			SELECT r.id FROM chosen c JOIN triggers.runs r ON r.id = c.id WHERE r.status = 'queued'
			FOR NO KEY UPDATE OF r SKIP LOCKED
		),
		started AS (
			UPDATE triggers.runs r SET
				status = 'running',
				claim = r.claim + 1,
				revision = coalesce(r.revision, t.revision),
				lease_until = clock_timestamp() + make_interval(secs => lease_sec),
				started_at = coalesce(r.started_at, clock_timestamp())
			FROM locked
			JOIN chosen ON chosen.id = locked.id
			JOIN triggers.triggers t ON t.id = chosen.trigger_id
			LEFT JOIN triggers.revisions v ON v.trigger_id = chosen.trigger_id AND v.number = chosen.revision
			WHERE r.id = locked.id
			-- The columns of the run's revision, which is the trigger's current one unless an earlier one is stored.
			RETURNING r.id, r.trigger_id, r.user_id, r.input, r.claim, r.attempt, r.idempotency_key, r.revision,
				CASE WHEN v.number IS NULL THEN t.action_code ELSE v.action_code END,
				CASE WHEN v.number IS NULL THEN t.action_cid ELSE v.action_cid END,
				CASE WHEN v.number IS NULL THEN t.default_params ELSE v.default_params END,
				CASE WHEN v.number IS NULL THEN t.usage_api_key ELSE v.usage_api_key END,
				extract(epoch FROM at - r.asked_at)::double precision, extract(epoch FROM at - r.created_at)::double precision,
				extract(epoch FROM at - r.due_at)::double precision, chosen.position
		),
		-- Also of users and triggers without a run, so that they do not stay in front of the others.
		served_users AS (
			UPDATE triggers.queue_users u SET served_at = at,
				running = c.running + (SELECT count(*) FROM started s WHERE s.user_id = c.user_id)
			FROM counted c WHERE u.user_id = c.user_id
		),
		served_triggers AS (
			UPDATE triggers.queue_triggers q SET served_at = at,
				running = q.running + (SELECT count(*) FROM started s WHERE s.trigger_id = l.trigger_id)
			FROM looked l WHERE q.trigger_id = l.trigger_id
		)
		SELECT * FROM started;
		GET DIAGNOSTICS claimed = ROW_COUNT;
	END IF;
	IF claimed < max_runs AND (is_behind OR EXISTS (
		SELECT FROM triggers.queue_users u
		WHERE u.is_ready AND u.running < per_user AND u.user_id <> ALL (coalesce(chosen_users, '{}'))
	)) THEN
		RETURN NEXT;
	END IF;
END
$$;
