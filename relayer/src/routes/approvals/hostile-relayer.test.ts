/** A relayer under the control of an attacker: it can forge no approval, and repeat a run only as it was approved. */
import { randomUUID } from 'node:crypto';
import { apiKeyHash, approvalDigest, cidOf } from '@latchkey/protocol';
import { newPasskey } from '@latchkey/testing/passkey';
import { addUsageKey, newAccount, read } from '@latchkey/testing/stack';
import type { Hex } from 'viem';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Approval,
  askingCode,
  deployment,
  hashOf,
  newApprovers,
  sign,
  statementOf,
} from '../../../test/approvals.ts';
import { connectHostile, type Hostile } from '../../../test/hostile-relayer.ts';

const [alice, bob, mallory] = newApprovers(3) as [
  ReturnType<typeof newApprovers>[0],
  ReturnType<typeof newApprovers>[0],
  ReturnType<typeof newApprovers>[0],
];
const rule = { approvers: [alice.address, bob.address], threshold: 2 };
const expires = Math.floor(Date.now() / 1_000) + 3_000;

let code: string;
let cid: string;
let account: bigint;
let usageKeyHash: Hex;
let parameters: string;
beforeAll(async () => {
  const made = await newAccount();
  account = made.hash;
  usageKeyHash = `0x${apiKeyHash(await addUsageKey(made.key, { execute_in_groups: [0] })).toString(16)}`;
  code = askingCode(rule);
  cid = await cidOf(code);
  parameters = await read('nodeConfigurationValue', ['key-nodes']);
});

type Proof = { id: string; expires: number; signatures: { approver: Hex; signature: Hex }[] };
type Result = {
  hasError: boolean;
  error?: { name: string };
  approval?: object;
  response: { id: string } | null;
};

/** Runs the action at the runner with proofs of the relayer's choice. */
async function run(
  hostile: Hostile,
  proofs: Proof[],
  id = 1,
  fields: object = {},
  body = code,
): Promise<Result> {
  hostile.send({ type: 'take', id, account: `0x${account.toString(16)}` });
  await hostile.next('taken', id);
  const approved = { account: `0x${account.toString(16)}`, ...deployment, proofs };
  const message = {
    type: 'run',
    id,
    cid,
    params: '{"to":"alice"}',
    timeoutMs: 30_000,
    usageKeyHash,
    streamsLogs: false,
    hasPasskeys: true,
    approved,
    ...fields,
  };
  hostile.send(message, body);
  return (await hostile.next('result', id)).result as Result;
}

const approvalOf = (id: string, of: string): Approval =>
  ({
    id,
    summary: 'Pay alice',
    hash: hashOf('alice'),
    cid: of,
    account: `0x${account.toString(16)}`,
    usage_key_hash: usageKeyHash,
    expires,
  }) as Approval;

async function proofBy(
  signers: (typeof alice)[],
  over: object = {},
  id: string = randomUUID(),
): Promise<Proof> {
  const approval = approvalOf(id, cid);
  const signatures = signers.map(async (signer) => ({
    approver: signer.address,
    signature: await sign(signer, approval, over),
  }));
  return { id, expires, signatures: await Promise.all(signatures) };
}
async function connect(): Promise<Hostile> {
  const hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  return hostile;
}

test('goes on with the signatures of the approvers that the code names', async () => {
  const proof = await proofBy([alice, bob]);
  expect(await run(await connect(), [proof])).toMatchObject({ hasError: false, response: { id: proof.id } });
});

describe('a forged proof', () => {
  const forged: [string, () => Promise<Proof>][] = [
    ['of its own wallet', () => proofBy([mallory, mallory])],
    [
      'of its own wallet under the names of approvers',
      async () => {
        const { signatures, ...proof } = await proofBy([mallory, mallory]);
        const names = rule.approvers.map((approver, i) => ({
          approver,
          signature: signatures[i]?.signature as Hex,
        }));
        return { ...proof, signatures: names };
      },
    ],
    ['of one approver, twice', () => proofBy([alice, alice])],
    ['for another amount', () => proofBy([alice, bob], { summary: 'Pay 1' })],
    ['for another account', () => proofBy([alice, bob], { account: 5n })],
    [
      'for another action',
      () => proofBy([alice, bob], { cid: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn' }),
    ],
    ['for another approval', () => proofBy([alice, bob], { id: randomUUID() })],
    ['without signatures', async () => ({ id: randomUUID(), expires, signatures: [] })],
  ];
  test.each(forged)('%s ends the run', async (_, of) => {
    const result = await run(await connect(), [await of()]);
    expect(result).toMatchObject({
      hasError: true,
      error: { name: 'ApprovalRequiredError' },
      response: null,
    });
    expect(result.approval).toMatchObject({ summary: 'Pay alice', approvers: rule.approvers });
  });

  test('for another usage key ends the run', async () => {
    const proof = await proofBy([alice, bob]);
    const result = await run(await connect(), [proof], 1, { usageKeyHash: '0x5' });
    expect(result).toMatchObject({ error: { name: 'ApprovalRequiredError' } });
  });
});

describe('a proof by passkeys', () => {
  const [dora, mallorys] = [newPasskey('example.com'), newPasskey('example.com')];
  const byPasskey = { passkeyApprovers: [dora.publicKey], passkeyRpId: 'example.com', threshold: 1 };
  const withPasskey = askingCode(byPasskey);
  type Changes = Parameters<typeof dora.sign>[1];
  const runWith = async (passkey: typeof dora, changes: Changes = {}, claimed = dora.publicKey) => {
    const [id, of] = [randomUUID(), await cidOf(withPasskey)];
    const digest = approvalDigest('ApproveRun', statementOf(approvalOf(id, of)), deployment);
    const signatures = [{ approver: claimed, signature: passkey.sign(digest, changes) }];
    const hostile = await connect();
    return run(hostile, [{ id, expires, signatures }], 1, { cid: of }, withPasskey);
  };

  test('goes on with the assertion of the passkey that the code names', async () => {
    expect(await runWith(dora)).toMatchObject({ hasError: false });
  });

  test.each<[string, () => Promise<Result>]>([
    ['by a passkey of the relayer', () => runWith(mallorys, {}, mallorys.publicKey)],
    ['by its own passkey under the name of the approver', () => runWith(mallorys)],
    ['that it says was made without the user', () => runWith(dora, { flags: 0 })],
    ['of a page of its own', () => runWith(dora, { origin: 'https://example.org' })],
    ['of a registration', () => runWith(dora, { client: { type: 'webauthn.create' } })],
  ])('%s ends the run', async (_, forge) => {
    expect(await forge()).toMatchObject({ hasError: true, error: { name: 'ApprovalRequiredError' } });
  });
});

test('can repeat what was approved, unchanged, until it expires: only the database of an honest relayer knows that it was used', async () => {
  const proof = await proofBy([alice, bob]);
  const hostile = await connect();
  for (const id of [1, 2]) expect(await run(hostile, [proof], id)).toMatchObject({ hasError: false });
  expect(await run(hostile, [proof], 3, { params: '{"to":"mallory"}' })).toMatchObject({
    error: { name: 'ApprovalRequiredError' },
  });
});
