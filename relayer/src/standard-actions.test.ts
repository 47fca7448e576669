import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { expect, test } from 'vitest';
import { sendTransactionCode } from './standard-actions.ts';

const actions = join(import.meta.dirname, '../../actions');
const cids = JSON.parse(readFileSync(join(actions, 'cids.json'), 'utf8')) as Record<string, string>;

test.each(Object.entries(cids))('the CID of %s is %s', async (name, cid) => {
  expect(await cidOf(readFileSync(join(actions, name)))).toBe(cid);
});

test('the code of send_transaction has its committed CID', async () => {
  expect(await cidOf(sendTransactionCode)).toBe(cids['send-transaction.js']);
});
