-- Returns the last change of the caps of a key, block 0 for none, and locks it. Locks of changes are taken before those of caps,
-- and that of a rotated key before that of its new key.
CREATE OR REPLACE FUNCTION lock_caps_change(usage_key text) RETURNS caps_changes LANGUAGE sql AS $$
	INSERT INTO caps_changes AS c (key, block, transaction_index) VALUES (usage_key, 0, 0)
		ON CONFLICT (key) DO UPDATE SET block = c.block
		RETURNING *;
$$;
