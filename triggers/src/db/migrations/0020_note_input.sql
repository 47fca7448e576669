-- The sizes of the inputs of runs that have not ended, by account. Every change adds a row to "input_changes" without a lock; the service sums
-- them in "waiting_inputs". The lock makes this file see every run: writers wait, readers do not.
LOCK TABLE "triggers"."runs" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "triggers"."input_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "triggers"."input_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "triggers"."waiting_inputs" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"is_full" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX "waiting_inputs_full" ON "triggers"."waiting_inputs" USING btree ("user_id") WHERE "triggers"."waiting_inputs"."is_full";--> statement-breakpoint
ALTER TABLE "triggers"."input_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
CREATE OR REPLACE FUNCTION "triggers"."note_input"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		INSERT INTO triggers.input_changes (user_id, bytes) VALUES (NEW.user_id, -octet_length(NEW.input::text));
	ELSE
		INSERT INTO triggers.input_changes (user_id, bytes)
		SELECT c.user_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(octet_length(c.input::text))
		FROM changed c WHERE c.status IN ('queued', 'running') GROUP BY c.user_id;
	END IF;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "run_inputs_inserted" AFTER INSERT ON "triggers"."runs" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "triggers"."note_input"();
--> statement-breakpoint
CREATE TRIGGER "run_inputs_deleted" AFTER DELETE ON "triggers"."runs" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "triggers"."note_input"();
--> statement-breakpoint
CREATE TRIGGER "run_inputs_ended" AFTER UPDATE OF "status" ON "triggers"."runs" FOR EACH ROW
	WHEN (OLD.status IN ('queued', 'running') AND NEW.status NOT IN ('queued', 'running'))
	EXECUTE FUNCTION "triggers"."note_input"();
--> statement-breakpoint
INSERT INTO "triggers"."input_changes" ("user_id", "bytes")
	SELECT "user_id", sum(octet_length("input"::text)) FROM "triggers"."runs" WHERE "status" IN ('queued', 'running') GROUP BY "user_id";
