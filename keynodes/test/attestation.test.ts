import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  reportData,
  signRunnerAttestation,
  signStatement,
} from '@latchkey/key-protocol';
import { connectGuestAgent } from '@latchkey/service/guest-agent';
import {
  type AgentOptions,
  COMPOSE_HASH,
  KEY_PROVIDER,
  OS_IMAGE_HASH,
  startAgent,
  startVerifier,
} from '@latchkey/testing/tee-stand-ins';
import { decodeGroupParameters } from '@latchkey/threshold';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { openContext } from '../src/context.ts';
import {
  nodeSettings,
  outputOf,
  runnerFor,
  sharesOf,
  startConfigurationOnly,
  startDeployed,
  startNode,
  type TestNode,
} from './key-nodes.ts';

const resources = new AsyncDisposableStack();
const deployed = resources.use(await startConfigurationOnly());
const verifierUrl = resources.use(await startVerifier()).url;
afterAll(() => resources.disposeAsync());

const settingsIn = (socket: string) => ({
  KEYNODE_PASSPHRASE: '',
  DSTACK_SOCKET: socket,
  ATTESTATION_VERIFIER_URL: verifierUrl,
  ATTESTED_OS_IMAGE_HASHES: OS_IMAGE_HASH,
  ATTESTED_KEY_PROVIDERS: KEY_PROVIDER,
  PEER_COMPOSE_HASHES: COMPOSE_HASH,
});

/** Starts a node in an enclave that takes part with attested nodes only. */
async function startInEnclave(options?: AgentOptions): Promise<TestNode> {
  const { socket } = resources.use(await startAgent(options));
  return resources.use(await startNode(deployed, settingsIn(socket)));
}

/** Passes requests on to a node, with the path and query that `change` returns. */
async function proxyOf({ url }: TestNode, change: (path: string) => string): Promise<{ url: string }> {
  const server: Server = createServer(async (request, response) => {
    const body = await new Response(request as never).text();
    const { method = 'GET' } = request;
    const reply = await fetch(url + change(request.url ?? ''), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' && { body }),
    });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('attested nodes deal; a node outside an enclave, with other code, or with a quote for an earlier dealing gets no share', async () => {
  const run = runnerFor(deployed);
  const nodes = [await startInEnclave(), await startInEnclave()];
  const outside = resources.use(await startNode(deployed));
  const other = await startInEnclave({ composeHash: 'ee'.repeat(32) });
  const third = await startInEnclave();
  const generate = (all: { url: string }[]) =>
    run({ kind: 'generation', nodes: all, threshold: 2, replace: true });
  await expect(generate([...nodes, outside])).rejects.toThrow(
    `the node ${outside.context.identity.publicKey} has no quote for this dealing that this node has verified`,
  );
  await expect(generate([...nodes, other])).rejects.toThrow('is of another code');
  const replaying = await proxyOf(third, (path) => path.replace(/nonce=.*/, `nonce=${'00'.repeat(32)}`));
  await expect(generate([...nodes, replaying])).rejects.toThrow('is for another identity, purpose or nonce');
  expect(await deployed.configuration().read('key-nodes')).toBe('');

  await generate([...nodes, third]);
  const shares = sharesOf([...nodes, third]);
  const input = Uint8Array.of(1);
  expect(outputOf(shares.slice(1), input)).toBe(outputOf(shares.slice(0, 2), input));
});

test('returns a quote for the nonce of the request only', async () => {
  const { url } = await startInEnclave();
  const status = async (query: string) => (await fetch(`${url}/attestation${query}`)).status;
  expect(await status(`?nonce=${'01'.repeat(32)}`)).toBe(200);
  expect(await status('')).toBe(422);
  for (const nonce of ['', '01'.repeat(33), '0G'.repeat(32)])
    expect(await status(`?nonce=${nonce}`)).toBe(400);
});

test('does not start in an enclave with the file of a node outside, which a new identity replaces', async () => {
  const outside = resources.use(await startNode(deployed));
  const { socket } = resources.use(await startAgent());
  const directory = await mkdtemp(join(tmpdir(), 'keynode-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'node.json');
  await copyFile(outside.file, file);
  const settings = { ...nodeSettings(deployed, directory), ...settingsIn(socket) };
  const message = /empty KEYNODE_DATA_DIR, then "npm run keys -- reshare"/;
  const start = (more: object = {}) => openContext(loadConfig({ ...settings, ...more }));
  await expect(start()).rejects.toThrow(message);
  await expect(async () => start({ KEYNODE_PREVIOUS_PASSPHRASE: '11'.repeat(32) })).rejects.toThrow(message);
  await rm(file);
  const { context, resources: opened } = await start();
  expect(context.identity.publicKey).not.toBe(outside.context.identity.publicKey);
  await opened[Symbol.asyncDispose]();
});

test('gives its part of a key to a runner whose quote it has verified, and 503 to one without', async () => {
  const chain = resources.use(await startDeployed());
  const relayer = createIdentity('0c'.repeat(32));
  const runner = createIdentity('0d'.repeat(32));
  const { socket } = resources.use(await startAgent());
  const settings = { REQUIRE_ATTESTED_RUNNERS: 'true', RUNNER_COMPOSE_HASHES: COMPOSE_HASH, RUNNER_KEYS: '' };
  const start = async () => resources.use(await startNode(chain, { ...settingsIn(socket), ...settings }));
  const nodes = [await start(), await start()] as const;
  const [node] = nodes;
  await runnerFor(chain)({ kind: 'generation', nodes: [...nodes], threshold: 2 });
  await expect.poll(async () => (await fetch(`${node.url}/health`)).status).toBe(200);

  const group = decodeGroupParameters(await chain.configuration().read('key-nodes')).groupPublicKey;
  const { publicKey: recipient } = await createRecipient();
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(node.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const ask = () => {
    const purpose = { kind: 'mint-wallet', path: '0x1f' } as const;
    const statement = createStatement({ group, purpose, withProof: true, recipient }, Date.now());
    return post('/v1/release', cosign(signStatement(statement, runner), 0, relayer));
  };
  expect(await ask()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });

  const path = '/v1/runner_attestation';
  const asked = await fetch(`${node.url}${path}?runner=${runner.publicKey}`);
  const { nonce, is_due } = (await asked.json()) as { nonce: string; is_due: boolean };
  expect(is_due).toBe(true);
  const subject = { purpose: 'runner', identity: runner.publicKey, nonce } as const;
  const evidence = await connectGuestAgent(socket).quote(reportData(subject));
  const attestation = signRunnerAttestation({ runner: runner.publicKey, nonce, evidence }, relayer);
  const unknown = { status: 403, body: { message: 'No relayer of this node has signed the quote.' } };
  expect(await post(path, { ...attestation, runner: relayer.publicKey })).toMatchObject(unknown);
  const swapped = signRunnerAttestation({ runner: relayer.publicKey, nonce, evidence }, relayer);
  expect(await post(path, swapped)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('is for another identity, purpose or nonce') },
  });
  expect(await ask()).toMatchObject({ status: 503 });
  expect(await post(path, attestation)).toEqual({ status: 200, body: { success: true } });
  expect(await ask()).toMatchObject({ status: 200, body: { identifier: 1, partial: expect.any(String) } });
});
