/** Approvals by passkeys: asked for by an action, signed by assertions of WebAuthn, and verified by relayer and runner. */
import { randomUUID } from 'node:crypto';
import { type ApprovalDecision, approvalDigest } from '@latchkey/protocol';
import { newPasskey, type TestPasskey } from '@latchkey/testing/passkey';
import { addUsageKey, expectError, newAccount } from '@latchkey/testing/stack';
import type { Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Approval,
  approve,
  ask,
  askingCode,
  deployment,
  expectTypeError,
  goOn,
  newApprovers,
  readApproval,
  send,
  statementOf,
} from '../../../test/approvals.ts';

const RP_ID = 'example.com';
const [dora, erin] = [newPasskey(RP_ID), newPasskey(RP_ID)];
const [alice] = newApprovers(1) as [ReturnType<typeof newApprovers>[0]];
const rule = {
  approvers: [alice.address],
  passkeyApprovers: [dora.publicKey, erin.publicKey],
  passkeyRpId: RP_ID,
  threshold: 2,
};
type Changes = Parameters<TestPasskey['sign']>[1];

let usageKey: string;
beforeAll(async () => {
  const { key } = await newAccount();
  usageKey = await addUsageKey(key, { execute_in_groups: [0] });
});

const digestOf = (approval: Approval, decision: ApprovalDecision = 'ApproveRun'): Hex =>
  approvalDigest(decision, statementOf(approval), deployment);
const approveBy = (passkey: TestPasskey, approval: Approval, changes?: Changes) =>
  send('approve', approval.id, passkey.publicKey, passkey.sign(digestOf(approval), changes));

test('a run goes on with the assertions of two passkeys', async () => {
  const approval = await ask(usageKey, askingCode(rule));
  expect(approval).toMatchObject({
    passkey_approvers: rule.passkeyApprovers,
    passkey_rp_id: RP_ID,
    signed_by: [],
  });
  expect(await approveBy(dora, approval)).toMatchObject({ status: 200, body: { state: 'waiting' } });
  expect(await approveBy(dora, approval)).toMatchObject({ status: 200, body: { state: 'waiting' } });
  expectError(await goOn(usageKey, approval.id), 409, /waiting/);
  expect(await approveBy(erin, approval)).toMatchObject({
    status: 200,
    body: { state: 'approved', signed_by: expect.arrayContaining([dora.publicKey, erin.publicKey]) },
  });
  expect((await goOn(usageKey, approval.id)).body).toMatchObject({
    has_error: false,
    response: { id: approval.id, signers: expect.arrayContaining([dora.publicKey, erin.publicKey]) },
  });
});

test('passkeys and wallets count together', async () => {
  const approval = await ask(usageKey, askingCode(rule));
  await approve(approval, alice);
  await approveBy(erin, approval);
  expect((await goOn(usageKey, approval.id)).body).toMatchObject({ has_error: false });
});

test('a public key in capitals is the same passkey', async () => {
  const approval = await ask(usageKey, askingCode({ ...rule, threshold: 1 }));
  const approver = `0x${dora.publicKey.slice(2).toUpperCase()}` as Hex;
  expect(await send('approve', approval.id, approver, dora.sign(digestOf(approval)))).toMatchObject({
    status: 200,
    body: { signed_by: [dora.publicKey] },
  });
});

test('a passkey refuses for all', async () => {
  const approval = await ask(usageKey, askingCode(rule));
  expectError(await send('refuse_approval', approval.id, dora.publicKey, dora.sign(digestOf(approval))), 400);
  const refusal = dora.sign(digestOf(approval, 'RefuseRun'));
  expectError(await send('approve', approval.id, dora.publicKey, refusal), 400, /challenge/);
  expect(await send('refuse_approval', approval.id, dora.publicKey, refusal)).toMatchObject({
    status: 200,
    body: { state: 'refused', refused_by: dora.publicKey },
  });
});

describe('an assertion', () => {
  let approval: Approval;
  beforeAll(async () => {
    approval = await ask(usageKey, askingCode(rule));
  });

  const wrong: [string, Changes, RegExp][] = [
    ['of an unverified user', { flags: 0x01 }, /did not verify the user/],
    ['of an absent user', { flags: 0x04 }, /not present/],
    ['for another domain', { rpId: 'example.org' }, /not of example.com/],
    ['of a page of another domain', { origin: 'https://example.org' }, /origin/],
    ['of a frame', { client: { crossOrigin: true } }, /frame/],
    ['that registers a passkey', { client: { type: 'webauthn.create' } }, /webauthn.get/],
    ['of another key', { signer: newPasskey().privateKey }, /not that of the passkey/],
    ['with a name twice', { text: (text) => text.replace('{', '{"type":"x",') }, /duplicate/],
  ];
  test.each(wrong)('400 %s, and nothing changes', async (_, changes, reason) => {
    expectError(await approveBy(dora, approval, changes), 400, reason);
    expect(await readApproval(approval.id)).toEqual(approval);
  });

  test('400 of an earlier approval of the same action', async () => {
    const again = { ...approval, id: randomUUID() };
    const replayed = dora.sign(digestOf(again));
    expectError(await send('approve', approval.id, dora.publicKey, replayed), 400, /challenge/);
  });

  test('400 of one approver under the name of another', async () => {
    const signature = dora.sign(digestOf(approval));
    expectError(
      await send('approve', approval.id, erin.publicKey, signature),
      400,
      /not that of the passkey/,
    );
    expectError(await send('approve', approval.id, alice.address, signature), 400);
  });

  test('403 of a passkey that is not an approver', async () => {
    expectError(await approveBy(newPasskey(RP_ID), approval), 403);
  });

  test('400 for what is neither an address nor a public key', async () => {
    for (const approver of [
      '0x12',
      `0x04${'1'.repeat(128)}`,
      `0x02${'f'.repeat(64)}`,
      dora.publicKey.slice(2),
    ])
      expectError(await send('approve', approval.id, approver as Hex, '0x11'), 400);
  });
});

test.each([
  [{ passkeyRpId: undefined }, 'passkeyRpId is missing'],
  [{ passkeyRpId: 'https://example.com' }, 'passkeyRpId is not a domain'],
  [{ passkeyRpId: 'x'.repeat(254) }, 'passkeyRpId has more than 253 characters'],
  [{ passkeyApprovers: ['0x12'] }, 'passkeyApprovers.0 is not a P-256 public key'],
  [{ passkeyApprovers: [`0x02${'0'.repeat(63)}1`] }, 'passkeyApprovers.0 is not a P-256 public key'],
  [
    { passkeyApprovers: [dora.publicKey, `0x${dora.publicKey.slice(2).toUpperCase()}`] },
    'passkeyApprovers has a public key twice',
  ],
  [{ passkeyApprovers: Array.from({ length: 21 }, () => dora.publicKey) }, 'has too many public keys'],
  [
    { passkeyApprovers: Array.from({ length: 20 }, () => newPasskey().publicKey) },
    'approvers has more than 20, with contractApprovers and passkeyApprovers',
  ],
  [{ threshold: 4 }, 'threshold is greater than the number of approvers'],
])('an action that asks with %j gets a TypeError', async (fields, message) => {
  const code = askingCode({ ...rule, ...fields });
  await expectTypeError(usageKey, code, message);
});
