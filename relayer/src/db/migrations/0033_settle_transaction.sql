-- Settles a pending transaction with its place on the chain: on success captures its price, sets its caps and raises the head of
-- its account; otherwise releases its price, or returns the one that was captured before a reorg. A price that has gone back is taken again
-- when a reorg turns the failure into a success, as far as the account can pay it.
-- Does nothing when the transaction is settled already.
-- Its commit does not wait for the disk: a server that loses it has the transaction pending again, and a relayer settles it once more.
-- New caps do not wait for that.
CREATE OR REPLACE FUNCTION settle_transaction(tx_id text, outcome text, mined text, block bigint, in_block text, tx_index integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	tx transactions;
	ending text := CASE outcome WHEN 'mined' THEN 'capture' ELSE 'release' END;
	ended record;
	returned text;
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
	IF tx.reserve IS NULL OR end_reserves(ending, tx.account, ARRAY[tx.reserve]) > 0 THEN
		RETURN;
	END IF;
	-- Settled before a reorg.
	SELECT * INTO ended FROM list_end(tx.account, tx.reserve);
	returned := 'reorg ' || tx.id || ' ' || tx.reserve;
	IF ending = 'release' AND ended.kind = 'capture' THEN
		INSERT INTO ledger_entries (account, number, kind, amount_micros, key_hash, external_id, reason, available_after)
			VALUES (tx.account, 0, 'credit', ended.amount_micros, ended.key_hash, returned, ended.reason, 0);
	ELSIF ending = 'capture' AND (ended.kind = 'release' OR EXISTS (
		SELECT FROM ledger_entries e WHERE e.external_id = returned AND e.account = tx.account
	)) THEN
		BEGIN
			tx.reserve := reserve_credit(tx.account, ended.key_hash, ended.amount_micros, ended.reason);
			PERFORM end_reserves('capture', tx.account, ARRAY[tx.reserve]);
			UPDATE transactions SET reserve = tx.reserve WHERE id = tx_id;
		EXCEPTION WHEN SQLSTATE 'LK402' OR SQLSTATE 'LK403' THEN
			RAISE WARNING 'the account cannot pay for transaction % again', tx_id;
		END;
	END IF;
END $$;
