-- Stores runs, all in one statement. Returns a row per run in the given order. "outcome" is
--   new       stored
--   known     a run of the trigger has the dedupe key: "run_id"
--   changed   the trigger is not the given version, or is deleted
--   disabled  the trigger accepts no runs
--   queued    "run_limit" runs of the trigger are in the queue
--   busy      another transaction holds the lock of the trigger, and "waits" is false
--   recent    the trigger accepted "run_limit" runs in the last 60 seconds; one more is possible in "retry_sec"
-- The triggers are locked first. Every later statement in the function sees what was committed before it, so the limits are exact.
-- One statement reads for all runs and one inserts them: a statement for each took twice the time.
-- Without enable_seqscan = off, a plan made while a table is small would read the whole table later.
CREATE OR REPLACE FUNCTION "triggers"."accept_runs"(
	"trigger_ids" uuid[], "versions" timestamptz[], "inputs" text[], "dedupe_keys" text[], "concurrency_keys" text[],
	"scheduled_fors" timestamptz[], "replays" uuid[], "shares" double precision[], "waits" boolean
) RETURNS TABLE (
	"outcome" text, "run_id" uuid, "owner" uuid, "trigger_kind" text, "run_limit" integer, "retry_sec" double precision
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	size CONSTANT integer := cardinality(trigger_ids);
	locked uuid[];
	since timestamptz;
	g record;
	-- Results by position.
	outcomes text[] := array_fill(NULL::text, ARRAY[size]);
	run_ids uuid[] := array_fill(NULL::uuid, ARRAY[size]);
	owners uuid[] := array_fill(NULL::uuid, ARRAY[size]);
	kinds text[] := array_fill(NULL::text, ARRAY[size]);
	limits integer[] := array_fill(NULL::integer, ARRAY[size]);
	retries double precision[] := array_fill(NULL::double precision, ARRAY[size]);
	-- New runs by position.
	numbers bigint[] := array_fill(NULL::bigint, ARRAY[size]);
	created_ats timestamptz[] := array_fill(NULL::timestamptz, ARRAY[size]);
	due_ats timestamptz[] := array_fill(NULL::timestamptz, ARRAY[size]);
	debounced boolean[] := array_fill(false, ARRAY[size]);
	-- The trigger of the run, and its stored runs: in the queue, at most so many until they are counted, and of the last 60 seconds.
	current_trigger uuid;
	queued bigint;
	is_counted boolean;
	recent bigint;
	newest bigint;
	newest_at timestamptz;
	-- New runs of the trigger, and by how much they lengthen its queue.
	added integer;
	added_queued integer;
	new_dedupe_keys text[];
	new_dedupe_runs uuid[];
	debounced_keys text[];
	accepted_at timestamptz := '-infinity';
BEGIN
	-- In the order of ids, so that two calls cannot deadlock. Claims do not wait for this lock.
	IF waits THEN
		PERFORM FROM triggers.triggers WHERE id = ANY (trigger_ids) ORDER BY id FOR NO KEY UPDATE;
		locked := trigger_ids;
	ELSE
		SELECT coalesce(array_agg(free.id), '{}') INTO locked FROM (
			SELECT id FROM triggers.triggers WHERE id = ANY (trigger_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
		) free;
	END IF;
	since := clock_timestamp() - interval '60 s';
	-- Runs of one trigger follow each other. The numbers of the runs replace most of the counting: no recent run is ever deleted, and
	-- the queue has at most as many runs as there are numbers from its oldest to the newest.
	FOR g IN
		SELECT given.position, given.trigger_id, given.dedupe_key, given.trigger_id = ANY (locked) AS is_locked,
			t.user_id, t.kind, t.enabled OR t.hold_when_paused AND t.kind = 'webhook' AS accepts, t.max_queued_runs,
			ceil(t.max_queued_runs * given.share)::integer AS max_queued,
			ceil(t.max_runs_per_minute * given.share)::integer AS max_recent,
			-- A replay was chosen by its owner: no event replaces it.
			CASE WHEN given.replay IS NULL THEN coalesce(t.debounce_seconds, 0) ELSE 0 END AS debounce_seconds,
			given.concurrency_key, newest.number AS newest, newest.created_at AS newest_at,
			(SELECT r.number FROM triggers.runs r
				WHERE r.user_id = t.user_id AND r.trigger_id = t.id AND r.status = 'queued' ORDER BY r.number LIMIT 1) AS first_queued,
			(SELECT r.number FROM triggers.runs r
				WHERE r.trigger_id = t.id AND r.created_at > since ORDER BY r.created_at LIMIT 1) AS first_recent,
			(SELECT r.id FROM triggers.runs r WHERE r.trigger_id = t.id AND r.dedupe_key = given.dedupe_key) AS known
		FROM unnest(trigger_ids, versions, dedupe_keys, concurrency_keys, replays, shares) WITH ORDINALITY
			AS given (trigger_id, version, dedupe_key, concurrency_key, replay, share, position)
		-- LIMIT, so that the plan is a lookup for each, however small the table is.
		LEFT JOIN LATERAL (
			SELECT * FROM triggers.triggers s
			WHERE s.id = given.trigger_id AND date_trunc('milliseconds', s.updated_at) = given.version LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT r.number, r.created_at FROM triggers.runs r WHERE r.trigger_id = t.id ORDER BY r.created_at DESC LIMIT 1
		) newest ON true
		ORDER BY given.trigger_id, given.position
	LOOP
		owners[g.position] := g.user_id;
		kinds[g.position] := g.kind;
		IF g.user_id IS NULL THEN
			outcomes[g.position] := 'changed';
			CONTINUE;
		ELSIF NOT g.is_locked THEN
			outcomes[g.position] := 'busy';
			CONTINUE;
		END IF;
		IF g.trigger_id IS DISTINCT FROM current_trigger THEN
			current_trigger := g.trigger_id;
			queued := coalesce(g.newest - g.first_queued + 1, 0);
			is_counted := false;
			recent := coalesce(g.newest - g.first_recent + 1, 0);
			newest := coalesce(g.newest, 0);
			newest_at := g.newest_at;
			added := 0;
			added_queued := 0;
			new_dedupe_keys := '{}';
			new_dedupe_runs := '{}';
			debounced_keys := '{}';
		END IF;
		run_ids[g.position] := coalesce(g.known, new_dedupe_runs[array_position(new_dedupe_keys, g.dedupe_key)]);
		IF run_ids[g.position] IS NOT NULL THEN
			outcomes[g.position] := 'known';
			CONTINUE;
		ELSIF NOT g.accepts THEN
			outcomes[g.position] := 'disabled';
			CONTINUE;
		END IF;
		IF queued + added_queued >= g.max_queued AND NOT is_counted THEN
			SELECT count(*) INTO queued FROM (
				SELECT FROM triggers.runs r
				WHERE r.user_id = g.user_id AND r.trigger_id = g.trigger_id AND r.status = 'queued' LIMIT g.max_queued_runs
			) found;
			is_counted := true;
		END IF;
		IF queued + added_queued >= g.max_queued THEN
			outcomes[g.position] := 'queued';
			limits[g.position] := g.max_queued;
			CONTINUE;
		ELSIF recent + added >= g.max_recent THEN
			outcomes[g.position] := 'recent';
			limits[g.position] := g.max_recent;
			-- Until the oldest of the runs that fill the limit is 60 seconds old.
			retries[g.position] := coalesce((
				SELECT extract(epoch FROM r.created_at - since) FROM triggers.runs r
				WHERE r.trigger_id = g.trigger_id AND r.created_at > since AND added < g.max_recent
				ORDER BY r.created_at DESC OFFSET greatest(g.max_recent - added - 1, 0) LIMIT 1
			), 60);
			CONTINUE;
		END IF;
		-- Later for each run, because runs of a concurrency key start in this order.
		accepted_at := greatest(clock_timestamp(), accepted_at + interval '1 microsecond');
		added := added + 1;
		added_queued := added_queued + 1;
		-- Numbers and times of a trigger have one order, also after the clock was set back.
		newest := newest + 1;
		newest_at := greatest(accepted_at, newest_at + interval '1 microsecond');
		outcomes[g.position] := 'new';
		run_ids[g.position] := gen_random_uuid();
		numbers[g.position] := newest;
		created_ats[g.position] := newest_at;
		due_ats[g.position] := accepted_at + make_interval(secs => g.debounce_seconds);
		IF g.dedupe_key IS NOT NULL THEN
			new_dedupe_keys := new_dedupe_keys || g.dedupe_key;
			new_dedupe_runs := new_dedupe_runs || run_ids[g.position];
		END IF;
		IF g.debounce_seconds > 0 THEN
			debounced[g.position] := true;
			-- The run takes the place of the one before it.
			IF coalesce(g.concurrency_key, '') = ANY (debounced_keys) THEN
				added_queued := added_queued - 1;
			ELSE
				debounced_keys := debounced_keys || coalesce(g.concurrency_key, '');
				added_queued := added_queued - (
					SELECT count(*) FROM triggers.runs r
					WHERE r.user_id = g.user_id AND r.trigger_id = g.trigger_id AND r.status = 'queued'
						AND r.concurrency_key IS NOT DISTINCT FROM g.concurrency_key AND r.started_at IS NULL AND r.replay_of IS NULL
				);
			END IF;
		END IF;
	END LOOP;
	INSERT INTO triggers.runs (id, trigger_id, user_id, number, input, dedupe_key, concurrency_key, scheduled_for, replay_of,
		created_at, due_at)
	SELECT r.id, r.trigger_id, r.user_id, r.number, r.input::json, r.dedupe_key, r.concurrency_key, r.scheduled_for, r.replay_of,
		r.created_at, r.due_at
	FROM unnest(run_ids, trigger_ids, owners, numbers, inputs, dedupe_keys, concurrency_keys, scheduled_fors, replays, created_ats,
		due_ats) AS r (id, trigger_id, user_id, number, input, dedupe_key, concurrency_key, scheduled_for, replay_of, created_at, due_at)
	WHERE r.number IS NOT NULL;
	IF true = ANY (debounced) THEN
		-- Ends the runs of the concurrency key that were not requested yet. With the user, the index of queued runs applies.
		UPDATE triggers.runs r SET status = 'skipped', finished_at = clock_timestamp(),
			error = json_build_object('name', 'debounced', 'message',
				format('A newer event replaced this one: run %s.', newer.id))
		FROM (
			SELECT DISTINCT ON (n.trigger_id, n.concurrency_key) n.*
			FROM unnest(run_ids, trigger_ids, owners, numbers, concurrency_keys, debounced)
				AS n (id, trigger_id, user_id, number, concurrency_key, is_debounced)
			WHERE n.is_debounced
			ORDER BY n.trigger_id, n.concurrency_key, n.number DESC
		) newer
		WHERE r.user_id = newer.user_id AND r.trigger_id = newer.trigger_id AND r.status = 'queued'
			AND r.concurrency_key IS NOT DISTINCT FROM newer.concurrency_key
			AND r.started_at IS NULL AND r.replay_of IS NULL AND r.number < newer.number;
	END IF;
	RETURN QUERY SELECT * FROM unnest(outcomes, run_ids, owners, kinds, limits, retries);
END
$$;
