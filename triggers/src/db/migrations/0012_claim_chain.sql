-- Takes or keeps the lease of a chain for a process. Returns one row: whether the process has it, whether another process may have read
-- the chain since its last claim, the position, and the triggers that have changed since then. A new holder must read all triggers.
CREATE OR REPLACE FUNCTION "triggers"."claim_chain"("wanted_chain" text, "wanted_id" bigint, "claimant" uuid, "lease_ms" integer)
RETURNS TABLE ("is_held" boolean, "is_new" boolean, "block" bigint, "hash" text, "changed" uuid[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	found_position record;
	changed_ids uuid[];
BEGIN
	SELECT * INTO found_position FROM triggers.chain_positions WHERE chain = wanted_chain AND chain_id = wanted_id;
	IF NOT FOUND THEN
		INSERT INTO triggers.chain_positions (chain, chain_id) VALUES (wanted_chain, wanted_id) ON CONFLICT DO NOTHING;
	-- Waits for no lock while another process has the lease.
	ELSIF found_position.holder IS DISTINCT FROM claimant AND found_position.lease_until > clock_timestamp() THEN
		RETURN QUERY SELECT false, false, found_position.head_block, found_position.head_hash, '{}'::uuid[];
		RETURN;
	END IF;
	SELECT * INTO found_position FROM triggers.chain_positions WHERE chain = wanted_chain AND chain_id = wanted_id FOR UPDATE;
	IF found_position.holder IS DISTINCT FROM claimant AND found_position.lease_until > clock_timestamp() THEN
		RETURN QUERY SELECT false, false, found_position.head_block, found_position.head_hash, '{}'::uuid[];
		RETURN;
	END IF;
	UPDATE triggers.chain_positions
	SET holder = claimant, lease_until = clock_timestamp() + make_interval(secs => lease_ms / 1000.0)
	WHERE chain = wanted_chain AND chain_id = wanted_id;
	-- A locked row belongs to a change that is not committed yet.
	WITH taken AS (
		DELETE FROM triggers.chain_changes d USING (
			SELECT c.trigger_id FROM triggers.chain_changes c WHERE c.chain = wanted_chain FOR UPDATE SKIP LOCKED
		) free WHERE d.chain = wanted_chain AND d.trigger_id = free.trigger_id RETURNING d.trigger_id
	)
	SELECT coalesce(array_agg(trigger_id), '{}') INTO changed_ids FROM taken;
	RETURN QUERY SELECT true, found_position.holder IS DISTINCT FROM claimant, found_position.head_block, found_position.head_hash,
		changed_ids;
END
$$;
