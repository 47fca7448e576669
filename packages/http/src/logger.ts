import { type Logger, pino } from 'pino';

/** Names under which secrets travel, in headers, bodies and our own objects. */
const secretNames = [
  'authorization',
  'x-api-key',
  'x-wallet-auth',
  'cookie',
  'set-cookie',
  'proxy-authorization',
  'api_key',
  'apiKey',
  'usage_api_key',
  'usageApiKey',
  'password',
  'secret',
  'privateKey',
  'private_key',
  'client_secret',
  'body',
];

const redactedPaths = secretNames.flatMap((name) =>
  ['', '*', '*.*', '*.*.*'].map((parents) => `${parents}["${name}"]`),
);

/** Error texts may repeat what they were given: base64 keys and the query and user of a URL are cut out. */
function scrub(text: string): string {
  return text
    .replace(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '[key]')
    .replace(/\b(https?|wss?|postgres(?:ql)?):\/\/([^\s/@"']+@)?([^\s?#"']*)(\?[^\s"']*)?/g, '$1://$3');
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(String(error));
  return {
    type: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}

/** JSON lines on standard output (or `destination`), with secrets redacted and errors cut to type, text, stack, cause. */
export function createLogger({
  name,
  level = 'info',
  destination,
}: {
  name: string;
  level?: string;
  destination?: { write(line: string): void };
}): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      serializers: { err: serializeError },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    ...(destination ? [destination] : []),
  );
}
