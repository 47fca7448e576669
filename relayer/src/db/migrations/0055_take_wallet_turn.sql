-- Gives a process the turn to sign for a wallet on a chain, for ten seconds: other processes would sign with the same nonces. Returns the next
-- nonce, NULL while it is another one's turn, and the pending transactions of the wallet on the chain and of the account, each counted up to its
-- maximum. A process that asks again and again has the next turn before one that ended its own. `in_chain` is the next nonce by the chain. The
-- stored one is raised to it. It is lowered to it when none of the pending transactions has it: the chain lost the transaction of another program. It
-- must have been the same for half a minute in which nothing was settled; for three seconds while a later transaction has waited for half a
-- minute, because reorgs settle earlier ones again and again. Not for so short a time when a settled transaction of the wallet was mined with it: a
-- reorg has dropped that one, and it will be pending again.
CREATE OR REPLACE FUNCTION take_wallet_turn(chain bigint, sender text, process text, in_chain integer, owner text, max_of_wallet integer,
	max_of_account integer, OUT nonce integer, OUT of_wallet integer, OUT of_account integer)
LANGUAGE plpgsql AS $$
DECLARE
	n wallet_nonces;
	at timestamptz;
	quiet interval;
BEGIN
	INSERT INTO wallet_nonces (chain_id, wallet, next, in_chain) VALUES (chain, sender, take_wallet_turn.in_chain, take_wallet_turn.in_chain) ON CONFLICT DO NOTHING;
	SELECT * INTO n FROM wallet_nonces w WHERE w.chain_id = chain AND w.wallet = sender FOR UPDATE;
	at := clock_timestamp();
	IF coalesce(n.waits_until > at AND n.waits_of <> process, false) THEN
		RETURN;
	END IF;
	IF coalesce(n.turn_until > at AND n.turn_of <> process, false) THEN
		UPDATE wallet_nonces w SET waits_of = process, waits_until = at + interval '1 second'
			WHERE w.chain_id = chain AND w.wallet = sender;
		RETURN;
	END IF;
	IF n.in_chain <> take_wallet_turn.in_chain THEN
		n.in_chain := take_wallet_turn.in_chain;
		n.in_chain_at := at;
	END IF;
	nonce := greatest(n.next, n.in_chain);
	quiet := at - greatest(n.in_chain_at, n.settled_at);
	IF quiet > interval '30 seconds' OR quiet > interval '3 seconds' AND EXISTS (SELECT FROM wallet_transactions t
		WHERE t.chain_id = chain AND t.wallet = sender AND t.nonce > n.in_chain AND t.status = 'pending' AND t.created_at < at - interval '30 seconds')
		AND NOT EXISTS (SELECT FROM wallet_transactions t WHERE t.chain_id = chain AND t.wallet = sender AND t.nonce = n.in_chain
		AND t.status <> 'pending' AND t.block_number IS NOT NULL) THEN
		nonce := n.in_chain;
	END IF;
	WHILE EXISTS (SELECT FROM wallet_transactions t
		WHERE t.chain_id = chain AND t.wallet = sender AND t.nonce = take_wallet_turn.nonce AND t.status = 'pending') LOOP
		nonce := nonce + 1;
	END LOOP;
	SELECT count(*) INTO of_wallet FROM (SELECT FROM wallet_transactions t
		WHERE t.chain_id = chain AND t.wallet = sender AND t.status = 'pending' LIMIT max_of_wallet) counted;
	SELECT count(*) INTO of_account FROM (SELECT FROM wallet_transactions t
		WHERE t.account = owner AND t.status = 'pending' LIMIT max_of_account) counted;
	UPDATE wallet_nonces w SET next = nonce, in_chain = n.in_chain, in_chain_at = n.in_chain_at, turn_of = process,
		turn_until = at + interval '10 seconds', waits_until = NULL
		WHERE w.chain_id = chain AND w.wallet = sender;
END $$;
