-- Applies a change of caps that a transaction made on the chain: new caps, none (`null`), or those of the key that was rotated
-- (`from`). Changes can arrive in any order, and a removal or rotation several times. One of a key that was rotated since is one
-- of its new key. One that was made before the last change has no effect, but what a rotated key has spent counts for the new one.
-- The recording of the output moves with a rotated key, and ends with a removed one (`isRemoved`).
CREATE OR REPLACE FUNCTION change_caps(change jsonb, at_block bigint, at_index integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	caps jsonb := change -> 'caps';
	old_key text := change ->> 'from';
	new_key text := change ->> 'key';
	old_change caps_changes;
	last_change caps_changes;
BEGIN
	IF old_key IS NOT NULL THEN
		DELETE FROM output_recordings WHERE key = new_key
			AND EXISTS (SELECT FROM output_recordings WHERE key = old_key);
		UPDATE output_recordings SET key = new_key WHERE key = old_key;
		old_change := lock_caps_change(old_key);
		IF old_change.rotated_to IS NOT NULL THEN
			RETURN;
		END IF;
		UPDATE caps_changes SET block = at_block, transaction_index = at_index, rotated_to = new_key WHERE key = old_key;
	ELSIF change ? 'isRemoved' THEN
		DELETE FROM output_recordings WHERE key = new_key;
	END IF;
	LOOP
		last_change := lock_caps_change(new_key);
		EXIT WHEN last_change.rotated_to IS NULL;
		new_key := last_change.rotated_to;
	END LOOP;
	IF (last_change.block, last_change.transaction_index) > (at_block, at_index) THEN
		UPDATE usage_key_caps c
			SET spent_micros = c.spent_micros + o.spent_micros,
				window_started_at = coalesce(c.window_started_at, o.window_started_at)
			FROM usage_key_caps o WHERE c.key = new_key AND o.key = old_key;
		DELETE FROM usage_key_caps WHERE key = old_key;
		RETURN;
	END IF;
	IF old_key IS NOT NULL THEN
		-- Caps can be left of a removed key with the hash of the new one. A database of an earlier version can have moved the caps.
		DELETE FROM usage_key_caps WHERE key = new_key AND EXISTS (SELECT FROM usage_key_caps WHERE key = old_key);
		UPDATE usage_key_caps SET key = new_key WHERE key = old_key;
		UPDATE caps_changes SET block = old_change.block, transaction_index = old_change.transaction_index WHERE key = new_key;
		RETURN;
	END IF;
	UPDATE caps_changes SET block = at_block, transaction_index = at_index WHERE key = new_key;
	IF caps = 'null' OR change ? 'isRemoved' THEN
		DELETE FROM usage_key_caps WHERE key = new_key;
	ELSE
		INSERT INTO usage_key_caps (key, spend_cap_cents, spend_window_sec, max_runs_per_minute, max_concurrency, max_run_sec)
			VALUES (new_key, (caps ->> 'spendCapCents')::integer, (caps ->> 'spendWindowSec')::integer,
				(caps ->> 'maxRunsPerMinute')::integer, (caps ->> 'maxConcurrency')::integer,
				(caps ->> 'maxRunSec')::integer)
			ON CONFLICT (key) DO UPDATE
				SET spend_cap_cents = excluded.spend_cap_cents, spend_window_sec = excluded.spend_window_sec,
					max_runs_per_minute = excluded.max_runs_per_minute, max_concurrency = excluded.max_concurrency,
					-- The version before does not know this cap, and leaves it as it is.
					max_run_sec = CASE WHEN caps ? 'maxRunSec' THEN excluded.max_run_sec ELSE usage_key_caps.max_run_sec END;
	END IF;
END $$;
