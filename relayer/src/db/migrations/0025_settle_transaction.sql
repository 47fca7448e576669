-- Settles a pending transaction with its place on the chain: on success captures its price, sets its caps and raises the head of
-- its account; otherwise releases its price, or returns the one that was captured before a reorg. Does nothing when it is settled already.
-- Its commit does not wait for the disk: a server that loses it has the transaction pending again, and a relayer settles it once more.
-- New caps do not wait for that.
CREATE OR REPLACE FUNCTION settle_transaction(tx_id text, outcome text, mined text, block bigint, in_block text, tx_index integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	tx transactions;
	ending text := CASE outcome WHEN 'mined' THEN 'capture' ELSE 'release' END;
BEGIN
	UPDATE transactions SET status = outcome, mined_hash = mined, block_number = block, block_hash = in_block, updated_at = now()
		WHERE id = tx_id AND status = 'pending'
		RETURNING * INTO tx;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	IF tx.caps_change IS NULL THEN
		PERFORM set_config('synchronous_commit', 'off', true);
	END IF;
	IF outcome = 'mined' THEN
		IF tx.caps_change IS NOT NULL THEN
			PERFORM change_caps(tx.caps_change, block, tx_index);
		END IF;
		INSERT INTO account_heads VALUES (tx.account, settle_transaction.block)
			ON CONFLICT (account) DO UPDATE SET block = greatest(account_heads.block, excluded.block);
	END IF;
	IF tx.reserve IS NOT NULL AND end_reserves(ending, tx.account, ARRAY[tx.reserve]) = 0 AND ending = 'release' THEN
		INSERT INTO ledger_entries (account, number, kind, amount_micros, key_hash, external_id, reason, available_after)
			SELECT tx.account, 0, 'credit', e.amount_micros, e.key_hash, 'reorg ' || tx.id, e.reason, 0
			FROM list_end(tx.account, tx.reserve) e WHERE e.kind = 'capture';
	END IF;
END $$;
