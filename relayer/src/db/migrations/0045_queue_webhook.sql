-- Queues an event for each endpoint of the account that wants its type. Call in the transaction that stores what it tells.
CREATE OR REPLACE FUNCTION queue_webhook(owner text, event text, content json)
RETURNS void LANGUAGE sql AS $$
	INSERT INTO webhook_deliveries (endpoint_id, message)
		SELECT e.id, webhook_message(event, content)
		FROM webhook_endpoints e WHERE e.account = owner AND e.is_enabled AND event = ANY (e.types)
		-- An endpoint that is being deleted is skipped.
		FOR KEY SHARE;
$$;
