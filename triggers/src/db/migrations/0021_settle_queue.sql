-- Brings the ready list up to date: looks at the triggers of at most "max_changes" rows of "queue_changes", and at those whose "wake_at" has
-- come. Locks their users until the end of the transaction, and leaves the users that another transaction has locked to it or to a later
-- call: their changes do not keep it from those of others. Returns true when changes are left.
-- A change is visible with the write that it is of. The rows of a user are read after the user is locked, so the last look is the newest.
CREATE OR REPLACE FUNCTION "triggers"."settle_queue"("max_changes" integer, "max_examined" integer) RETURNS boolean
	LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	at timestamptz := clock_timestamp();
	found_changes bigint[];
	found_users uuid[];
	found_triggers uuid[];
	woken_users uuid[];
	woken_triggers uuid[];
	locked uuid[];
	-- Users that another transaction has locked, for long when it deletes a large trigger.
	held uuid[] := '{}';
BEGIN
	FOR turn IN 1..4 LOOP
		SELECT array_agg(c.id), array_agg(c.user_id), array_agg(c.trigger_id) INTO found_changes, found_users, found_triggers
		FROM (
			SELECT * FROM (
				SELECT * FROM triggers.queue_changes ORDER BY id LIMIT CASE WHEN turn = 1 THEN max_changes ELSE 64 * max_changes END
			) oldest
			WHERE user_id <> ALL (held) ORDER BY id LIMIT max_changes
		) c;
		SELECT array_agg(q.user_id), array_agg(q.trigger_id) INTO woken_users, woken_triggers
		FROM (
			SELECT * FROM triggers.queue_triggers WHERE wake_at <= at AND user_id <> ALL (held) ORDER BY wake_at LIMIT max_changes
		) q;
		IF found_changes IS NULL AND woken_users IS NULL THEN
			RETURN held <> '{}';
		END IF;
		SELECT array_agg(u.user_id) INTO locked FROM (
			SELECT user_id FROM triggers.queue_users WHERE user_id = ANY (found_users || woken_users) FOR NO KEY UPDATE SKIP LOCKED
		) u;
		EXIT WHEN NOT EXISTS (SELECT unnest(found_users || woken_users) EXCEPT SELECT unnest(locked));
		held := ARRAY(SELECT unnest(held || found_users || woken_users) EXCEPT SELECT unnest(locked));
	END LOOP;
	at := clock_timestamp();
	DELETE FROM triggers.queue_changes c
	USING unnest(found_changes, found_users) AS f (id, user_id) JOIN unnest(locked) AS l (user_id) ON l.user_id = f.user_id
	WHERE c.id = f.id;
	UPDATE triggers.queue_triggers q SET running = s.running, is_ready = s.is_ready, wake_at = s.wake_at
	FROM (
		SELECT t.id, busy.running, ready.is_ready,
			CASE WHEN state.is_blocked OR ready.is_ready THEN NULL WHEN state.opens_at IS NOT NULL THEN state.opens_at ELSE (
				SELECT min(r.due_at) FROM triggers.runs r
				WHERE r.status = 'queued' AND r.user_id = t.user_id AND r.trigger_id = t.id AND r.due_at > at
			) END AS wake_at
		FROM (
			SELECT f.trigger_id FROM unnest(found_triggers || woken_triggers, found_users || woken_users) AS f (trigger_id, user_id)
			JOIN unnest(locked) AS l (user_id) ON l.user_id = f.user_id GROUP BY f.trigger_id
		) looked
		JOIN triggers.triggers t ON t.id = looked.trigger_id
		CROSS JOIN LATERAL (
			SELECT count(*)::integer AS running FROM triggers.runs r
			WHERE r.user_id = t.user_id AND r.trigger_id = t.id AND r.status = 'running'
		) busy
		-- OFFSET 0, so that each is computed once. "is_blocked" until a change, "opens_at" until a time.
		CROSS JOIN LATERAL (
			SELECT NOT t.enabled OR busy.running >= t.max_concurrent_runs OR t.held_until IS NOT NULL AND busy.running > 0 AS is_blocked,
				greatest(
					CASE WHEN t.held_until > at THEN t.held_until END,
					CASE WHEN t.throttle_per_minute IS NOT NULL THEN (
						SELECT r.started_at + interval '60 s' FROM triggers.runs r
						WHERE r.trigger_id = t.id AND r.started_at > at - interval '60 s'
						ORDER BY r.started_at DESC OFFSET t.throttle_per_minute - 1 LIMIT 1
					) END
				) AS opens_at
			OFFSET 0
		) state
		CROSS JOIN LATERAL (
			SELECT CASE WHEN state.is_blocked OR state.opens_at IS NOT NULL THEN false ELSE EXISTS (
				SELECT FROM triggers.due_runs(t.user_id, t.id, at, max_examined)
			) END AS is_ready
			OFFSET 0
		) ready
	) s
	WHERE q.trigger_id = s.id;
	UPDATE triggers.queue_users u SET running = s.running, is_ready = s.is_ready
	FROM (
		SELECT l.user_id,
			(SELECT count(*)::integer FROM triggers.runs r WHERE r.user_id = l.user_id AND r.status = 'running') AS running,
			-- Not EXISTS, whose plan can be a hash of all ready triggers.
			coalesce((SELECT true FROM triggers.queue_triggers q WHERE q.user_id = l.user_id AND q.is_ready LIMIT 1), false) AS is_ready
		FROM unnest(locked) AS l (user_id)
	) s
	WHERE u.user_id = s.user_id AND (u.running, u.is_ready) IS DISTINCT FROM (s.running, s.is_ready);
	RETURN held <> '{}' OR greatest(cardinality(found_changes), cardinality(woken_triggers)) = max_changes;
END
$$;
