import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { isTracing, traceFields } from './tracing.ts';

/** Longest time from a line until it is written. */
const LINES_WITHIN_MS = 100;
/** Waiting time for a reader of standard output that does not read. */
const WRITTEN_WITHIN_MS = 1_000;

/** Names of fields and headers that hold secrets. */
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

const secretField = new RegExp(`"(?:${secretNames.join('|')})":`);
const isSecret = new Set(secretNames);

/** Replaces the values of secret fields of a line, at every level. The search costs less than a microsecond. */
function redact(line: string): string {
  if (!secretField.test(line)) return line;
  const fields: unknown = JSON.parse(line, (name, value: unknown) =>
    isSecret.has(name) ? '[redacted]' : value,
  );
  return `${JSON.stringify(fields)}\n`;
}

/** A JSON escape, a URL with its secret parts (user, path, query), or a base64 key. */
const sensitive =
  /\\(?:u[0-9a-f]{4}|.)|(https?|wss?|postgres(?:ql)?):\/\/(?:[^\s/@"'\\]+@)?([^\s/?#"'\\]*)[^\s"'\\]*|[A-Za-z0-9+/]{43}=/g;

/**
 * Cuts keys out of a line, and URLs to scheme and host: error texts repeat their input. Escapes are matched only to be
 * kept whole, so that the line stays JSON.
 */
function scrub(line: string): string {
  // Most lines have neither a URL nor a key, and the search for them is slow.
  if (!line.includes('://') && !line.includes('=')) return line;
  return line.replace(sensitive, (match, scheme: string | undefined, host: string | undefined) => {
    if (match.startsWith('\\')) return match;
    return scheme === undefined ? '[key]' : `${scheme}://${host}`;
  });
}

/**
 * Returns the text of an error. An error of drizzle repeats the parameters of its query, which clients sent: only the
 * query is kept.
 */
function describeError(error: Error): { message: string; stack: string } {
  const { message, stack = '' } = error;
  if (!('query' in error && 'params' in error)) return { message, stack };
  const frames = stack.indexOf('\n    at ', stack.indexOf(message) + message.length);
  const query = `Failed query: ${error.query}`;
  return { message: query, stack: frames < 0 ? query : query + stack.slice(frames) };
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    type: error.name,
    ...describeError(error),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}

type Destination = { write(line: string): void };

/**
 * Writes the lines of a tenth of a second together: each write wakes the reader, which took a tenth of the time of a small run. A
 * process that exits, also by an exception, writes its last lines. A killed process can lose the lines of that time.
 */
function openStandardOutput(): Destination & { written: () => Promise<void> } {
  const output = pino.destination(1);
  let lines = '';
  let isWriting = false;
  output.on('drain', () => {
    isWriting = false;
  });
  const flush = () => {
    if (lines === '') return;
    isWriting = true;
    output.write(lines);
    lines = '';
  };
  // Before the destination, which closes itself then.
  process.prependOnceListener('exit', flush);
  return {
    write(line) {
      if (lines === '') setTimeout(flush, LINES_WITHIN_MS);
      lines += line;
    },
    async written() {
      flush();
      if (isWriting) await Promise.race([once(output, 'drain'), delay(WRITTEN_WITHIN_MS)]);
    },
  };
}

let shared: ReturnType<typeof openStandardOutput> | undefined;

/** The standard output that all loggers of the process share. */
function sharedOutput(): Destination {
  shared ??= openStandardOutput();
  return shared;
}

/**
 * Resolves when every line so far is written, or after a second. Another thread writes them: a process that exits earlier can write its
 * last lines before the ones in that thread.
 */
export async function linesWritten(): Promise<void> {
  await shared?.written();
}

/**
 * Creates a logger that writes JSON lines to standard output (or `destination`), with secrets redacted and errors
 * reduced to type, message, stack and cause, and `trace_id` while traces are on.
 */
export function createLogger({
  name,
  level = 'info',
  destination,
}: {
  name: string;
  level?: string;
  destination?: Destination;
}): Logger {
  return pino(
    {
      name,
      level,
      hooks: { streamWrite: (line) => scrub(redact(line)) },
      serializers: { err: serializeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(isTracing() && { mixin: traceFields }),
    },
    destination ?? sharedOutput(),
  );
}
