import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPeers } from '../src/peers.ts';
import { connectTee, reportData } from '../src/tee.ts';
import {
  type Deployed,
  outputOf,
  runnerFor,
  sharesOf,
  startConfigurationOnly,
  startNode,
  type TestNode,
} from './key-nodes.ts';
import { type AgentOptions, startAgent, startVerifier } from './tee-stand-ins.ts';

const COMPOSE_HASH = 'c0'.repeat(32);
const resources = new AsyncDisposableStack();
let deployed: Deployed;
let verifierUrl: string;
beforeAll(async () => {
  deployed = resources.use(await startConfigurationOnly());
  verifierUrl = resources.use(await startVerifier()).url;
});
afterAll(() => resources.disposeAsync());

/** Starts a node in an enclave that takes part with attested nodes only. */
async function startInEnclave(options?: AgentOptions): Promise<TestNode> {
  const { socket } = resources.use(await startAgent(options));
  const node = await startNode(deployed, {
    KEYNODE_PASSPHRASE: '',
    DSTACK_SOCKET: socket,
    ATTESTATION_VERIFIER_URL: verifierUrl,
    PEER_COMPOSE_HASHES: COMPOSE_HASH,
  });
  return resources.use(node);
}

test('attested nodes deal; a node outside an enclave, or with other code, gets no share', async () => {
  const run = runnerFor(deployed);
  const nodes = [await startInEnclave(), await startInEnclave()];
  const outside = resources.use(await startNode(deployed));
  const other = await startInEnclave({ composeHash: 'ee'.repeat(32) });
  const generate = (all: TestNode[]) => run({ kind: 'generation', nodes: all, threshold: 2, replace: true });
  await expect(generate([...nodes, outside])).rejects.toThrow(
    `the node ${outside.context.identity.publicKey} has no quote that this node has verified`,
  );
  await expect(generate([...nodes, other])).rejects.toThrow('is of other code');
  expect(await deployed.configuration().read('key-nodes')).toBe('');

  const third = await startInEnclave();
  await generate([...nodes, third]);
  const shares = sharesOf([...nodes, third]);
  const input = Uint8Array.of(1);
  expect(outputOf(shares.slice(1), input)).toBe(outputOf(shares.slice(0, 2), input));
});

const identity = 'ab'.repeat(32);
async function attest(options: AgentOptions = {}, change: (quote: string) => string = (quote) => quote) {
  await using agent = await startAgent(options);
  const evidence = await connectTee(agent.socket).quote(identity);
  const peers = createPeers({ verifierUrl, composeHashes: [COMPOSE_HASH] });
  expect(() => peers.requireAttested(identity)).toThrow('has no quote');
  await peers.attest(identity, { ...evidence, quote: change(evidence.quote) });
  expect(() => peers.requireAttested(identity)).not.toThrow();
  expect(() => peers.requireAttested('cd'.repeat(32))).toThrow('has no quote');
}

test('accepts the quote of a node with permitted code', () => attest());

const withReport = (change: (report: string) => string) => (quote: string) => {
  const { report, ...rest } = JSON.parse(Buffer.from(quote, 'hex').toString());
  return Buffer.from(JSON.stringify({ report: change(report), ...rest })).toString('hex');
};
test.each<[string, AgentOptions, ((quote: string) => string)?]>([
  ['is of other code', { composeHash: 'ee'.repeat(32) }],
  ['TCB status OutOfDate', { tcbStatus: 'OutOfDate' }],
  ['is not valid', {}, withReport((report) => report.replace(COMPOSE_HASH, COMPOSE_HASH.toUpperCase()))],
])('refuses a quote that %s', async (reason, options, change) => {
  await expect(attest(options, change)).rejects.toThrow(reason);
});

test('refuses the quote of another node', async () => {
  await using agent = await startAgent();
  const evidence = await connectTee(agent.socket).quote('cd'.repeat(32));
  expect(evidence.report_data).toBe(reportData('cd'.repeat(32)));
  const peers = createPeers({ verifierUrl, composeHashes: [COMPOSE_HASH] });
  await expect(peers.attest(identity, evidence)).rejects.toThrow('is for another identity');
});

test('answers 503 when the verifier does not', async () => {
  const peers = createPeers({ verifierUrl: 'http://127.0.0.1:9', composeHashes: [COMPOSE_HASH] });
  const evidence = { quote: '00', event_log: '', vm_config: '' };
  await expect(peers.attest(identity, evidence)).rejects.toMatchObject({ status: 503 });
});
