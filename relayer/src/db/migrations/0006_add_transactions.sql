-- Stores signed transactions of one payer, each as `add_transaction` does: an item has its arguments. Returns what it returned, per item; one
-- that raises stores none of them. Takes all locks of a kind in one order, so that groups do not wait for each other.
CREATE OR REPLACE FUNCTION add_transactions(payer_address text, items jsonb)
RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	item jsonb;
	nexts integer[] := '{}';
BEGIN
	PERFORM FROM payer_nonces WHERE payer = payer_address FOR UPDATE;
	PERFORM FROM usage_key_caps WHERE key IN (SELECT i ->> 'payer_key' FROM jsonb_array_elements(items) i)
		ORDER BY key FOR UPDATE;
	PERFORM FROM credit_balances WHERE account IN (SELECT i -> 'stored' ->> 'account' FROM jsonb_array_elements(items) i)
		ORDER BY account FOR UPDATE;
	FOR item IN SELECT * FROM jsonb_array_elements(items) LOOP
		nexts := nexts || add_transaction(item -> 'stored', item ->> 'payer_key', (item ->> 'amount')::bigint, item ->> 'cause');
	END LOOP;
	RETURN nexts;
END $$;
