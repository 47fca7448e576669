-- Returns the state of a transaction that callers see: `statusOf` in `wallet-transaction-records.ts` returns the same one.
CREATE OR REPLACE FUNCTION wallet_transaction_state(tx wallet_transactions) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE tx.status WHEN 'mined' THEN 'confirmed' WHEN 'reverted' THEN 'failed' WHEN 'replaced' THEN 'replaced'
		ELSE CASE WHEN tx.mined_hash IS NOT NULL THEN 'mined' WHEN tx.broadcast_at IS NOT NULL THEN 'broadcast' ELSE 'queued' END END;
$$;
