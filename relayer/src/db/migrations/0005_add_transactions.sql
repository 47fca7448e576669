-- Stores signed transactions of one payer with its next nonces and reserves their prices: an item has a row of `transactions`
-- (`stored`), and the key that pays (`payer_key`, `amount`, `cause`). Returns the payer's next nonce per item: when it is not the nonce of the
-- transaction, nothing was stored of it. NULL for an unknown payer. An item that raises stores none of them. Takes all locks of a kind in one
-- order, so that groups do not wait for each other.
CREATE OR REPLACE FUNCTION add_transactions(payer_address text, items jsonb)
RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	item jsonb;
	tx transactions;
	next_nonce integer;
	nexts integer[] := '{}';
BEGIN
	SELECT next INTO next_nonce FROM payer_nonces WHERE payer = payer_address FOR UPDATE;
	PERFORM FROM usage_key_caps WHERE key IN (SELECT i ->> 'payer_key' FROM jsonb_array_elements(items) i)
		ORDER BY key FOR UPDATE;
	PERFORM FROM credit_balances WHERE account IN (SELECT i -> 'stored' ->> 'account' FROM jsonb_array_elements(items) i)
		ORDER BY account FOR UPDATE;
	FOR item IN SELECT * FROM jsonb_array_elements(items) LOOP
		tx := jsonb_populate_record(NULL::transactions, item -> 'stored');
		nexts := nexts || next_nonce;
		CONTINUE WHEN next_nonce IS DISTINCT FROM tx.nonce;
		IF item ->> 'payer_key' IS NOT NULL THEN
			tx.reserve := reserve_credit(tx.account, item ->> 'payer_key', (item ->> 'amount')::bigint, item ->> 'cause');
		END IF;
		tx.status := 'pending';
		tx.created_at := now();
		tx.updated_at := now();
		INSERT INTO transactions SELECT tx.*;
		next_nonce := next_nonce + 1;
	END LOOP;
	UPDATE payer_nonces SET next = next_nonce WHERE payer = payer_address;
	RETURN nexts;
END $$;
