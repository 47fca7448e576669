import { spawnSync } from 'node:child_process';
import { DrizzleQueryError } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** Returns the one line that this call writes. */
function logLine(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } }));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

test.each([
  'authorization',
  'x-api-key',
  'x-wallet-auth',
  'cookie',
  'api_key',
  'usage_api_key',
  'privateKey',
  'client_secret',
  'body',
])('redacts %s at every level, also when it is bound to a logger', (name) => {
  const secret = { [name]: 'hidden' };
  const deep = { b: secret, c: [{ d: { e: { f: secret } } }] };
  const line = logLine((log) => log.child({ bound: secret }).info({ ...secret, a: deep, kept: 1 }, 'x'));
  expect(line).not.toContain('hidden');
  expect(line.match(/\[redacted\]/g)).toHaveLength(4);
  expect(JSON.parse(line)).toMatchObject({ kept: 1, msg: 'x' });
});

test('redacts a secret that is an object, a list or a number', () => {
  const line = logLine((log) => log.info({ body: { a: 'hidden' }, password: ['hidden'], secret: 4711 }));
  expect(line).not.toMatch(/hidden|4711/);
});

test('keeps a text that looks like a secret field', () => {
  const note = '{"body":"visible"}';
  expect(JSON.parse(logLine((log) => log.info({ note }))).note).toBe(note);
});

test('omits the parameters of a failed query, keeps the query and its cause', () => {
  const parameters = ['what a caller sent', '{"more":"of it"}\n    at it'];
  const error = new DrizzleQueryError(
    'insert into t values ($1, $2)',
    parameters,
    new Error('no connection'),
  );
  const line = logLine((log) => log.error({ err: new Error('not stored', { cause: error }) }, 'x'));
  for (const hidden of ['what a caller sent', 'of it']) expect(line).not.toContain(hidden);
  expect(JSON.parse(line).err.cause).toMatchObject({
    message: 'Failed query: insert into t values ($1, $2)',
    stack: expect.stringContaining('logger.test.ts'),
    cause: { message: 'no connection' },
  });
});

test('cuts keys out of texts, errors and causes', () => {
  const error = new Error(`refused ${key}`, { cause: new Error(`header "${key}"`) });
  const line = logLine((log) =>
    log.child({ note: `\n${key}` }).error({ err: error, note: key }, `text ${key}`),
  );
  expect(line).not.toContain(key.slice(0, 20));
  expect(JSON.parse(line)).toMatchObject({
    err: { message: 'refused [key]', cause: { message: 'header "[key]"' } },
  });
});

test.each([
  ['http://user:pw@host:8545/path?key=hidden', 'http://host:8545'],
  ['https://host/v2/hidden', 'https://host'],
  ['wss://host/v2?apikey=hidden', 'wss://host'],
  ['postgres://user:hidden@db/name', 'postgres://db'],
])('cuts %s to scheme and host', (url, shown) => {
  const line = logLine((log) =>
    log.error({ err: new Error(`cannot reach "${url}"`) }, `cannot reach ${url}`),
  );
  expect(line).not.toContain('hidden');
  expect(JSON.parse(line)).toMatchObject({ msg: `cannot reach ${shown}` });
});

test.each(['\n', '\0', '\\', '"', '\\u', 'é', 'x'])('cuts out a key and a URL after %j', (before) => {
  const line = logLine((log) => log.info(`${before}${key} ${before}http://user:hidden@host`));
  expect(line).not.toContain(key.slice(1));
  expect(line).not.toContain('hidden');
  expect(() => JSON.parse(line)).not.toThrow();
});

test('a line is JSON for any text', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(key, 'http://a@', '\\', '"', '\n', '?', '=', key.slice(1)),
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (message) => {
      expect(() => JSON.parse(logLine((log) => log.info({ note: message }, message)))).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

test('logs a thrown value that is not an error as text', () => {
  expect(JSON.parse(logLine((log) => log.error({ err: `no ${key}` }, 'x'))).err).toBe('no [key]');
});

test('all loggers of a process share one output', () => {
  createLogger({ name: 'first' });
  const listeners = process.listenerCount('exit');
  createLogger({ name: 'second' });
  expect(process.listenerCount('exit')).toBe(listeners);
});

test.each([
  ['ends', ''],
  ['exits', 'process.exit();'],
  ['fails', 'throw new Error();'],
  [
    'exits in a later turn',
    // The threads that write are busy.
    `for (let thread = 0; thread < 4; thread++) scrypt('', '', 32, { N: 2 ** 14 }, () => {});
    setImmediate(async () => {
      log.info({ index: 100 });
      await linesWritten();
      process.exit();
    });`,
  ],
])('a process that %s has written every line, in order', (_, end) => {
  const script = `
    import { scrypt } from 'node:crypto';
    import { createLogger, linesWritten } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)};
    const log = createLogger({ name: 'test' });
    for (let index = 0; index < 100; index++) log.info({ index });
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const indexes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).index);
  expect(indexes).toEqual([...Array(end.includes('100') ? 101 : 100).keys()]);
});
