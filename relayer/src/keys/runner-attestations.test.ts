import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  createIdentity,
  isRunnerAttestation,
  type RunnerAttestation,
  reportData,
} from '@latchkey/key-protocol';
import { createLogger } from '@latchkey/service/logger';
import { startRunnerProcess } from '@latchkey/testing/services';
import { startAgent } from '@latchkey/testing/tee-stand-ins';
import { expect, onTestFinished, test } from 'vitest';
import { connectRunners } from '../runners/runners.ts';
import { createRunnerAttestations } from './runner-attestations.ts';

const GROUP = `${'00'.repeat(32)},${'00'.repeat(32)},02${'00'.repeat(32)}`;

const relayer = createIdentity('02'.repeat(32));
const log = createLogger({ name: 'test', level: 'silent' });

/** Starts a key node that has this nonce, or one that needs no quotes. */
async function startKeyNode(nonce: string | undefined) {
  const got: RunnerAttestation[] = [];
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    if (request.method === 'POST') {
      if (request.headers['content-type'] !== 'application/json') return reply(415, {});
      got.push((await json(request)) as RunnerAttestation);
      return reply(200, { success: true });
    }
    if (nonce === undefined) return reply(404, { error: 'not_found' });
    return reply(200, { nonce, is_due: got.length === 0 });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

test('gives each key node a quote of the runner for its nonce when due, also while another node does not answer', async () => {
  await using agent = await startAgent();
  await using process = await startRunnerProcess({ KEY_GROUP: GROUP, DSTACK_SOCKET: agent.socket });
  const runners = connectRunners({
    urls: [process.url],
    token: undefined,
    memoryLimitMb: 64,
    log,
    onHostError() {},
    onWrongAnswer() {},
  });
  onTestFinished(runners.close);
  await expect.poll(() => runners.attested().length, { timeout: 10_000 }).toBe(1);
  const identity = runners.attested()[0]?.identity ?? '';
  const nonces = ['0a'.repeat(32), '0b'.repeat(32)];
  const [first, second] = [await startKeyNode(nonces[0]), await startKeyNode(nonces[1])];
  const unattested = await startKeyNode(undefined);
  const urls = ['http://127.0.0.1:9', first.url, unattested.url, second.url];
  const attest = createRunnerAttestations({ urls, identity: relayer, runners, log });
  await attest();
  await attest();

  expect(unattested.got).toEqual([]);
  for (const [i, { got }] of [first, second].entries()) {
    expect(got).toMatchObject([{ runner: identity, nonce: nonces[i], relayer: relayer.publicKey }]);
    expect(got.every((each) => isRunnerAttestation(each, [relayer.publicKey]))).toBe(true);
  }
  const subject = (nonce: string) => reportData({ purpose: 'runner', identity, nonce });
  const asked = agent.calls.map(({ path, body }) => [path, body.report_data]);
  expect(asked.sort()).toEqual(nonces.map((nonce) => ['/GetQuote', subject(nonce)]).sort());
  for (const { got } of [first, second])
    expect(got[0]?.evidence.quote.slice(1136, 1200)).toBe(subject(got[0]?.nonce ?? ''));
});

test('a runner outside an enclave is asked for no quote, and has none', async () => {
  await using process = await startRunnerProcess({
    KEY_GROUP: GROUP,
    RUNNER_IDENTITY: '01'.repeat(32),
  });
  const runners = connectRunners({
    urls: [process.url],
    token: undefined,
    memoryLimitMb: 64,
    log,
    onHostError() {},
    onWrongAnswer() {},
  });
  onTestFinished(runners.close);
  await expect.poll(runners.missing, { timeout: 10_000 }).toEqual([]);
  expect(runners.attested()).toEqual([]);
});
