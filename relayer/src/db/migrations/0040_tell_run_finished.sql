-- Queues `run.finished` in the transaction that ends the run.
CREATE OR REPLACE FUNCTION tell_run_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM queue_webhook(new.account, 'run.finished', json_build_object(
		'run_id', new.id,
		'cid', new.cid,
		'usage_key_hash', new.key,
		'status', CASE WHEN new.duration_ms IS NULL THEN 'released' WHEN new.error_name IS NULL THEN 'success' ELSE 'failed' END,
		'error_name', new.error_name,
		'duration_ms', new.duration_ms,
		'charged_micros', new.charged_micros));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tell_run_finished AFTER UPDATE OF ended_at ON runs FOR EACH ROW
	WHEN (old.ended_at IS NULL AND new.ended_at IS NOT NULL) EXECUTE FUNCTION tell_run_finished();
