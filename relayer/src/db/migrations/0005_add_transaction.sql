-- Stores a signed transaction (a row of `transactions` as JSON) with its nonce and reserves its price. Returns the payer's
-- next nonce: when it is not the nonce of the transaction, nothing was stored. NULL for an unknown payer.
CREATE OR REPLACE FUNCTION add_transaction(stored jsonb, payer_key text, amount bigint, cause text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	tx transactions := jsonb_populate_record(NULL::transactions, stored);
	current_nonce integer;
BEGIN
	SELECT next INTO current_nonce FROM payer_nonces WHERE payer = tx.payer FOR UPDATE;
	IF current_nonce IS DISTINCT FROM tx.nonce THEN
		RETURN current_nonce;
	END IF;
	IF payer_key IS NOT NULL THEN
		tx.reserve := reserve_credit(tx.account, payer_key, amount, cause);
	END IF;
	tx.status := 'pending';
	tx.created_at := now();
	tx.updated_at := now();
	INSERT INTO transactions SELECT tx.*;
	UPDATE payer_nonces SET next = tx.nonce + 1 WHERE payer = tx.payer;
	RETURN tx.nonce;
END $$;
