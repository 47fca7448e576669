-- Queues `credit.low` in the transaction that spends or reverses the credit with which the balance falls below the threshold of an
-- endpoint. The balance counts reserved credit, so that a reserve that is released later crosses nothing. The lock of the row makes the
-- changes of an account one after the other: each crossing is told once.
CREATE OR REPLACE FUNCTION tell_credit_low() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	before bigint := old.available + old.reserved;
	after bigint := new.available + new.reserved;
BEGIN
	INSERT INTO webhook_deliveries (endpoint_id, message)
		SELECT e.id, webhook_message('credit.low',
			json_build_object('credit_micros', after, 'credit_low_micros', e.credit_low_micros))
		FROM webhook_endpoints e WHERE e.account = new.account AND e.is_enabled AND 'credit.low' = ANY (e.types)
			AND after < e.credit_low_micros AND before >= e.credit_low_micros
		FOR KEY SHARE;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tell_credit_low AFTER UPDATE OF captured, reversed ON credit_balances FOR EACH ROW
	WHEN (new.available + new.reserved < old.available + old.reserved) EXECUTE FUNCTION tell_credit_low();
