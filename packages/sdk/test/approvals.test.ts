/** Approvals by the SDK: a run waits, wallets or passkeys sign, and it goes on. */
import { newPasskey } from '@latchkey/testing/passkey';
import { createWalletClient, http, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, createClient, type PasskeyRequest, SignatureRejectedError } from '../src/index.ts';
import { newApiClient, stack } from './clients.ts';

const newWallet = () =>
  createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    chain: { ...foundry, id: stack.chainId },
    transport: http(stack.rpcUrl),
  });
const [alice, bob, stranger] = [newWallet(), newWallet(), newWallet()];
const code = `async function main({ to }) {
  await Svc.Actions.requireApproval({
    summary: 'Pay ' + to,
    hash: ethers.utils.id(to),
    approvers: ${JSON.stringify([alice.account.address, bob.account.address])},
    threshold: 2,
    expires: Math.floor(Date.now() / 1000) + 3600,
  });
  return 'paid ' + to;
}`;

let account: ApiClient;
let usageKey: string;
/** Has the id of an approval, and no key. */
const approver = createClient({ url: stack.url });
beforeAll(async () => {
  account = await newApiClient();
  const { groupId } = await account.addGroup({ name: 'open', description: '', cids: [0n] });
  ({ usageKey } = await account.addUsageApiKey({ name: 'runner', executeInGroups: [groupId] }));
});
const run = async () => {
  const ran = await account.runAction({ code, jsParams: { to: 'carol' }, usageKey });
  expect(ran).toMatchObject({ hasError: true, error: { name: 'ApprovalRequiredError' } });
  return { runId: ran.runId, approvalId: ran.approvalId as string };
};

test('a run waits until enough approvers have signed, and goes on once', async () => {
  const { runId, approvalId } = await run();
  expect(await account.getRun({ runId })).toMatchObject({ status: 'waiting_for_approval' });
  const approval = await approver.getApproval({ approvalId });
  expect(approval).toMatchObject({
    state: 'waiting',
    summary: 'Pay carol',
    threshold: 2,
    signedBy: [],
    runId,
  });
  await expect(account.continueRun({ approvalId, usageKey })).rejects.toMatchObject({ status: 409 });
  expect(await approver.approveRun({ approval, wallet: alice })).toMatchObject({ state: 'waiting' });
  expect(await approver.approveRun({ approval, wallet: bob })).toMatchObject({
    state: 'approved',
    signedBy: expect.arrayContaining([alice.account.address, bob.account.address]),
  });
  const starts: string[] = [];
  const onStart = ({ runId: id }: { runId: string }) => void starts.push(id);
  const went = await account.continueRun({ approvalId, usageKey }, { onStart });
  expect(went).toMatchObject({ response: 'paid carol', hasError: false });
  expect(starts).toEqual([went.runId]);
  expect(await approver.getApproval({ approvalId })).toMatchObject({
    state: 'used',
    continuedBy: went.runId,
  });
  await expect(account.continueRun({ approvalId, usageKey })).rejects.toMatchObject({ code: 'conflict' });
});

test('signs what was shown: an approval that was changed on its way is refused', async () => {
  const { approvalId } = await run();
  const approval = await approver.getApproval({ approvalId });
  const changed = { ...approval, summary: 'Pay nobody' };
  await expect(approver.approveRun({ approval: changed, wallet: alice })).rejects.toMatchObject({
    status: 400,
  });
  await expect(approver.approveRun({ approval, wallet: stranger })).rejects.toMatchObject({ status: 403 });
  expect(await approver.refuseRun({ approval, wallet: bob })).toMatchObject({
    state: 'refused',
    refusedBy: bob.account.address,
  });
});

test('the account lists its approvals, newest first, in pages', async () => {
  const [first, second] = [await run(), await run()];
  const page = await account.listApprovals({ pageSize: 1 });
  expect(page.items).toMatchObject([{ id: second.approvalId }]);
  expect((await account.listApprovals(page.nextPage)).items).toMatchObject([{ id: first.approvalId }]);
});

test('the account ends an approval', async () => {
  const { approvalId } = await run();
  expect(await account.cancelApproval({ approvalId })).toMatchObject({ id: approvalId, state: 'expired' });
});

describe('a passkey', () => {
  const [dora, erin] = [newPasskey('example.com'), newPasskey('example.com')];
  const byPasskey = code.replace(
    'threshold: 2,',
    `threshold: 1, passkeyApprovers: ${JSON.stringify([erin.publicKey, dora.publicKey])}, passkeyRpId: 'example.com',`,
  );
  const asked = async () => {
    const { approvalId } = await account.runAction({ code: byPasskey, jsParams: { to: 'dora' }, usageKey });
    return approver.getApproval({ approvalId: approvalId as string });
  };
  /** As `navigator.credentials.get` does. */
  const askOf =
    (passkey: typeof dora, changes?: Parameters<typeof dora.assert>[1]) =>
    async ({ challenge }: PasskeyRequest) => ({ response: passkey.assert(toHex(challenge), changes) });

  test('approves, and the SDK finds which one it was', async () => {
    const approval = await asked();
    expect(approval).toMatchObject({
      passkeyApprovers: [erin.publicKey, dora.publicKey],
      passkeyRpId: 'example.com',
    });
    const requests: PasskeyRequest[] = [];
    const passkey = (request: PasskeyRequest) => {
      requests.push(request);
      return askOf(dora)(request);
    };
    expect(await approver.approveRun({ approval, passkey })).toMatchObject({
      state: 'approved',
      signedBy: [dora.publicKey],
    });
    expect(requests).toMatchObject([{ rpId: 'example.com', userVerification: 'required' }]);
    const went = await account.continueRun({ approvalId: approval.id, usageKey });
    expect(went).toMatchObject({ response: 'paid dora', hasError: false });
  });

  test('refuses', async () => {
    const approval = await asked();
    expect(await approver.refuseRun({ approval, passkey: askOf(erin) })).toMatchObject({
      state: 'refused',
      refusedBy: erin.publicKey,
    });
  });

  test('of another person, or without verification, is refused before anything is sent', async () => {
    const approval = await asked();
    const stranger = askOf(newPasskey('example.com'));
    await expect(approver.approveRun({ approval, passkey: stranger })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(approver.approveRun({ approval, passkey: askOf(dora, { flags: 1 }) })).rejects.toThrow(
      'did not verify the user',
    );
    expect(await approver.getApproval({ approvalId: approval.id })).toEqual(approval);
  });

  test('that the user does not choose is a rejected signature; an approval without passkeys asks for none', async () => {
    const approval = await asked();
    const cancelled = () => Promise.reject(new DOMException('not allowed', 'NotAllowedError'));
    for (const passkey of [cancelled, async () => null])
      await expect(approver.approveRun({ approval, passkey })).rejects.toBeInstanceOf(SignatureRejectedError);
    const elsewhere = () => Promise.reject(new DOMException('no domain', 'SecurityError'));
    await expect(approver.approveRun({ approval, passkey: elsewhere })).rejects.toMatchObject({
      code: 'configuration',
    });
    const { approvalId } = await run();
    const byWallets = await approver.getApproval({ approvalId });
    await expect(approver.approveRun({ approval: byWallets, passkey: askOf(dora) })).rejects.toMatchObject({
      code: 'configuration',
    });
  });
});
