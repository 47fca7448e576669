/** Values of secrets in what a run returns, logs and throws. */
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../test/runtime.ts';
import { secretValues } from './testing.ts';

const run = await startRuntime({ onHostError: () => {} });

const KEY = 'sk_live_"canary"_éü';
const PEM = ['-----BEGIN-----', 'first line', 'second line', '-----END-----'].join('\n');
Object.assign(secretValues, { KEY, PEM, PIN: '12345678', SHORT: 'abcdefg', BOM: '\uFEFFvalue' });

/** Runs code that has the secrets. */
const withSecrets = (body: string, request: object = {}) =>
  run(
    `async function main() {
      const [KEY, PEM, PIN, SHORT, BOM] = await Promise.all(
        ['KEY', 'PEM', 'PIN', 'SHORT', 'BOM'].map((name) => Svc.Actions.getSecret(name)));
      ${body}
    }`,
    request,
  );

test('an action gets the exact value', async () => {
  const lengths = [KEY, PEM, '12345678', 'abcdefg', '\uFEFFvalue'].map((value) => value.length);
  const { response } = await withSecrets('return [KEY, PEM, PIN, SHORT, BOM].map((value) => value.length)');
  expect(response).toEqual(lengths);
});

describe('the value is redacted in', () => {
  test.each([
    [
      'a response',
      'return { KEY, list: ["a " + KEY + " b"], [KEY]: 1 }',
      { KEY: '[secret]', list: ['a [secret] b'], '[secret]': 1 },
    ],
    ['a response that is text', 'return "Bearer " + KEY', 'Bearer [secret]'],
    ['a response that is JSON as text', 'return JSON.stringify({ KEY })', { KEY: '[secret]' }],
    ['a number of a response', 'return { pin: Number(PIN) }', { pin: '[secret]' }],
    ['setResponse', 'Svc.Actions.setResponse({ response: { KEY } })', { KEY: '[secret]' }],
  ])('%s', async (_, body, expected) => {
    expect((await withSecrets(body)).response).toEqual(expected);
  });

  test('the name, message, stack and cause of an error', async () => {
    const { error } = await withSecrets(`
      const error = new Error('failed with ' + KEY, { cause: new Error(KEY) });
      error.name = 'Of ' + KEY;
      throw error;`);
    expect(error).toMatchObject({ name: 'Of [secret]', message: 'failed with [secret]' });
    expect(error?.stack).toContain('[cause]');
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  test('a thrown text', async () => {
    const { error } = await withSecrets('throw KEY');
    expect(error).toMatchObject({ message: '[secret]' });
  });

  test('the log, also of an object, and at its limit', async () => {
    const { logs } = await withSecrets(
      `console.log(KEY, { KEY: [KEY] }); console.error('x'.repeat(200_000) + KEY)`,
    );
    expect(logs).not.toContain('canary');
    expect(logs).toContain('[secret]');
  });

  test('the log across its parts, also while it is sent', async () => {
    const parts: string[] = [];
    const { logs } = await withSecrets(
      `for (const line of PEM.split('\\n')) {
        console.log(line);
        await new Promise((done) => setTimeout(done, 40));
      }
      console.log('after');`,
      { onLog: (text: string) => parts.push(text) },
    );
    expect(logs).toBe('[secret]\nafter\n');
    expect(parts.join('')).toBe(logs);
  });

  test('the error of work that main did not await', async () => {
    const { logs } = await withSecrets(
      'setTimeout(() => { throw new Error(KEY); }, 20); await null; return 1;',
    );
    expect(logs).toContain('error after main returned');
    expect(logs).not.toContain('canary');
  });
});

test('the beginning of a value is logged at the end of a run', async () => {
  const { logs } = await withSecrets(`console.log('-----BEGIN-----')`);
  expect(logs).toBe('-----BEGIN-----\n');
  const failed = await withSecrets(`console.log('-----BEGIN-----'); throw new Error('a')`);
  expect(failed.logs).toBe('-----BEGIN-----\n');
});

test('a value of fewer than eight characters is not redacted', async () => {
  expect((await withSecrets('return SHORT')).response).toBe('abcdefg');
});
