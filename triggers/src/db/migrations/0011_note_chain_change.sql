-- Position of each chain, and the process that reads it. "is_live": the trigger has read as far as its chain, so that only blocks with
-- logs of the trigger change its cursor.
CREATE TABLE "triggers"."chain_positions" (
	"chain" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"head_block" bigint DEFAULT 0 NOT NULL,
	"head_hash" text,
	"holder" uuid,
	"lease_until" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "chain_positions_chain_chain_id_pk" PRIMARY KEY("chain","chain_id")
);
--> statement-breakpoint
CREATE TABLE "triggers"."chain_changes" (
	"chain" text NOT NULL,
	"trigger_id" uuid NOT NULL,
	CONSTRAINT "chain_changes_chain_trigger_id_pk" PRIMARY KEY("chain","trigger_id")
);
--> statement-breakpoint
ALTER TABLE "triggers"."chain_cursors" ADD COLUMN "is_live" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "fired_logs_number" ON "triggers"."fired_logs" USING btree ("block_number") WHERE "triggers"."fired_logs"."run_id" is not null;
--> statement-breakpoint
INSERT INTO "triggers"."chain_cursors" (trigger_id, next_block)
SELECT id, (config ->> 'start_block')::bigint FROM "triggers"."triggers" WHERE kind = 'chain_event'
ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- Tells the process that reads a chain which triggers have changed. A changed trigger has a cursor of its own, which begins where the
-- position of its chain was, so that a pause keeps its place.
CREATE OR REPLACE FUNCTION "triggers"."note_chain_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		IF OLD.kind = 'chain_event' AND OLD.enabled THEN
			UPDATE triggers.chain_cursors c SET is_live = false,
				next_block = greatest(c.next_block, p.head_block - (OLD.config ->> 'confirmations')::bigint + 1),
				head_block = greatest(c.head_block, p.head_block)
			FROM triggers.chain_positions p
			WHERE c.trigger_id = OLD.id AND c.is_live
				AND p.chain = OLD.config ->> 'chain' AND p.chain_id = (OLD.config ->> 'chain_id')::bigint;
			-- An update, so that a reader cannot delete the row before this change is committed.
			INSERT INTO triggers.chain_changes (chain, trigger_id) VALUES (OLD.config ->> 'chain', OLD.id)
			ON CONFLICT (chain, trigger_id) DO UPDATE SET chain = excluded.chain;
		END IF;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		IF NEW.kind = 'chain_event' THEN
			INSERT INTO triggers.chain_cursors (trigger_id, next_block) VALUES (NEW.id, (NEW.config ->> 'start_block')::bigint)
			ON CONFLICT DO NOTHING;
			IF NEW.enabled THEN
				INSERT INTO triggers.chain_changes (chain, trigger_id) VALUES (NEW.config ->> 'chain', NEW.id)
				ON CONFLICT (chain, trigger_id) DO UPDATE SET chain = excluded.chain;
			END IF;
		END IF;
	END IF;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "chain_trigger_inserted" AFTER INSERT ON "triggers"."triggers"
FOR EACH ROW WHEN (NEW.kind = 'chain_event') EXECUTE FUNCTION "triggers"."note_chain_change"();
--> statement-breakpoint
CREATE TRIGGER "chain_trigger_updated" AFTER UPDATE ON "triggers"."triggers"
FOR EACH ROW WHEN ((OLD.kind = 'chain_event' OR NEW.kind = 'chain_event')
	AND (OLD.updated_at IS DISTINCT FROM NEW.updated_at OR OLD.enabled <> NEW.enabled OR OLD.kind <> NEW.kind))
EXECUTE FUNCTION "triggers"."note_chain_change"();
--> statement-breakpoint
CREATE TRIGGER "chain_trigger_deleted" AFTER DELETE ON "triggers"."triggers"
FOR EACH ROW WHEN (OLD.kind = 'chain_event') EXECUTE FUNCTION "triggers"."note_chain_change"();
