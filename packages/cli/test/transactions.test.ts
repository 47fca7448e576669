/** Transactions of wallets, on the shared stack. */
import { createClient } from '@latchkey/sdk';
import { stack, testClient } from '@latchkey/testing/stack';
import { type Address, parseEther } from 'viem';
import { expect, test } from 'vitest';
import { openAccount } from '../src/actions/open-account.ts';
import { inHome, newHome } from './latchkey.ts';

test('a transaction is shown, and is not cancelled once it is mined', { timeout: 300_000 }, async () => {
  const { usageKey, pkpId } = await openAccount(stack.url);
  await testClient.setBalance({ address: pkpId as Address, value: parseEther('1') });
  const client = createClient({ url: stack.url, apiKey: usageKey });
  const { response } = await client.runAction({
    code: 'const main = (transaction) => Svc.Actions.sendTransaction(transaction)',
    jsParams: { pkpId, chainId: stack.chainId, to: pkpId, value: '7' },
  });
  const { id } = response as { id: string };
  await expect.poll(async () => (await client.getTransaction({ id })).status).toBe('confirmed');
  const latchkey = inHome(await newHome());
  const env = { LATCHKEY_USAGE_KEY: usageKey };
  const shown = await latchkey(['transactions', 'show', id], { env });
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout).toMatch(/^status +confirmed$/m);
  expect(await latchkey(['transactions', 'cancel', id], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('it can no longer be cancelled'),
  });
});
