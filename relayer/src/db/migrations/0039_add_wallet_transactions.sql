-- Stores signed transactions of one wallet on a chain, rows of `wallet_transactions`, with its next nonces, and ends the turn of the process.
-- Returns the next nonce per row: when it is not the nonce of the transaction, nothing was stored of it. NULL for an unknown wallet. A nonce that
-- a pending transaction has is left out.
CREATE OR REPLACE FUNCTION add_wallet_transactions(chain bigint, sender text, process text, items jsonb)
RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	item jsonb;
	tx wallet_transactions;
	next_nonce integer;
	nexts integer[] := '{}';
BEGIN
	SELECT next INTO next_nonce FROM wallet_nonces WHERE chain_id = chain AND wallet = sender FOR UPDATE;
	FOR item IN SELECT * FROM jsonb_array_elements(items) LOOP
		tx := jsonb_populate_record(NULL::wallet_transactions, item);
		nexts := nexts || next_nonce;
		CONTINUE WHEN next_nonce IS DISTINCT FROM tx.nonce;
		tx.status := 'pending';
		tx.created_at := now();
		tx.updated_at := now();
		tx.changed_at := clock_timestamp();
		INSERT INTO wallet_transactions SELECT tx.*;
		LOOP
			next_nonce := next_nonce + 1;
			EXIT WHEN NOT EXISTS (SELECT FROM wallet_transactions
				WHERE chain_id = chain AND wallet = sender AND nonce = next_nonce AND status = 'pending');
		END LOOP;
	END LOOP;
	UPDATE wallet_nonces SET next = next_nonce, turn_until = CASE WHEN turn_of = process THEN NULL ELSE turn_until END
		WHERE chain_id = chain AND wallet = sender;
	RETURN nexts;
END $$;
