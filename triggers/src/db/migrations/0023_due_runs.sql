-- Returns the due runs of a trigger whose concurrency key is free, the oldest first, among its first "max_examined" due runs. Runs of a key
-- start one after another in the order in which they were accepted. Its callers inline it, so that a LIMIT of theirs ends it.
-- Two conditions: an index has the queued runs of a key in their order, but those that run among them at any place.
CREATE OR REPLACE FUNCTION "triggers"."due_runs"(
	"of_user" uuid, "of_trigger" uuid, "by" timestamptz, "max_examined" integer
) RETURNS TABLE ("id" uuid, "due_at" timestamptz, "revision" integer) LANGUAGE sql STABLE AS $$
	SELECT r.id, r.due_at, r.revision FROM (
		SELECT q.id, q.due_at, q.revision, q.concurrency_key, q.trigger_id, q.created_at FROM triggers.runs q
		WHERE q.status = 'queued' AND q.user_id = of_user AND q.trigger_id = of_trigger AND q.due_at <= by
		ORDER BY q.due_at LIMIT max_examined
	) r
	WHERE r.concurrency_key IS NULL OR r.concurrency_key <> ALL (ARRAY(
		SELECT busy.concurrency_key FROM triggers.runs busy
		WHERE busy.user_id = of_user AND busy.trigger_id = of_trigger AND busy.status = 'running' AND busy.concurrency_key IS NOT NULL
	)) AND NOT EXISTS (
		SELECT FROM triggers.runs before
		WHERE before.trigger_id = r.trigger_id AND before.concurrency_key = r.concurrency_key AND before.status = 'queued'
			AND (before.created_at, before.id) < (r.created_at, r.id)
	)
	ORDER BY r.due_at
$$;
