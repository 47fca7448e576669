/** A relayer under the control of an attacker: it can forge no approval, and repeat a run only as it was approved. */
import { randomUUID } from 'node:crypto';
import { apiKeyHash, cidOf } from '@latchkey/protocol';
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
async function run(hostile: Hostile, proofs: Proof[], id = 1, fields: object = {}): Promise<Result> {
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
    approved,
    ...fields,
  };
  hostile.send(message, code);
  return (await hostile.next('result', id)).result as Result;
}

async function proofBy(
  signers: (typeof alice)[],
  over: object = {},
  id: string = randomUUID(),
): Promise<Proof> {
  const approval = {
    id,
    summary: 'Pay alice',
    hash: hashOf('alice'),
    cid,
    account: `0x${account.toString(16)}`,
    usage_key_hash: usageKeyHash,
    expires,
  } as Approval;
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

test('can repeat what was approved, unchanged, until it expires: only the database of an honest relayer knows that it was used', async () => {
  const proof = await proofBy([alice, bob]);
  const hostile = await connect();
  for (const id of [1, 2]) expect(await run(hostile, [proof], id)).toMatchObject({ hasError: false });
  expect(await run(hostile, [proof], 3, { params: '{"to":"mallory"}' })).toMatchObject({
    error: { name: 'ApprovalRequiredError' },
  });
});
