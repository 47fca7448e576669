-- Each function is one statement for its caller, and therefore atomic. Locks are taken in the order payer or transaction,
-- cap of the key, balance of the account.

-- Reserves the amount and returns the number of the entry. Raises LK403 when the cap of the key does not allow it, with the
-- time in DETAIL (Unix seconds) at which the cap frees, if any.
CREATE FUNCTION reserve_credit(payer_account text, payer_key text, amount bigint, cause text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	cap usage_key_caps;
	entry bigint;
BEGIN
	UPDATE usage_key_caps c
		SET window_started_at = CASE WHEN w.begins THEN clock_timestamp() ELSE c.window_started_at END,
			spent_micros = CASE WHEN w.begins THEN amount ELSE c.spent_micros + amount END
		FROM (SELECT key, coalesce(
				window_started_at IS NULL
				OR window_started_at + make_interval(secs => spend_window_sec) <= clock_timestamp(), false) AS begins
			FROM usage_key_caps WHERE key = payer_key FOR UPDATE) w
		WHERE c.key = w.key
		RETURNING c.* INTO cap;
	IF cap.spent_micros > cap.spend_cap_cents::bigint * 10000 THEN
		RAISE EXCEPTION 'the usage key has reached its spend_cap_cents'
			USING ERRCODE = 'LK403',
				DETAIL = coalesce((extract(epoch FROM cap.window_started_at) + cap.spend_window_sec)::text, '');
	END IF;
	INSERT INTO ledger_entries (account, number, kind, amount_micros, key_hash, reason, available_after)
		VALUES (payer_account, 0, 'reserve', amount, payer_key, cause, 0)
		RETURNING number INTO entry;
	RETURN entry;
END $$;
--> statement-breakpoint
-- Ends these reserves by 'capture' or 'release'. The first end of each reserve counts. Returns how many it ended.
CREATE FUNCTION end_reserves(ending text, owner text, reserves bigint[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	ended bigint[];
BEGIN
	IF ending = 'release' THEN
		PERFORM FROM usage_key_caps
			WHERE key IN (SELECT e.key_hash FROM ledger_entries e WHERE e.account = owner AND e.number = ANY (reserves))
			ORDER BY key FOR UPDATE;
	END IF;
	WITH added AS (
		INSERT INTO ledger_entries (account, number, kind, amount_micros, reserve, key_hash, reason, available_after)
			SELECT owner, 0, ending, e.amount_micros, e.number, e.key_hash, e.reason, 0
			FROM ledger_entries e WHERE e.account = owner AND e.number = ANY (reserves) ORDER BY e.number
			RETURNING ledger_entries.reserve
	)
	SELECT array_agg(added.reserve) INTO ended FROM added;
	IF ending = 'release' THEN
		-- An amount that was reserved in the current window of a cap no longer counts as spent.
		UPDATE usage_key_caps c SET spent_micros = c.spent_micros - s.micros
			FROM (
				SELECT k.key, sum(e.amount_micros) AS micros
				FROM ledger_entries e JOIN usage_key_caps k ON k.key = e.key_hash AND k.window_started_at <= e.created_at
				WHERE e.account = owner AND e.number = ANY (ended)
				GROUP BY k.key
			) s
			WHERE c.key = s.key;
	END IF;
	RETURN coalesce(cardinality(ended), 0);
END $$;
--> statement-breakpoint
-- Stores a signed transaction (a row of `transactions` as JSON) with its nonce and reserves its price. Returns the payer's
-- next nonce: when it is not the nonce of the transaction, nothing was stored. NULL for an unknown payer.
CREATE FUNCTION add_transaction(stored jsonb, payer_key text, amount bigint, cause text)
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
--> statement-breakpoint
-- Sets or removes the caps of a usage key. The amount spent in the current window stays.
CREATE FUNCTION change_caps(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	caps jsonb := change -> 'caps';
BEGIN
	IF caps = 'null' THEN
		DELETE FROM usage_key_caps WHERE key = change ->> 'key';
	ELSE
		INSERT INTO usage_key_caps (key, spend_cap_cents, spend_window_sec, max_runs_per_minute, max_concurrency)
			VALUES (change ->> 'key', (caps ->> 'spendCapCents')::integer, (caps ->> 'spendWindowSec')::integer,
				(caps ->> 'maxRunsPerMinute')::integer, (caps ->> 'maxConcurrency')::integer)
			ON CONFLICT (key) DO UPDATE
				SET spend_cap_cents = excluded.spend_cap_cents, spend_window_sec = excluded.spend_window_sec,
					max_runs_per_minute = excluded.max_runs_per_minute, max_concurrency = excluded.max_concurrency;
	END IF;
END $$;
--> statement-breakpoint
-- Settles a pending transaction: on success captures its price, sets its caps and raises the head of its account; otherwise
-- releases its price. Does nothing when it is settled already.
CREATE FUNCTION settle_transaction(tx_id text, outcome text, mined text, block bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	tx transactions;
BEGIN
	UPDATE transactions SET status = outcome, mined_hash = mined, block_number = block, updated_at = now()
		WHERE id = tx_id AND status = 'pending'
		RETURNING * INTO tx;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	IF outcome = 'mined' THEN
		IF tx.caps_change IS NOT NULL THEN
			PERFORM change_caps(tx.caps_change);
		END IF;
		INSERT INTO account_heads VALUES (tx.account, settle_transaction.block)
			ON CONFLICT (account) DO UPDATE SET block = greatest(account_heads.block, excluded.block);
	END IF;
	IF tx.reserve IS NOT NULL THEN
		PERFORM end_reserves(CASE outcome WHEN 'mined' THEN 'capture' ELSE 'release' END, tx.account, ARRAY[tx.reserve]);
	END IF;
END $$;
