-- Refuses all entries from before this time. Returns when every transaction that could have added one has ended.
-- A constraint, because it costs a run nothing that can be measured. NOT VALID: it is for new entries only.
CREATE OR REPLACE FUNCTION seal_ledger(until timestamp with time zone) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text;
BEGIN
	-- In the order in which the end of a run takes its locks.
	FOREACH name IN ARRAY ARRAY['ledger_reserves', 'ledger_ends', 'ledger_entries'] LOOP
		EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I, ADD CONSTRAINT %I CHECK (created_at >= %L) NOT VALID',
			name, name || '_sealed', name || '_sealed', until);
	END LOOP;
END $$;
