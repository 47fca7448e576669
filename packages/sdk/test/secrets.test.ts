/** The example of the page on secrets, and what the client refuses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stack } from '@latchkey/testing/stack';
import { expect, test } from 'vitest';
import * as sdk from '../src/index.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/secrets.md'), 'utf8');
const block = (kind: string): string => page.split(`\`\`\`${kind}\n`)[1]?.split('\n```')[0] ?? '';
const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (given: unknown, console: unknown) => Promise<void>;

test('the example prints what the page shows', async () => {
  const script = block('js')
    .replace("import { createClient } from '@latchkey/sdk';", 'const { createClient } = sdk;')
    .replace('http://127.0.0.1:8000', stack.url);
  const printed: unknown[] = [];
  await new AsyncFunction('sdk', 'console', script)(sdk, { log: (value: unknown) => printed.push(value) });
  expect(printed).toEqual([JSON.parse(block('json'))]);
});

const publicKey = `0x04${'11'.repeat(64)}` as const;
test.each([
  ['a name', { name: 'a-b' }, /^name: /],
  ['an empty value', { value: '' }, /^value: /],
  ['a value of more than 64 KiB', { value: 'x'.repeat(65_537) }, /^value: /],
  [
    'a compressed public key',
    { walletPublicKey: `0x02${'11'.repeat(32)}` as const },
    /uncompressed public key/,
  ],
  ['a public key that is not a point', {}, /not a point/],
])('setSecret sends nothing for %s', async (_, change, message) => {
  const client = sdk.createClient({
    url: 'http://127.0.0.1:9',
    apiKey: Buffer.alloc(32, 9).toString('base64'),
  });
  const setting = client.setSecret({ name: 'A', value: 'a value', walletPublicKey: publicKey, ...change });
  await expect(setting).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(message),
  });
});
