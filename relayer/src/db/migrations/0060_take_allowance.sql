-- Adds an amount to a counter unless the sum of its window would be over the limit. The lock of the counter puts its uses in an order, in
-- which their times rise. A use of the same run and number is returned again. `refusal` is `limit` (then `possible_at` is when the amount
-- fits, NULL for never), `window` (the counter has `sum` seconds), `names` (there are too many counters in use), or `other` (the number of the run
-- has another use).
CREATE OR REPLACE FUNCTION take_allowance(
	of_account bytea, of_cid text, of_wallet bytea, of_name text, seconds integer,
	added numeric, most numeric, max_names integer, of_run text, of_number integer,
	OUT refusal text, OUT sum numeric, OUT sequence bigint, OUT at timestamp with time zone, OUT possible_at timestamp with time zone
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	counter allowance_counters;
	use allowance_uses;
	length interval := make_interval(secs => seconds);
	used_at timestamp with time zone;
	used numeric;
BEGIN
	SELECT c.* INTO counter FROM allowance_counters c
		WHERE c.account = of_account AND c.cid = of_cid AND c.wallet = of_wallet AND c.name = of_name FOR UPDATE;
	IF NOT FOUND THEN
		-- Concurrent first uses of other names wait, so that they count each other.
		PERFORM pg_advisory_xact_lock(hashtextextended(encode(of_account || of_wallet, 'hex') || of_cid, 0));
		IF (SELECT count(*) FROM allowance_counters c WHERE c.account = of_account AND c.cid = of_cid AND c.wallet = of_wallet) >= max_names THEN
			-- Names whose windows are over make room, once their uses are deleted.
			DELETE FROM allowance_counters f WHERE f.id = ANY (ARRAY(
				SELECT c.id FROM allowance_counters c
				WHERE c.account = of_account AND c.cid = of_cid AND c.wallet = of_wallet
					AND c.last_at < clock_timestamp() - greatest(make_interval(secs => c.window_sec), interval '1 hour')
					AND NOT EXISTS (SELECT FROM allowance_uses u WHERE u.counter = c.id)
				FOR UPDATE SKIP LOCKED
			));
			IF NOT FOUND THEN
				refusal := 'names';
				RETURN;
			END IF;
		END IF;
		INSERT INTO allowance_counters (account, cid, wallet, name, window_sec)
			VALUES (of_account, of_cid, of_wallet, of_name, seconds) ON CONFLICT DO NOTHING;
		SELECT c.* INTO STRICT counter FROM allowance_counters c
			WHERE c.account = of_account AND c.cid = of_cid AND c.wallet = of_wallet AND c.name = of_name FOR UPDATE;
	END IF;
	SELECT u.* INTO use FROM allowance_uses u WHERE u.run = of_run AND u.number = of_number;
	IF FOUND THEN
		IF use.counter = counter.id AND use.amount = added THEN
			sum := use.sum;
			sequence := use.sequence;
			at := use.at;
		ELSE
			refusal := 'other';
		END IF;
		RETURN;
	END IF;
	IF counter.window_sec <> seconds THEN
		refusal := 'window';
		sum := counter.window_sec;
		RETURN;
	END IF;
	used_at := greatest(clock_timestamp(), counter.last_at + interval '1 microsecond');
	used := counter.total - coalesce((
		SELECT u.total FROM allowance_uses u WHERE u.counter = counter.id AND u.at <= used_at - length ORDER BY u.at DESC LIMIT 1
	), counter.deleted_total);
	sum := used + added;
	IF sum > most THEN
		refusal := 'limit';
		sum := used;
		IF added <= most THEN
			SELECT u.at + length INTO possible_at FROM allowance_uses u
				WHERE u.counter = counter.id AND u.total >= counter.total + added - most ORDER BY u.total LIMIT 1;
		END IF;
		RETURN;
	END IF;
	at := used_at;
	sequence := counter.sequence + 1;
	UPDATE allowance_counters c SET sequence = counter.sequence + 1, last_at = used_at, total = counter.total + added
		WHERE c.id = counter.id;
	INSERT INTO allowance_uses (counter, at, sequence, amount, sum, total, run, number, expires_at)
		VALUES (counter.id, used_at, counter.sequence + 1, added, used + added, counter.total + added, of_run, of_number,
			-- A repeated message of the run finds it.
			used_at + greatest(length, interval '1 hour'));
END $$;
