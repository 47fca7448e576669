-- Queues an event for the webhooks of the account when a transaction of a wallet has another state. One that is only stored is not told.
CREATE OR REPLACE FUNCTION tell_wallet_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	state text := wallet_transaction_state(new);
BEGIN
	IF state <> wallet_transaction_state(old) AND state <> 'queued' THEN
		PERFORM queue_webhook(new.account, 'transaction.' || state, json_build_object(
			'id', new.id,
			'wallet', new.wallet,
			'chain_id', new.chain_id,
			'nonce', new.nonce,
			'hash', coalesce(new.mined_hash, new.hashes[cardinality(new.hashes)]),
			'block_number', new.block_number,
			'reason', CASE WHEN state <> 'replaced' THEN new.reason WHEN new.mined_hash IS NULL THEN 'another transaction used the nonce'
				ELSE 'cancelled' END,
			'run_id', new.run_id,
			'cid', new.cid,
			'usage_key_hash', new.usage_key));
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tell_wallet_change AFTER UPDATE OF status, mined_hash, broadcast_at ON wallet_transactions FOR EACH ROW
	WHEN ((new.status, new.mined_hash, new.broadcast_at) IS DISTINCT FROM (old.status, old.mined_hash, old.broadcast_at))
	EXECUTE FUNCTION tell_wallet_change();
