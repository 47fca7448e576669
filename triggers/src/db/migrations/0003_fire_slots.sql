-- Fires due slots of schedules and advances the schedules to their next slots, in one statement. A schedule is skipped when another
-- process holds its lock, or when it is not as it was read: "versions" and "due_slots" are its columns of then. The runs, oldest
-- slot first, name their schedule by "run_schedules". A schedule stays at its first slot that a limit refuses. Returns a row per run
-- of the schedules that were not skipped.
CREATE OR REPLACE FUNCTION "triggers"."fire_slots"(
	"schedules" uuid[], "versions" timestamptz[], "due_slots" timestamptz[], "next_slots" timestamptz[],
	"run_schedules" uuid[], "run_slots" timestamptz[], "run_inputs" text[], "run_dedupe_keys" text[], "run_concurrency_keys" text[]
) RETURNS TABLE ("schedule" uuid, "outcome" text, "owner" uuid) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	locked uuid[];
	mine record;
	stored record;
	refused uuid[] := '{}';
	refused_slots timestamptz[] := '{}';
BEGIN
	SELECT array_agg(found.id) INTO locked FROM (
		SELECT t.id FROM triggers.triggers t
		JOIN unnest(schedules, versions, due_slots) AS s (id, version, due) ON t.id = s.id
		WHERE t.enabled AND t.kind = 'schedule' AND date_trunc('milliseconds', t.next_slot_at) = s.due
			AND date_trunc('milliseconds', t.updated_at) = s.version
		ORDER BY t.id FOR NO KEY UPDATE OF t SKIP LOCKED
	) found;
	IF locked IS NULL THEN
		RETURN;
	END IF;
	SELECT array_agg(r.id ORDER BY r.n) AS ids, array_agg(t.updated_at ORDER BY r.n) AS versions,
		array_agg(r.slot ORDER BY r.n) AS slots, array_agg(r.input ORDER BY r.n) AS inputs,
		array_agg(r.dedupe_key ORDER BY r.n) AS dedupe_keys, array_agg(r.concurrency_key ORDER BY r.n) AS concurrency_keys,
		array_agg(NULL::uuid) AS replays, array_agg(1::double precision) AS shares
	INTO mine
	FROM unnest(run_schedules, run_slots, run_inputs, run_dedupe_keys, run_concurrency_keys)
		WITH ORDINALITY AS r (id, slot, input, dedupe_key, concurrency_key, n)
	JOIN (
		SELECT s.id, s.version AS updated_at FROM unnest(schedules, versions) AS s (id, version) WHERE s.id = ANY (locked)
	) t ON t.id = r.id;
	IF mine.ids IS NOT NULL THEN
		FOR stored IN
			SELECT a.* FROM triggers.accept_runs(mine.ids, mine.versions, mine.inputs, mine.dedupe_keys, mine.concurrency_keys,
				mine.slots, mine.replays, mine.shares, true) WITH ORDINALITY AS a (outcome, run_id, owner, kind, lim, retry, n)
		LOOP
			schedule := mine.ids[stored.n]; outcome := stored.outcome; owner := stored.owner;
			IF outcome IN ('queued', 'recent') AND NOT schedule = ANY (refused) THEN
				refused := refused || schedule;
				refused_slots := refused_slots || mine.slots[stored.n];
			END IF;
			RETURN NEXT;
		END LOOP;
	END IF;
	UPDATE triggers.triggers t SET next_slot_at = coalesce(r.slot, s.next)
	FROM unnest(schedules, next_slots) AS s (id, next)
	LEFT JOIN unnest(refused, refused_slots) AS r (id, slot) ON r.id = s.id
	WHERE t.id = s.id AND t.id = ANY (locked);
END
$$;
