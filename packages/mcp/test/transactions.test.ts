/** Transactions of wallets. */
import { buildCode, parsePolicy } from '@latchkey/policy';
import { cidOf } from '@latchkey/protocol';
import { client, stack } from '@latchkey/testing/stack';
import { newWalletKey, standardCids } from '@latchkey/testing/wallet-key';
import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { connect } from './session.ts';

const DEAD = '0x000000000000000000000000000000000000dEaD';
const policy = buildCode(
  parsePolicy({
    version: 1,
    rules: [
      {
        name: 'pay',
        effect: 'allow',
        kind: 'send_transaction',
        chains: [stack.chainId],
        to: [DEAD],
        value: { max: 100 },
        fee: 'any',
      },
    ],
  }),
);
const standard = standardCids['send-transaction.js'] as string;

test('sends a transaction, and reads it until it is confirmed', async () => {
  const { walletAddress: wallet, usageKey } = await newWalletKey([standard]);
  await using session = await connect({ LATCHKEY_USAGE_KEY: usageKey });
  expect(await session.call('list_wallets')).toMatchObject({ items: [{ wallet }] });
  const input = { wallet, chainId: stack.chainId, to: DEAD, value: '7', idempotencyKey: 'once' };
  const sent = await session.call('send_transaction', input);
  expect(await session.call('send_transaction', input)).toEqual(sent);
  await client.waitForTransactionReceipt({ hash: sent.hash as Hex });
  const read = () => session.call('get_transaction', { id: sent.id });
  await expect.poll(read).toMatchObject({ status: 'confirmed', wallet, value: '7', nonce: 0 });
  expect(await session.call('list_transactions', { wallet })).toMatchObject({ items: [{ id: sent.id }] });
  expect(await session.fail('cancel_transaction', { id: sent.id })).toContain(
    'it can no longer be cancelled',
  );
  expect(await session.fail('send_transaction', { ...input, value: '8' })).toMatch(/idempotency/i);
  const rich = { wallet, chainId: stack.chainId, to: DEAD, value: '9'.repeat(30) };
  expect(await session.fail('send_transaction', rich)).toContain('that it needs');
});

test('sends within a policy, and is refused outside of it', async () => {
  const cid = await cidOf(policy);
  const { walletAddress: wallet, usageKey } = await newWalletKey([cid]);
  await using session = await connect({ LATCHKEY_USAGE_KEY: usageKey });
  const payment = { wallet, chainId: stack.chainId, to: DEAD };
  // The service keeps the code of a paid run.
  const first = {
    kind: 'send_transaction',
    pkpId: wallet,
    transaction: { chainId: stack.chainId, to: DEAD, value: '1' },
  };
  expect(await session.call('run_action', { code: policy, params: first })).toMatchObject({
    status: 'success',
  });

  const sent = await session.call('send_transaction', { ...payment, value: '100', cid });
  expect(sent).toMatchObject({ status: 'success', response: { rule: 'pay', hash: expect.any(String) } });
  const refused = await session.call('send_transaction', { ...payment, value: '101', cid });
  expect(refused).toMatchObject({ status: 'failed', error: { name: 'PolicyError' } });
  // The usage key may not send without the policy.
  expect(await session.fail('send_transaction', { ...payment, value: '1' })).toContain('not permitted');
});
