-- Applies a change of caps: new caps, none (`null`), or those of the key that was rotated (`from`).
CREATE OR REPLACE FUNCTION change_caps(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	caps jsonb := change -> 'caps';
BEGIN
	IF change ? 'from' THEN
		-- Caps can be left of a removed key with the hash of the new one. A second call for a rotation changes nothing.
		DELETE FROM usage_key_caps WHERE key = change ->> 'key'
			AND EXISTS (SELECT FROM usage_key_caps WHERE key = change ->> 'from');
		UPDATE usage_key_caps SET key = change ->> 'key' WHERE key = change ->> 'from';
	ELSIF caps = 'null' THEN
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
