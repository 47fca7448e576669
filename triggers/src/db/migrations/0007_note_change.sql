-- Adds a row to "queue_changes" for a trigger whose place in the ready list can have changed. Adding rows needs no lock, so accepts, ends
-- and changes wait neither for each other nor for a claim. As a trigger of the database it also covers processes of the previous version.
CREATE OR REPLACE FUNCTION "triggers"."note_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'STATEMENT' THEN
		INSERT INTO triggers.queue_changes (user_id, trigger_id)
		SELECT DISTINCT c.user_id, c.trigger_id FROM changed c WHERE c.status IN ('queued', 'running');
	ELSIF TG_TABLE_NAME = 'runs' THEN
		INSERT INTO triggers.queue_changes (user_id, trigger_id) VALUES (NEW.user_id, NEW.trigger_id);
	ELSIF TG_OP = 'INSERT' THEN
		INSERT INTO triggers.queue_users (user_id) VALUES (NEW.user_id) ON CONFLICT DO NOTHING;
		INSERT INTO triggers.queue_triggers (trigger_id, user_id) VALUES (NEW.id, NEW.user_id);
	ELSE
		INSERT INTO triggers.queue_changes (user_id, trigger_id) VALUES (NEW.user_id, NEW.id);
	END IF;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "runs_inserted" AFTER INSERT ON "triggers"."runs" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "triggers"."note_change"();
--> statement-breakpoint
CREATE TRIGGER "runs_deleted" AFTER DELETE ON "triggers"."runs" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "triggers"."note_change"();
--> statement-breakpoint
-- By row, so that renewed leases and stored output cost nothing.
CREATE TRIGGER "runs_updated" AFTER UPDATE OF "status", "due_at", "concurrency_key", "started_at", "created_at" ON "triggers"."runs"
	FOR EACH ROW WHEN (
		(OLD.status, OLD.due_at, OLD.concurrency_key, OLD.started_at, OLD.created_at) IS DISTINCT FROM
		(NEW.status, NEW.due_at, NEW.concurrency_key, NEW.started_at, NEW.created_at)
	) EXECUTE FUNCTION "triggers"."note_change"();
--> statement-breakpoint
CREATE TRIGGER "triggers_inserted" AFTER INSERT ON "triggers"."triggers"
	FOR EACH ROW EXECUTE FUNCTION "triggers"."note_change"();
--> statement-breakpoint
CREATE TRIGGER "triggers_updated" AFTER UPDATE OF "enabled", "max_concurrent_runs", "throttle_per_minute", "held_until"
	ON "triggers"."triggers" FOR EACH ROW WHEN (
		(OLD.enabled, OLD.max_concurrent_runs, OLD.throttle_per_minute, OLD.held_until) IS DISTINCT FROM
		(NEW.enabled, NEW.max_concurrent_runs, NEW.throttle_per_minute, NEW.held_until)
	) EXECUTE FUNCTION "triggers"."note_change"();
--> statement-breakpoint
INSERT INTO "triggers"."queue_users" ("user_id") SELECT DISTINCT "user_id" FROM "triggers"."triggers";
--> statement-breakpoint
INSERT INTO "triggers"."queue_triggers" ("trigger_id", "user_id") SELECT "id", "user_id" FROM "triggers"."triggers";
--> statement-breakpoint
-- The first claims look at every trigger once.
INSERT INTO "triggers"."queue_changes" ("user_id", "trigger_id") SELECT "user_id", "id" FROM "triggers"."triggers";
