-- Sides of the balances of chain-block triggers.
ALTER TABLE "triggers"."chain_cursors" ADD COLUMN "sides" json DEFAULT '[]'::json NOT NULL;
--> statement-breakpoint
-- As "note_chain_change", which it replaces, for triggers of both kinds that follow a chain.
CREATE OR REPLACE FUNCTION "triggers"."note_followed_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		IF OLD.kind IN ('chain_event', 'chain_block') AND OLD.enabled THEN
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
		IF NEW.kind IN ('chain_event', 'chain_block') THEN
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
CREATE OR REPLACE TRIGGER "chain_trigger_inserted" AFTER INSERT ON "triggers"."triggers"
FOR EACH ROW WHEN (NEW.kind IN ('chain_event', 'chain_block')) EXECUTE FUNCTION "triggers"."note_followed_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "chain_trigger_updated" AFTER UPDATE ON "triggers"."triggers"
FOR EACH ROW WHEN ((OLD.kind IN ('chain_event', 'chain_block') OR NEW.kind IN ('chain_event', 'chain_block'))
	AND (OLD.updated_at IS DISTINCT FROM NEW.updated_at OR OLD.enabled <> NEW.enabled OR OLD.kind <> NEW.kind))
EXECUTE FUNCTION "triggers"."note_followed_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "chain_trigger_deleted" AFTER DELETE ON "triggers"."triggers"
FOR EACH ROW WHEN (OLD.kind IN ('chain_event', 'chain_block')) EXECUTE FUNCTION "triggers"."note_followed_change"();
