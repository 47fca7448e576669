-- Returns the body of a webhook.
CREATE OR REPLACE FUNCTION webhook_message(event text, content json)
RETURNS json LANGUAGE sql AS $$
	SELECT json_build_object(
		'type', event,
		'timestamp', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
		'data', content);
$$;
