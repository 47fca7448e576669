-- The position of a run among those of its trigger, from 1 in the order of created_at: accept_runs counts with it.
ALTER TABLE "triggers"."runs" ADD COLUMN "number" bigint;
--> statement-breakpoint
UPDATE "triggers"."runs" r SET "number" = counted."number" FROM (
	SELECT "id", row_number() OVER (PARTITION BY "trigger_id" ORDER BY "created_at", "id") AS "number" FROM "triggers"."runs"
) counted WHERE counted."id" = r."id";
--> statement-breakpoint
ALTER TABLE "triggers"."runs" ALTER COLUMN "number" SET NOT NULL;
--> statement-breakpoint
CREATE INDEX "runs_queue" ON "triggers"."runs" USING btree ("user_id","trigger_id","number") WHERE "triggers"."runs"."status" = 'queued';
--> statement-breakpoint
-- A run that was just accepted has no entry in these.
DROP INDEX "triggers"."runs_dedupe";
--> statement-breakpoint
CREATE UNIQUE INDEX "runs_dedupe" ON "triggers"."runs" USING btree ("trigger_id","dedupe_key") WHERE "triggers"."runs"."dedupe_key" is not null;
--> statement-breakpoint
DROP INDEX "triggers"."runs_started";
--> statement-breakpoint
CREATE INDEX "runs_started" ON "triggers"."runs" USING btree ("trigger_id","started_at") WHERE "triggers"."runs"."started_at" is not null;
--> statement-breakpoint
DROP INDEX "triggers"."runs_finished";
--> statement-breakpoint
CREATE INDEX "runs_finished" ON "triggers"."runs" USING btree ("finished_at") WHERE "triggers"."runs"."finished_at" is not null;
--> statement-breakpoint
DROP FUNCTION "triggers"."count_runs";
--> statement-breakpoint
-- Counts the runs of a trigger that use its limits: those in the queue, and those accepted in the last 60 seconds. Each count
-- ends at its limit. "queued" can be too high where "room" more runs fit into the queue. "frees_in_sec" is the time until the oldest of
-- the counted recent runs is 60 seconds old; null below the limit. "newest" and "newest_at" are number and time of the newest run.
-- The numbers of the runs replace most of the counting: no recent run is ever deleted, and the queue has at most as many runs as there
-- are numbers from its oldest to the newest. It is counted only where that is too many, for example while an old run waits for a retry.
-- Without enable_seqscan = off, a plan made while the table is small would read the whole table later.
CREATE FUNCTION "triggers"."count_runs"(
	"of_user" uuid, "of_trigger" uuid, "max_queued" integer, "max_recent" integer, "room" integer,
	OUT "queued" integer, OUT "recent" integer, OUT "frees_in_sec" double precision, OUT "newest" bigint, OUT "newest_at" timestamptz
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	since timestamptz := clock_timestamp() - interval '60 s';
	oldest bigint;
BEGIN
	SELECT r.number, r.created_at INTO newest, newest_at FROM triggers.runs r
	WHERE r.trigger_id = of_trigger ORDER BY r.created_at DESC LIMIT 1;
	SELECT r.number INTO oldest FROM triggers.runs r
	WHERE r.user_id = of_user AND r.trigger_id = of_trigger AND r.status = 'queued' ORDER BY r.number LIMIT 1;
	queued := least(coalesce(newest - oldest + 1, 0), max_queued);
	IF queued > max_queued - room THEN
		SELECT count(*) INTO queued FROM (
			SELECT FROM triggers.runs r
			WHERE r.user_id = of_user AND r.trigger_id = of_trigger AND r.status = 'queued'
			LIMIT max_queued
		) found;
	END IF;
	SELECT r.number INTO oldest FROM triggers.runs r
	WHERE r.trigger_id = of_trigger AND r.created_at > since ORDER BY r.created_at LIMIT 1;
	recent := least(coalesce(newest - oldest + 1, 0), max_recent);
	IF recent >= max_recent THEN
		SELECT extract(epoch FROM r.created_at - since) INTO frees_in_sec FROM triggers.runs r
		WHERE r.trigger_id = of_trigger AND r.created_at > since
		ORDER BY r.created_at DESC OFFSET greatest(max_recent - 1, 0) LIMIT 1;
	END IF;
END
$$;
--> statement-breakpoint
-- Stores runs in the given order, all in one statement. Returns a row per run in this order. "outcome" is
--   new       stored
--   known     a run of the trigger has the dedupe key: "run_id"
--   changed   the trigger is not the given version, or is deleted
--   disabled  the trigger accepts no runs
--   queued    "run_limit" runs of the trigger are in the queue
--   busy      another transaction holds the lock of the trigger, and "waits" is false
--   recent    the trigger accepted "run_limit" runs in the last 60 seconds; one more is possible in "retry_sec"
-- The triggers are locked first. Every statement in the function sees what was committed before it, so the limits are exact.
CREATE OR REPLACE FUNCTION "triggers"."accept_runs"(
	"trigger_ids" uuid[], "versions" timestamptz[], "inputs" text[], "dedupe_keys" text[], "concurrency_keys" text[],
	"scheduled_fors" timestamptz[], "replays" uuid[], "shares" double precision[], "waits" boolean
) RETURNS TABLE (
	"outcome" text, "run_id" uuid, "owner" uuid, "trigger_kind" text, "run_limit" integer, "retry_sec" double precision
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	t record;
	locked uuid[];
	counted record;
	counted_for uuid;
	counted_share double precision;
	skipped integer;
	max_queued integer;
	max_recent integer;
	wait interval;
	accepted_at timestamptz := '-infinity';
	created timestamptz;
BEGIN
	-- In the order of ids, so that two calls cannot deadlock. Claims do not wait for this lock.
	IF waits THEN
		PERFORM FROM triggers.triggers WHERE id = ANY (trigger_ids) ORDER BY id FOR NO KEY UPDATE;
		locked := trigger_ids;
	ELSE
		SELECT array_agg(free.id) INTO locked FROM (
			SELECT id FROM triggers.triggers WHERE id = ANY (trigger_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
		) free;
	END IF;
	FOR i IN 1 .. cardinality(trigger_ids) LOOP
		outcome := NULL; run_id := NULL; run_limit := NULL; retry_sec := NULL;
		SELECT s.user_id, s.kind, s.enabled OR s.hold_when_paused AND s.kind = 'webhook' AS accepts,
			s.max_queued_runs, s.max_runs_per_minute, s.debounce_seconds
		INTO t FROM triggers.triggers s
		WHERE s.id = trigger_ids[i] AND date_trunc('milliseconds', s.updated_at) = versions[i];
		owner := t.user_id; trigger_kind := t.kind;
		IF t.user_id IS NULL THEN
			outcome := 'changed';
		ELSIF locked IS NULL OR NOT trigger_ids[i] = ANY (locked) THEN
			outcome := 'busy';
		ELSIF dedupe_keys[i] IS NOT NULL THEN
			SELECT r.id, 'known' INTO run_id, outcome FROM triggers.runs r
			WHERE r.trigger_id = trigger_ids[i] AND r.dedupe_key = dedupe_keys[i];
		END IF;
		IF outcome IS NULL AND NOT t.accepts THEN
			outcome := 'disabled';
		END IF;
		IF outcome IS NULL THEN
			max_queued := ceil(t.max_queued_runs * shares[i]);
			max_recent := ceil(t.max_runs_per_minute * shares[i]);
			-- Counted once for runs of a trigger that follow each other and have the same limits.
			IF trigger_ids[i] IS DISTINCT FROM counted_for OR shares[i] IS DISTINCT FROM counted_share THEN
				SELECT * INTO counted FROM triggers.count_runs(
					t.user_id, trigger_ids[i], max_queued, max_recent, cardinality(trigger_ids));
				counted_for := trigger_ids[i];
				counted_share := shares[i];
			END IF;
			IF counted.queued >= max_queued THEN
				outcome := 'queued'; run_limit := max_queued;
			ELSIF counted.recent >= max_recent THEN
				outcome := 'recent'; run_limit := max_recent; retry_sec := coalesce(counted.frees_in_sec, 60);
			END IF;
		END IF;
		IF outcome IS NULL THEN
			-- A replay was chosen by its owner: no event replaces it.
			wait := make_interval(secs => CASE WHEN replays[i] IS NULL THEN coalesce(t.debounce_seconds, 0) ELSE 0 END);
			-- Later for each run, because runs of a concurrency key start in this order.
			accepted_at := greatest(clock_timestamp(), accepted_at + interval '1 microsecond');
			-- Numbers and times of a trigger have one order, also after the clock was set back.
			created := greatest(accepted_at, counted.newest_at + interval '1 microsecond');
			counted.newest := coalesce(counted.newest, 0) + 1;
			counted.newest_at := created;
			INSERT INTO triggers.runs AS r (trigger_id, user_id, number, input, dedupe_key, concurrency_key, scheduled_for,
				replay_of, created_at, due_at)
			VALUES (trigger_ids[i], t.user_id, counted.newest, inputs[i]::json, dedupe_keys[i], concurrency_keys[i],
				scheduled_fors[i], replays[i], created, accepted_at + wait)
			RETURNING r.id INTO run_id;
			outcome := 'new';
			IF wait > interval '0' THEN
				-- Ends the runs of the concurrency key that were not requested yet. With the user, the index of queued runs applies.
				UPDATE triggers.runs r SET status = 'skipped', finished_at = clock_timestamp(),
					error = json_build_object('name', 'debounced', 'message',
						format('A newer event replaced this one: run %s.', run_id))
				WHERE r.user_id = t.user_id AND r.trigger_id = trigger_ids[i] AND r.status = 'queued'
					AND r.concurrency_key IS NOT DISTINCT FROM concurrency_keys[i]
					AND r.started_at IS NULL AND r.replay_of IS NULL AND r.id <> run_id;
				GET DIAGNOSTICS skipped = ROW_COUNT;
				counted.queued := counted.queued - skipped;
			END IF;
			counted.queued := counted.queued + 1;
			counted.recent := counted.recent + 1;
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;
