/** A runner verifies the approvals that a relayer gives it, which it does not trust. */
import { type ApprovalStatement, approvalDigest, buildApproval } from '@latchkey/protocol';
import {
  type ApprovalProof,
  type ApprovalRequest,
  approvalProof,
  hasPasskeys,
} from '@latchkey/runner-protocol';
import { newPasskey } from '@latchkey/testing/passkey';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createFindApproval, readApprovalRequest } from './approvals.ts';

type Signer = PrivateKeyAccount;
const newSigner = (): Signer => privateKeyToAccount(generatePrivateKey());
const [alice, bob, carol, mallory] = [newSigner(), newSigner(), newSigner(), newSigner()];
const now = Math.floor(Date.now() / 1_000);
const run = { cid: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', account: 7n, usageKeyHash: 8n };
const deployment = { chainId: 1, contractAddress: mallory.address };
const id = '0198f1f0-5b1c-4c58-9d1c-2f6e6d1f4c11';
const request: ApprovalRequest = {
  summary: 'Pay alice',
  hash: `0x${'12'.repeat(32)}`,
  approvers: [alice.address, bob.address, carol.address],
  contractApprovers: [],
  passkeyApprovers: [],
  threshold: 2,
  expires: now + 100,
};
const signed: ApprovalStatement = {
  ...run,
  id,
  summary: request.summary,
  hash: request.hash,
  expires: now + 100,
};

async function proofBy(
  signers: Signer[],
  {
    decision = 'ApproveRun' as const,
    over = {},
    of = deployment,
  }: {
    decision?: 'ApproveRun' | 'RefuseRun';
    over?: Partial<ApprovalStatement>;
    of?: typeof deployment;
  } = {},
): Promise<ApprovalProof> {
  const statement = { ...signed, ...over };
  const signatures = signers.map(async (signer) => ({
    approver: signer.address,
    signature: (await signer.signTypedData(buildApproval(decision, statement, of))) as Hex,
  }));
  return { id: statement.id, expires: statement.expires, signatures: await Promise.all(signatures) };
}

const find = (
  proofs: ApprovalProof[],
  asked: Partial<ApprovalRequest> = {},
  given: Partial<typeof run> = {},
) => {
  const { cid, account, usageKeyHash } = { ...run, ...given };
  const approved = { account: `0x${account.toString(16)}`, ...deployment, proofs };
  const message = { approved, cid, usageKeyHash: `0x${usageKeyHash.toString(16)}`, hasPasskeys: true };
  return createFindApproval(message)({ ...request, ...asked });
};

describe('a proof', () => {
  test('holds with the signatures of enough approvers', async () => {
    const proof = await proofBy([alice, carol]);
    expect(find([proof])).toBe(proof);
    expect(find([await proofBy([alice]), proof])).toBe(proof);
  });

  test('does not hold with too few, a stranger, or one approver twice', async () => {
    for (const signers of [[alice], [alice, mallory], [alice, bob, mallory], [alice, alice]])
      expect(find([await proofBy(signers)])).toBeUndefined();
    const message = { approved: undefined, cid: run.cid, usageKeyHash: '0x8', hasPasskeys: true };
    expect(createFindApproval(message)(request)).toBeUndefined();
  });

  test('does not hold with the signature of one approver under the name of another', async () => {
    const { signatures, ...proof } = await proofBy([alice, alice]);
    const [first, second] = signatures as [ApprovalProof['signatures'][0], ApprovalProof['signatures'][0]];
    expect(find([{ ...proof, signatures: [first, { ...second, approver: bob.address }] }])).toBeUndefined();
  });

  test.each<[string, Partial<ApprovalRequest>, Partial<typeof run>]>([
    ['another summary', { summary: 'Pay mallory' }, {}],
    ['another hash', { hash: `0x${'13'.repeat(32)}` }, {}],
    ['other approvers', { approvers: [mallory.address, alice.address] }, {}],
    ['more approvers', { threshold: 3 }, {}],
    ['an earlier end', { expires: now + 99 }, {}],
    ['another action', {}, { cid: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn' }],
    ['another account', {}, { account: 9n }],
    ['another usage key', {}, { usageKeyHash: 9n }],
  ])('does not hold for %s', async (_, asked, given) => {
    expect(find([await proofBy([alice, bob])], asked, given)).toBeUndefined();
  });

  test('does not hold for another id or end than was signed, another chain or contract, or a refusal', async () => {
    const proof = await proofBy([alice, bob]);
    expect(find([{ ...proof, id: id.replace('0198', '0199') }])).toBeUndefined();
    expect(find([{ ...proof, expires: now + 50 }])).toBeUndefined();
    expect(find([await proofBy([alice, bob], { of: { ...deployment, chainId: 2 } })])).toBeUndefined();
    expect(
      find([await proofBy([alice, bob], { of: { ...deployment, contractAddress: bob.address } })]),
    ).toBeUndefined();
    expect(find([await proofBy([alice, bob], { decision: 'RefuseRun' })])).toBeUndefined();
  });

  test('does not hold once it has expired', async () => {
    expect(find([await proofBy([alice, bob], { over: { expires: now - 1 } })])).toBeUndefined();
  });

  test('holds for an action that names a later end each time', async () => {
    expect(find([await proofBy([alice, bob])], { expires: now + 200 })).toBeDefined();
  });

  test('believes the relayer about contract wallets that the code names as such, and about no other approver', async () => {
    const { signatures, ...proof } = await proofBy([alice]);
    const ofContract = { ...proof, signatures: [...signatures, { approver: bob.address, signature: '0x' }] };
    expect(find([ofContract])).toBeUndefined();
    expect(find([ofContract], { approvers: [alice.address], contractApprovers: [bob.address] })).toBe(
      ofContract,
    );
  });
});

describe('a proof by passkeys', () => {
  const [dora, erin, eve] = [newPasskey('example.com'), newPasskey('example.com'), newPasskey('example.com')];
  const byPasskeys: Partial<ApprovalRequest> = {
    approvers: [alice.address],
    passkeyApprovers: [dora.publicKey, erin.publicKey],
    passkeyRpId: 'example.com',
  };
  type Passkey = typeof dora;
  const digest = (
    over: Partial<ApprovalStatement> = {},
    decision: 'ApproveRun' | 'RefuseRun' = 'ApproveRun',
  ) => approvalDigest(decision, { ...signed, ...over }, deployment);
  const proofOf = (...signatures: ApprovalProof['signatures']): ApprovalProof => ({
    id,
    expires: signed.expires,
    signatures,
  });
  const by = (
    passkey: Passkey,
    changes?: Parameters<Passkey['sign']>[1],
    over?: Partial<ApprovalStatement>,
  ): ApprovalProof['signatures'][number] => ({
    approver: passkey.publicKey,
    signature: passkey.sign(digest(over), changes),
  });

  test('holds with enough of them, also with wallets', async () => {
    const passkeys = proofOf(by(dora), by(erin));
    expect(find([passkeys], byPasskeys)).toBe(passkeys);
    expect(hasPasskeys([passkeys])).toBe(true);
    const { signatures } = await proofBy([alice]);
    const both = proofOf(by(dora), ...signatures);
    expect(find([both], byPasskeys)).toBe(both);
    expect(hasPasskeys([proofOf(...signatures)])).toBe(false);
  });

  test('travels as it is between relayer and runner', () => {
    const proof = proofOf(by(dora), by(erin));
    expect(approvalProof.parse(JSON.parse(JSON.stringify(proof)))).toEqual(proof);
  });

  test.each<[string, () => ApprovalProof]>([
    ['one of them', () => proofOf(by(dora))],
    ['one of them twice', () => proofOf(by(dora), by(dora))],
    ['a stranger', () => proofOf(by(dora), by(erin), by(eve))],
    [
      'a stranger under the name of an approver',
      () => proofOf(by(dora), { ...by(eve), approver: erin.publicKey }),
    ],
    [
      'another approver under the name of one',
      () => proofOf(by(dora), { ...by(dora), approver: erin.publicKey }),
    ],
    ['a key of an attacker in the signature', () => proofOf(by(dora), by(erin, { signer: eve.privateKey }))],
    ['an unverified user', () => proofOf(by(dora), by(erin, { flags: 0x01 }))],
    ['an absent user', () => proofOf(by(dora), by(erin, { flags: 0x04 }))],
    [
      'another domain',
      () => proofOf(by(dora), by(erin, { rpId: 'example.org', origin: 'https://example.org' })),
    ],
    ['a page of another domain', () => proofOf(by(dora), by(erin, { origin: 'https://example.org' }))],
    ['a registration', () => proofOf(by(dora), by(erin, { client: { type: 'webauthn.create' } }))],
    ['another summary', () => proofOf(by(dora), by(erin, {}, { summary: 'Pay mallory' }))],
    ['an earlier approval', () => proofOf(by(dora), by(erin, {}, { id: id.replace('0198', '0199') }))],
    ['no assertion', () => proofOf(by(dora), { approver: erin.publicKey, signature: '0x' })],
  ])('does not hold with %s', (_, make) => {
    expect(find([make()], byPasskeys)).toBeUndefined();
  });

  test('does not hold for a refusal', () => {
    const refusal = { approver: erin.publicKey, signature: erin.sign(digest({}, 'RefuseRun')) };
    expect(find([proofOf(by(dora), refusal)], byPasskeys)).toBeUndefined();
  });

  test('does not hold for an action that names another domain, or other approvers', () => {
    const proof = proofOf(by(dora), by(erin));
    expect(find([proof], { ...byPasskeys, passkeyRpId: 'example.org' })).toBeUndefined();
    expect(
      find([proof], { ...byPasskeys, passkeyApprovers: [dora.publicKey, eve.publicKey] }),
    ).toBeUndefined();
    expect(find([proof])).toBeUndefined();
  });

  test('is asked for only from a relayer that knows passkeys', () => {
    const message = { approved: undefined, cid: run.cid, usageKeyHash: '0x8' };
    expect(() => createFindApproval(message)({ ...request, ...byPasskeys })).toThrow('later version');
    expect(createFindApproval(message)(request)).toBeUndefined();
  });
});

test('the argument of requireApproval is checked', () => {
  expect(
    readApprovalRequest({ ...request, approvers: [alice.address.toLowerCase()], threshold: 1 }),
  ).toMatchObject({
    approvers: [alice.address],
    contractApprovers: [],
  });
  expect(() => readApprovalRequest({ ...request, expires: now })).toThrow('in the past');
});
