/** Approvals: a run waits, a wallet signs, and the run goes on. */
import { createClient } from '@latchkey/sdk';
import { addGroup, addUsageKey, chain, hex, newAccount, stack } from '@latchkey/testing/stack';
import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { connect } from './session.ts';

const wallet = createWalletClient({
  account: privateKeyToAccount(generatePrivateKey()),
  chain,
  transport: http(stack.rpcUrl),
});
const code = `async function main({ to }) {
  await Svc.Actions.requireApproval({
    summary: 'Pay ' + to,
    hash: ethers.utils.id(to),
    approvers: ['${wallet.account.address}'],
    threshold: 1,
    expires: Math.floor(Date.now() / 1000) + 3600,
  });
  return 'paid ' + to;
}`;

test('a run asks for an approval and goes on once it is approved; another usage key cannot read it', async () => {
  const { key } = await newAccount();
  const group = await addGroup(key, { cid_hashes_permitted: [hex(0n)] });
  const [usageKey, otherKey] = [
    await addUsageKey(key, { execute_in_groups: [group] }),
    await addUsageKey(key, { execute_in_groups: [group] }),
  ];
  await using session = await connect({ LATCHKEY_USAGE_KEY: usageKey });
  const asked = await session.call('run_action', { code, params: { to: 'carol' } });
  expect(asked).toMatchObject({ status: 'waiting_for_approval', approvalId: expect.any(String) });
  const { approvalId } = asked as { approvalId: string };
  const waiting = {
    id: approvalId,
    state: 'waiting',
    summary: 'Pay carol',
    approvers: [wallet.account.address],
  };
  expect(await session.call('get_approval', { approvalId })).toMatchObject(waiting);
  expect(await session.call('list_approvals')).toMatchObject({ items: [waiting] });
  expect(await session.fail('continue_run', { approvalId })).toMatch(/waiting/);

  await using other = await connect({ LATCHKEY_USAGE_KEY: otherKey });
  expect(await other.fail('get_approval', { approvalId })).toContain('no run of this usage key');
  expect(await other.call('list_approvals')).toEqual({ items: [] });

  const approver = createClient({ url: stack.url });
  await approver.approveRun({ approval: await approver.getApproval({ approvalId }), wallet });
  expect(await other.fail('continue_run', { approvalId })).toContain('no such approval');
  const went = await session.call('continue_run', { approvalId });
  expect(went).toMatchObject({ status: 'success', response: 'paid carol' });
  expect(await session.call('get_approval', { approvalId })).toMatchObject({
    state: 'used',
    continuedBy: went.runId,
  });
  expect(await session.fail('continue_run', { approvalId })).toMatch(/used/);
});
