-- Sets the time of the last change that a caller can see, for the streams of events.
CREATE OR REPLACE FUNCTION note_wallet_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed_at := clock_timestamp();
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER wallet_transactions_changed BEFORE UPDATE ON wallet_transactions FOR EACH ROW
	WHEN ((NEW.status, NEW.raw, NEW.mined_hash, NEW.broadcast_at, NEW.cancel_requested_at)
		IS DISTINCT FROM (OLD.status, OLD.raw, OLD.mined_hash, OLD.broadcast_at, OLD.cancel_requested_at))
	EXECUTE FUNCTION note_wallet_change();
