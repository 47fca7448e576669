import { cidOf } from '@latchkey/protocol';
import { expect, test } from 'vitest';
import { knownCidOf } from './known-cids.ts';

test.each([
  ['no code', ''],
  ['short code', 'const main = () => 1'],
  ['code with characters of several bytes', 'const main = () => "ä€😀"'],
  ['code that is too long to be remembered', `//${'a'.repeat(16_000)}`],
])('%s has the CID of its bytes, also when it is known', async (_, code) => {
  const cid = await cidOf(code);
  expect(await knownCidOf(code)).toBe(cid);
  expect(await knownCidOf(code)).toBe(cid);
  expect(await knownCidOf(`${code} `)).toBe(await cidOf(`${code} `));
});
