import {
  createIdentity,
  type Evidence,
  isRunnerAttestation,
  type QuoteSubject,
  type RunnerAttestation,
  reportData,
  signRunnerAttestation,
} from '@latchkey/key-protocol';
import { connectGuestAgent } from '@latchkey/service/guest-agent';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import {
  type AgentOptions,
  COMPOSE_HASH,
  KEY_PROVIDER,
  OS_IMAGE_HASH,
  startAgent,
  startVerifier,
} from '@latchkey/testing/tee-stand-ins';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAttestedRunners } from './attested-runners.ts';
import { createQuoteVerifier } from './quotes.ts';
import { relayer } from './testing.ts';

const RUNNER_CODE = 'c1'.repeat(32);
const runner = createIdentity('0a'.repeat(32)).publicKey;
const otherRunner = createIdentity('0b'.repeat(32)).publicKey;
const verifier = disposeAfterAll(await startVerifier());

function createNode() {
  const policy = { osImageHashes: [OS_IMAGE_HASH], keyProviders: [KEY_PROVIDER] };
  return createAttestedRunners({
    verifyQuote: createQuoteVerifier({ verifierUrl: verifier.url, ...policy }),
    composeHashes: [RUNNER_CODE],
    log: pino({ level: 'silent' }),
  });
}

/** Returns the quote of an enclave for this subject, by default of permitted code. */
async function quote(subject: QuoteSubject, options: AgentOptions = {}): Promise<Evidence> {
  await using agent = await startAgent({ composeHash: RUNNER_CODE, ...options });
  return await connectGuestAgent(agent.socket).quote(reportData(subject));
}

type Change = Partial<QuoteSubject> & { options?: AgentOptions };

/** Returns what an honest relayer passes on, with changes of what the quote is for. */
async function attestationFor(
  nonce: string,
  { options, ...change }: Change = {},
): Promise<RunnerAttestation> {
  const subject: QuoteSubject = { purpose: 'runner', identity: runner, nonce, ...change };
  return signRunnerAttestation({ runner, nonce, evidence: await quote(subject, options) }, relayer);
}

function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}
const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

test('lets a runner ask for keys for ten minutes after its quote, which is due again after five', async () => {
  fakeClock();
  const node = createNode();
  expect(node.identities()).toEqual([]);
  const { nonce, isDue } = node.challenge(runner);
  expect(isDue).toBe(true);
  await node.attest(await attestationFor(nonce));
  expect(node.identities()).toEqual([runner]);
  expect(node.challenge(runner).isDue).toBe(false);
  expect(node.challenge(otherRunner).isDue).toBe(true);
  later(300_000);
  expect(node.challenge(runner).isDue).toBe(true);
  later(299_999);
  expect(node.identities()).toEqual([runner]);
  later(1);
  expect(node.identities()).toEqual([]);
});

test('takes a nonce for a minute, and gives another one before it ends', async () => {
  fakeClock();
  const node = createNode();
  const { nonce } = node.challenge(runner);
  const attestation = await attestationFor(nonce);
  later(29_999);
  expect(node.challenge(runner).nonce).toBe(nonce);
  later(1);
  const next = node.challenge(runner).nonce;
  expect(next).not.toBe(nonce);
  later(29_999);
  await node.attest(attestation);
  later(1);
  await expect(node.attest(attestation)).rejects.toThrow('not for a nonce of the last minute');
  await node.attest(await attestationFor(next));
});

test('refuses a quote for a nonce of another node, and of this node before its restart', async () => {
  const [node, other] = [createNode(), createNode()];
  node.challenge(runner);
  const { nonce } = other.challenge(runner);
  await expect(node.attest(await attestationFor(nonce))).rejects.toMatchObject({ status: 403 });
  await other.attest(await attestationFor(nonce));
  expect(node.identities()).toEqual([]);
});

test.each<[string, Change, string]>([
  ['of a node', { purpose: 'key-node' }, 'for another identity, purpose or nonce'],
  [
    'of another runner, which a relayer swaps',
    { identity: otherRunner },
    'for another identity, purpose or nonce',
  ],
  [
    'for an old nonce, which a relayer replays',
    { nonce: '01'.repeat(32) },
    'for another identity, purpose or nonce',
  ],
  ['of the code of nodes', { options: { composeHash: COMPOSE_HASH } }, 'of another code'],
  ['of a development image', { options: { isDevelopmentImage: true } }, 'of a development image'],
  ['of a foreign key provider', { options: { keyProvider: 'kms:00' } }, 'of another key provider'],
])('refuses a quote %s', async (_, change, reason) => {
  const node = createNode();
  const refused = node.attest(await attestationFor(node.challenge(runner).nonce, change));
  await expect(refused).rejects.toMatchObject({ status: 403, message: expect.stringContaining(reason) });
  expect(node.identities()).toEqual([]);
});

test('takes only what a known relayer has signed, as it is', async () => {
  const attestation = await attestationFor('01'.repeat(32));
  const { relayer: _, relayerSignature: __, ...fields } = attestation;
  const stranger = createIdentity('0c'.repeat(32));
  const isTaken = (of: RunnerAttestation) => isRunnerAttestation(of, [relayer.publicKey]);
  expect(isTaken(attestation)).toBe(true);
  for (const forged of [
    signRunnerAttestation(fields, stranger),
    { ...signRunnerAttestation(fields, stranger), relayer: relayer.publicKey },
    { ...attestation, runner: otherRunner },
    { ...attestation, nonce: '02'.repeat(32) },
    { ...attestation, evidence: { ...attestation.evidence, vm_config: '{ }' } },
  ])
    expect(isTaken(forged)).toBe(false);
});
