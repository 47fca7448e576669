-- Settles a pending transaction of a wallet with its place on the chain. Mined in its cancel form it is replaced. Does nothing when it is settled
-- already.
CREATE OR REPLACE FUNCTION settle_wallet_transaction(tx_id text, outcome text, mined text, block bigint, in_block text, why text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	tx wallet_transactions;
BEGIN
	UPDATE wallet_transactions SET status = CASE WHEN mined = cancel_hash THEN 'replaced' ELSE outcome END,
		mined_hash = mined, block_number = block, block_hash = in_block, reason = why, updated_at = now()
		WHERE id = tx_id AND status = 'pending'
		RETURNING * INTO tx;
	IF FOUND THEN
		UPDATE wallet_nonces SET settled_at = now() WHERE chain_id = tx.chain_id AND wallet = tx.wallet;
	END IF;
END $$;
