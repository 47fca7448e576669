import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { createIdentity, createStatement, type KeyPurpose, signStatement } from '@latchkey/key-protocol';
import { cidOf } from '@latchkey/protocol';
import {
  ActionError,
  defaultLimits,
  noUsage,
  RuntimeUnavailableError,
  readMessage,
  type ToRunner,
  toRunner,
  writeMessage,
} from '@latchkey/runner-protocol';
import { createLogger } from '@latchkey/service/logger';
import { protocols } from '@latchkey/service/versions';
import { answersTo, group, groupParameters, runnerSettings, shares } from '@latchkey/testing/key-nodes';
import { newPasskey } from '@latchkey/testing/passkey';
import { type RunnerProcess, startRunnerProcess } from '@latchkey/testing/services';
import { freePort } from '@latchkey/testing/until';
import { getAddress, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AskNodes } from '../keys/key-nodes.ts';
import { RunInterruptedError, RunnerCrashedError } from './errors.ts';
import type { RunRequest } from './remote-run.ts';
import { connectRunners, type Runners } from './runners.ts';

const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const RUN_ID = '0b6f1f1e-6d1c-4a55-9d29-1b0a3c1d2e3f';
const { latest } = protocols.runner;
let outages = 0;
const onOutage = () => {
  outages += 1;
};
const certificateOf = async (): Promise<string> => {
  throw new ActionError('ActionKeyError', 'it has not run yet');
};
const refusing: AskNodes = async () => ({ isRefused: true, message: 'the usage key may not' });
const secretOf = () => Promise.reject(new Error('no secrets'));
const keys = { nodes: refusing, runId: RUN_ID, onOutage, certificateOf, secretOf };
const forever = () => new AbortController().signal;
const log = createLogger({ name: 'test', level: 'silent' });
const hostErrors: { message: string; cid: string }[] = [];
const wrongAnswers: number[] = [];

const connectTo = (...urls: string[]): Runners =>
  connectRunners({
    urls,
    token: undefined,
    memoryLimitMb: 64,
    log,
    onHostError: (error, { cid }) => hostErrors.push({ message: (error as Error).message, cid }),
    onWrongAnswer: (node) => wrongAnswers.push(node),
  });
const runOn = async (runners: Runners, code: string, request: Partial<RunRequest> = {}) =>
  runners.run({
    account: 1n,
    code,
    cid: await cidOf(code),
    params: '{}',
    timeoutMs: 60_000,
    keys,
    takeAllowance: async () => '',
    usageKeyHash: 7n,
    signal: forever(),
    ...request,
  });
/** A stream takes a process before it begins; other runs take an idle one with the message that runs them. */
const asStream = { onLog() {} };
const SLEEP = 'const main = () => new Promise((done) => setTimeout(done, 60_000))';

let runner: RunnerProcess;
let runners: Runners;
beforeAll(async () => {
  runner = await startRunnerProcess({ RUNTIME_POOL_SIZE: '2' });
  runners = connectTo(runner.url);
});
afterAll(async () => {
  runners.close();
  await runner[Symbol.asyncDispose]();
});

const run = (code: string, request: Partial<RunRequest> = {}) => runOn(runners, code, request);

test('runs an action with its parameters and logs', async () => {
  const code = `async function main({ a }) { console.log('hi'); return a }`;
  const result = await run(code, { params: '{"a":"ü"}' });
  expect(result).toMatchObject({ response: 'ü', logs: 'hi\n', hasError: false });
});

test('a runner counts its runs by outcome, its processes and their starts', async () => {
  const { close, ...metrics } = await runWithMetrics([
    'const main = () => 1',
    'const main = () => { throw 1 }',
  ]);
  onTestFinished(close);
  await expect.poll(metrics.read).toMatchObject({
    'runner_runs_total{outcome="success"}': 1,
    'runner_runs_total{outcome="error"}': 1,
    'runner_processes{state="idle"}': 1,
    'runner_process_starts{result="failed"}': 0,
    runner_oldest_waiting_seconds: 0,
  });
  expect((await metrics.read())['runner_process_starts{result="succeeded"}']).toBeGreaterThanOrEqual(3);
});

/** Starts a runner with one idle process, and runs the codes on it. */
async function runWithMetrics(codes: string[]) {
  const port = String(await freePort());
  const own = await startRunnerProcess({ METRICS_PORT: port, RUNTIME_POOL_SIZE: '1' });
  const connected = connectTo(own.url);
  for (const code of codes) await runOn(connected, code);
  return {
    async read(): Promise<Record<string, number>> {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const samples = text.split('\n').filter((line) => /^runner_/.test(line));
      return Object.fromEntries(
        samples.map((line) => [
          line.slice(0, line.lastIndexOf(' ')),
          Number(line.slice(line.lastIndexOf(' '))),
        ]),
      );
    },
    async close() {
      connected.close();
      await own[Symbol.asyncDispose]();
    },
  };
}

test('an action imports from the CDN of the runner', async () => {
  const cdn = createHttpServer((request, response) => {
    const isKnown = request.url === '/npm/one@1.0.0/+esm';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/javascript' });
    response.end('export default 1');
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => cdn.once('listening', listening));
  onTestFinished(() => void cdn.close());
  const { port } = cdn.address() as AddressInfo;
  await using own = await startRunnerProcess({ IMPORT_CDN_URL: `http://127.0.0.1:${port}/npm` });
  using connected = closing(connectTo(own.url));
  const outcome = async (specifier: string) => {
    const code = `import one from '${specifier}'; export const main = () => one`;
    const { response, error } = await runOn(connected, code);
    return response ?? error?.message;
  };
  expect(await outcome('one@1.0.0')).toBe(1);
  expect(await outcome('one@1.0.1')).toContain('does not exist on the CDN');
});

describe('with key nodes', () => {
  const purposes: KeyPurpose[] = [];
  const runs = new Set<string | null>();
  const paths = new Map<string, bigint>();
  /** Nodes that permit everything. */
  const nodes: AskNodes = async ({ statement }, onAnswer) => {
    purposes.push(statement.purpose);
    runs.add(statement.run);
    for (const answer of await answersTo(statement, paths))
      onAnswer({ parameters: groupParameters, node: answer.identifier, ...answer });
    return { isRefused: false, message: '' };
  };
  let own: RunnerProcess;
  let connected: Runners;
  beforeAll(async () => {
    own = await startRunnerProcess(runnerSettings);
    connected = connectTo(own.url);
  });
  afterAll(async () => {
    connected.close();
    await own[Symbol.asyncDispose]();
  });

  test('the runner makes a wallet, and gives its key to a run only', async () => {
    const { address: wallet } = JSON.parse(await connected.mint({ kind: 'mint-wallet', path: 77n }, nodes));
    const code = `const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })`;
    const params = JSON.stringify({ pkpId: wallet });
    const { response } = await runOn(connected, code, {
      params,
      keys: { ...keys, nodes },
    });
    expect(privateKeyToAddress(response as Hex).toLowerCase()).toBe(wallet.toLowerCase());
    expect([...runs]).toEqual([null, RUN_ID]);
    const [first, second, ...others] = purposes;
    expect(first).toEqual({ kind: 'mint-wallet', path: '0x4d' });
    expect(second).toEqual({ kind: 'wallet-address', path: '0x4d', address: wallet.slice(2).toLowerCase() });
    const ofRun = {
      kind: 'wallet',
      usageKeyHash: '0x7',
      cid: await cidOf(code),
      wallet: wallet.toLowerCase(),
    };
    // A key that is asked for ahead does not leave the runner.
    expect(others.at(-1)).toEqual({ ...ofRun, use: 'export' });
    for (const ahead of others.slice(0, -1)) expect(ahead).toEqual({ ...ofRun, use: 'inside' });
  });

  test('a refusal of the nodes is an error of the action', async () => {
    const code =
      'const main = () => Svc.Actions.getActionPrivateKey().catch(({ name, message }) => [name, message])';
    const { response } = await runOn(connected, code);
    expect(response).toEqual(['PermissionError', `the action ${await cidOf(code)}: the usage key may not`]);
    expect(outages).toBe(0);
    await expect(connected.mint({ kind: 'mint-wallet', path: 1n }, refusing)).rejects.toThrow(
      'the usage key may not',
    );
  });

  test('reports an outage when the nodes do not give the key', async () => {
    const silent: AskNodes = async () => ({ isRefused: false, message: 'too few key nodes answer' });
    const code = 'const main = () => Svc.Actions.getActionPrivateKey() // outage';
    const { error } = await runOn(connected, code, {
      keys: { ...keys, nodes: silent },
    });
    expect(error?.name).toBe('InternalError');
    expect(outages).toBe(1);
    const lying: AskNodes = async (_, onAnswer) => {
      for (const { identifier } of shares)
        onAnswer({
          parameters: groupParameters,
          node: identifier,
          identifier,
          partial: 'AAEC',
          path: null,
        });
      return { isRefused: false, message: 'too few key nodes answer' };
    };
    await runOn(connected, code, { keys: { ...keys, nodes: lying } });
    expect(outages).toBe(2);
    // The runner names the nodes.
    expect(wrongAnswers.toSorted()).toEqual([1, 2, 3]);
  });

  test('an action gets the error of the relayer about a public key under its name', async () => {
    const code = `const main = () => Svc.Actions.getActionPublicKey({ ipfsId: '${CID}' }).catch(({ name }) => name)`;
    expect((await runOn(connected, code)).response).toBe('ActionKeyError');
  });

  test('reports a failure of the relayer to its operator, without a detail for the action', async () => {
    const failing = () => Promise.reject(new Error('password is hunter2'));
    const code = `const main = () => Svc.Actions.getActionPublicKey({ ipfsId: '${CID}' }) // fails`;
    const result = await runOn(connected, code, { keys: { ...keys, certificateOf: failing } });
    expect(result.error?.name).toBe('InternalError');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(hostErrors).toContainEqual({ message: 'password is hunter2', cid: await cidOf(code) });
  });

  test('an action takes parts of its limits, which are numbered', async () => {
    const asked: unknown[] = [];
    const takeAllowance = async (number: number, request: object) => {
      asked.push([number, request]);
      if (number === 2) throw new ActionError('AllowanceError', 'the limit "a": reached');
      if (number === 3) throw new Error('password is hunter2');
      return JSON.stringify({ sum: '5' });
    };
    const code = `const pkpId = '0x${'AA'.repeat(20)}';
      const take = (more) => Svc.Actions.takeAllowance({ pkpId, name: 'a', amount: 5n, limit: '0x64', windowSeconds: 60, ...more })
        .catch((error) => error.name + ': ' + error.message);
      const wrong = [{ amount: 0 }, { amount: -1 }, { amount: 1.5 }, { limit: 'x' }, { name: '' }, { name: 'é' }, { windowSeconds: 0 },
        { windowSeconds: 1e9 }, { pkpId: 'x' }, { more: 1 }, { amount: '1' + '0'.repeat(78) }];
      async function main() {
        const right = [await take(), await take(), await take()];
        return { right, wrong: await Promise.all(wrong.map(take)) };
      }`;
    const { response, error, usage } = await runOn(connected, code, { takeAllowance });
    expect(error).toBeUndefined();
    const { right, wrong } = response as { right: unknown[]; wrong: string[] };
    expect(right).toEqual([
      { sum: '5' },
      'AllowanceError: the limit "a": reached',
      'InternalError: internal error of the relayer',
    ]);
    const request = {
      wallet: getAddress(`0x${'aa'.repeat(20)}`),
      name: 'a',
      amount: '5',
      limit: '100',
      windowSeconds: 60,
    };
    expect(asked).toEqual([1, 2, 3].map((number) => [number, request]));
    for (const text of wrong) expect(text).toMatch(/^TypeError: /);
    expect(usage.keyOperations).toEqual([]);
  });

  test('an action of a runner without key nodes gets no key', async () => {
    const code = 'const main = () => Svc.Actions.getActionPrivateKey() // no nodes';
    const { error } = await run(code, { keys: { ...keys, nodes } });
    expect(error?.name).toBe('InternalError');
  });

  test('a runner without key nodes makes no wallet', async () => {
    await expect(runners.mint({ kind: 'mint-wallet', path: 1n }, nodes)).rejects.toThrow('set KEY_GROUP');
  });
});

test('ends a run with the reason of its abort, also while it waits', async () => {
  const stop = new AbortController();
  const onBegin = () => stop.abort(new ActionError('CreditError', 'no credit'));
  expect(await run('const main = () => { for (;;); }', { signal: stop.signal, onBegin })).toMatchObject({
    hasError: true,
    error: { name: 'CreditError', message: 'no credit' },
  });
  await expect(run(SLEEP, { signal: AbortSignal.abort('why') })).rejects.toBe('why');

  await using busy = await startRunnerProcess({ RUNTIME_POOL_SIZE: '1', MAX_CONCURRENT_RUNS: '1' });
  using own = closing(connectTo(busy.url));
  const first = new AbortController();
  const running = runOn(own, SLEEP, { signal: first.signal });
  await expect.poll(() => own.load().running).toBe(1);
  const second = new AbortController();
  const waiting = runOn(own, SLEEP, { signal: second.signal });
  await expect.poll(() => own.load().queued).toBe(1);
  second.abort('given up');
  await expect(waiting).rejects.toBe('given up');
  first.abort(new ActionError('StoppedError', 'stopped'));
  expect((await running).error?.name).toBe('StoppedError');
  expect((await runOn(own, 'const main = () => "other"')).response).toBe('other');
});

describe('a run that takes an idle process', () => {
  test('runs with one message, and its start is told once', async () => {
    await expect.poll(() => runners.load().idle).toBe(2);
    await using link = await startLink(runner.url);
    using linked = closing(connectTo(link.url));
    await expect.poll(() => linked.load().idle).toBe(2);
    const events: string[] = [];
    const onBegin = () => void events.push('begun');
    const code = 'const main = () => 7';
    expect((await runOn(linked, code, { onBegin })).response).toBe(7);
    expect(events).toEqual(['begun']);
  });

  test('waits for another process when there is none any more, and tells that it moved', async () => {
    await using full = await startRunnerProcess({
      RUNTIME_POOL_SIZE: '2',
      MAX_CONCURRENT_RUNS_PER_ACCOUNT: '1',
    });
    using own = closing(connectTo(full.url));
    await expect.poll(() => own.load().idle).toBe(2);
    const stop = new AbortController();
    // Sent before the runner tells that a process is taken.
    const first = runOn(own, SLEEP, { signal: stop.signal });
    const events: string[] = [];
    const running = runOn(own, 'const main = () => 8', {
      onBegin: () => void events.push('begun'),
      onMove: () => void events.push('moved'),
    });
    await expect.poll(() => own.load().queued).toBe(1);
    expect(events).toEqual(['begun', 'moved']);
    stop.abort(new ActionError('StoppedError', 'stopped'));
    expect((await running).response).toBe(8);
    expect((await first).error?.name).toBe('StoppedError');
    expect(events).toEqual(['begun', 'moved', 'begun']);
  });

  test('fails when its runner is lost after the message: it can have begun', async () => {
    await using lost = await startRunnerProcess({ RUNTIME_POOL_SIZE: '1' });
    using own = closing(connectTo(lost.url));
    await expect.poll(() => own.load().idle).toBe(1);
    const running = runOn(own, SLEEP);
    await expect.poll(() => own.load().running).toBe(1);
    lost.child.kill('SIGKILL');
    await expect(running).rejects.toThrow(RunnerCrashedError);
  });

  test('is interrupted when its runner is stopped', async () => {
    await using stopped = await startRunnerProcess({ RUNTIME_POOL_SIZE: '1', DRAIN_TIMEOUT_SEC: '0' });
    using own = closing(connectTo(stopped.url));
    await expect.poll(() => own.load().idle).toBe(1);
    const running = runOn(own, SLEEP);
    await expect.poll(() => own.load().running).toBe(1);
    stopped.child.kill('SIGTERM');
    await expect(running).rejects.toThrow(RunInterruptedError);
  });
});

test('sends the code of a CID once', async () => {
  await using link = await startLink(runner.url);
  using linked = closing(connectTo(link.url));
  const code = `const text = '${'x'.repeat(100_000)}'; const main = () => text.length`;
  for (const limit of [200_000, 2_000]) {
    const before = link.bytes();
    expect((await runOn(linked, code)).response).toBe(100_000);
    expect(link.bytes() - before).toBeLessThan(limit);
  }
});

test('an invalid message ends the connection, not the runner', async () => {
  const socket = connect(runner.url.replace('unix:', ''));
  socket.write(
    'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: latchkey-runner.3\r\n\r\n`,
  );
  // A masked frame with the text "no".
  socket.write(Buffer.from([0x82, 0x82, 0, 0, 0, 0, 0x6e, 0x6f]));
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toContain('101 Switching Protocols');
  await new Promise((closed) => socket.resume().once('close', closed));
  expect((await run('const main = () => "alive"')).response).toBe('alive');
});

describe('a killed runner', () => {
  test('fails its started runs, moves those that wait, and is back after a restart', async () => {
    await using first = await startRunnerProcess({ MAX_CONCURRENT_RUNS: '1' });
    await using second = await startRunnerProcess();
    using both = closing(connectTo(first.url));
    const started = runOn(both, SLEEP);
    await expect.poll(() => both.load().running).toBe(1);
    const waiting = runOn(both, 'const main = () => "moved"');
    await expect.poll(() => both.load().queued).toBe(1);
    first.child.kill('SIGKILL');
    await expect(started).rejects.toThrow(RuntimeUnavailableError);
    // A run waits only some seconds, so the replacement of the killed runner is already started.
    await rename(second.url.replace('unix:', ''), first.url.replace('unix:', ''));
    expect((await waiting).response).toBe('moved');
    second.child.kill('SIGKILL');
    await expect.poll(() => both.missing()).toEqual([first.url]);
    await using again = await startRunnerProcess({}, first.url);
    await expect.poll(() => both.missing()).toEqual([]);
    expect((await runOn(both, 'const main = () => "again"')).response).toBe('again');
    expect(again.url).toBe(first.url);
  });

  test('leaves its runs that have not begun to another runner', async () => {
    await using full = await startRunnerProcess({ MAX_CONCURRENT_RUNS: '1' });
    const other = full.url.replace(/socket$/, 'other');
    using both = closing(connectTo(full.url, other));
    const started = runOn(both, SLEEP).catch((error: unknown) => error);
    await expect.poll(() => both.load().running).toBe(1);
    const waiting = runOn(both, 'const main = () => "waited"', asStream);
    await expect.poll(() => both.load().queued).toBe(1);
    await using _ = await startRunnerProcess({}, other);
    await expect.poll(() => both.missing()).toEqual([]);
    full.child.kill('SIGKILL');
    expect((await waiting).response).toBe('waited');
    expect(await started).toBeInstanceOf(RuntimeUnavailableError);
  });

  test('answers a run within five seconds when no runner comes back', async () => {
    using none = closing(connectTo('unix:/tmp/latchkey-no-runner'));
    const startedAt = performance.now();
    await expect(runOn(none, 'const main = () => 1')).rejects.toThrow(RuntimeUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('a runner under the control of an attacker', () => {
  test('gets no certificate without a run, nor after its run', async () => {
    const asked: string[] = [];
    const watched = {
      ...keys,
      secretOf,
      async certificateOf(cid: string) {
        asked.push(cid);
        return 'certificate';
      },
    };
    const replies: ToRunner[] = [];
    await using hostile = await startHostile((message, send) => {
      const key = { type: 'certificate', run: 1, cid: CID };
      if (message.type === 'take') {
        send({ ...key, call: 1 });
        send({ type: 'taken', id: message.id });
      }
      if (message.type === 'run') {
        send({
          type: 'result',
          id: message.id,
          result: { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage },
        });
        setTimeout(() => send({ ...key, call: 2 }), 100);
      }
      if (message.type === 'certificate' || message.type === 'certificate refused') replies.push(message);
    });
    using own = closing(connectTo(hostile.url));
    await runOn(own, '', { keys: watched });
    await expect.poll(() => replies.length).toBe(2);
    expect(replies.map(({ type }) => type)).toEqual(['certificate refused', 'certificate refused']);
    expect(asked).toEqual([]);
  });

  test('gets no more certificates than one run needs', async () => {
    const limit = defaultLimits.maxKeyCalls;
    let asked = 0;
    let answers = 0;
    await using hostile = await startHostile((message, send) => {
      if (message.type === 'take') send({ type: 'taken', id: message.id });
      if (message.type === 'run')
        for (let call = 1; call <= limit + 20; call++)
          send({ type: 'certificate', call, run: message.id, cid: CID });
      if (message.type === 'certificate' || message.type === 'certificate refused') answers += 1;
      const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
      if (answers === limit + 20) send({ type: 'result', id: 1, result });
    });
    using own = closing(connectTo(hostile.url));
    const counted = async () => {
      asked += 1;
      return 'certificate';
    };
    await runOn(own, '', { keys: { ...keys, certificateOf: counted } });
    expect(asked).toBe(limit);
  });

  const allowance = { wallet: `0x${'11'.repeat(20)}`, name: 'a', amount: '1', limit: '1', windowSeconds: 1 };

  test('takes no part of a limit without a run', async () => {
    let taken = 0;
    const stop = new AbortController();
    const replies: ToRunner[] = [];
    await using hostile = await startHostile((message, send) => {
      if (message.type === 'take') {
        send({ type: 'take allowance', call: 1, run: message.id, number: 1, allowance });
        send({ type: 'take allowance', call: 2, run: 99, number: 1, allowance });
      } else replies.push(message);
      if (replies.length === 2) stop.abort('given up');
    });
    using own = closing(connectTo(hostile.url));
    const takeAllowance = async () => `${++taken}`;
    await expect(runOn(own, '', { takeAllowance, signal: stop.signal })).rejects.toBe('given up');
    expect(replies.slice(0, 2).map(({ type }) => type)).toEqual(['allowance refused', 'allowance refused']);
    expect(taken).toBe(0);
  });

  test('takes no more parts of limits than one run can', async () => {
    const limit = defaultLimits.maxKeyCalls;
    let taken = 0;
    let answers = 0;
    await using hostile = await startHostile((message, send) => {
      if (message.type === 'take') send({ type: 'taken', id: message.id });
      if (message.type === 'run')
        for (let call = 1; call <= limit + 20; call++)
          send({ type: 'take allowance', call, run: message.id, number: call, allowance });
      if (message.type === 'allowance' || message.type === 'allowance refused') answers += 1;
      const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
      if (answers === limit + 20) send({ type: 'result', id: 1, result });
    });
    using own = closing(connectTo(hostile.url));
    await runOn(own, '', { takeAllowance: async () => `${++taken}` });
    expect(taken).toBe(limit);
  });

  test('cannot refuse a run after its code asked for something, so that the code runs twice', async () => {
    const received: ToRunner['type'][] = [];
    const load = { idle: 1, starting: 0, running: 0, queued: 0 };
    await using hostile = await startHostile(
      (message, send) => {
        received.push(message.type);
        if (message.type === 'run')
          send({ type: 'take allowance', call: 1, run: message.id, number: 1, allowance });
        if (message.type === 'allowance') send({ type: 'unavailable', id: 1, message: 'full' });
      },
      (socket) => setImmediate(() => socket.send(writeMessage({ type: 'load', load }))),
    );
    using own = closing(connectTo(hostile.url));
    await expect.poll(() => own.load().idle).toBe(1);
    await expect(runOn(own, '', { signal: AbortSignal.timeout(5_000) })).rejects.toThrow(RunnerCrashedError);
    expect(received).toEqual(['run', 'allowance']);
  });

  /** Key nodes that do not answer, and a statement of a runner to them. */
  const askedNodes = () => {
    const asked: AbortSignal[] = [];
    const nodes: AskNodes = (_signed, _onAnswer, signal) => {
      asked.push(signal);
      return new Promise((end) =>
        signal.addEventListener('abort', () => end({ isRefused: false, message: 'ended' })),
      );
    };
    const purpose: KeyPurpose = { kind: 'action', usageKeyHash: '0x7', cid: CID };
    const identity = createIdentity('01'.repeat(32));
    const statement = {
      group: group.groupPublicKey,
      purpose,
      withProof: true,
      recipient: '02'.repeat(32),
    };
    return { asked, nodes, signed: signStatement(createStatement(statement, Date.now()), identity) };
  };

  test('asks the key nodes for no run before it begins', async () => {
    const { asked, nodes, signed } = askedNodes();
    const replies: ToRunner['type'][] = [];
    await using hostile = await startHostile((message, send) => {
      if (message.type === 'take') send({ type: 'key request', call: 1, run: message.id, signed });
      else replies.push(message.type);
    });
    using own = closing(connectTo(hostile.url));
    const stop = new AbortController();
    const waiting = runOn(own, '', { keys: { ...keys, nodes }, signal: stop.signal });
    await expect.poll(() => replies).toEqual(['partials end']);
    expect(asked).toEqual([]);
    stop.abort('given up');
    await expect(waiting).rejects.toBe('given up');
    await expect.poll(() => replies).toEqual(['partials end', 'give back']);
  });

  test('asks the key nodes no more often than one run can, and not after its run', async () => {
    const { asked, nodes, signed } = askedNodes();
    // Each call asks up to three times, and so do the two keys of the action, and four further signings of each transaction.
    const limit = 3 * (defaultLimits.maxKeyCalls + 2 + 4 * defaultLimits.maxTransactions);
    let refusals = 0;
    await using hostile = await startHostile((message, send) => {
      if (message.type === 'take') send({ type: 'taken', id: message.id });
      if (message.type === 'run')
        for (let i = 0; i < limit + 6; i++)
          send({ type: 'key request', call: Math.max(1, i), run: message.id, signed });
      if (message.type === 'partials end' && message.isRefused) refusals += 1;
      const result = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
      if (refusals === 6) send({ type: 'result', id: 1, result });
    });
    using own = closing(connectTo(hostile.url));
    await runOn(own, '', { keys: { ...keys, nodes } });
    expect(asked).toHaveLength(limit);
    expect(asked.map(({ aborted }) => aborted)).not.toContain(false);
  });

  test('is disconnected when it sends anything else', async () => {
    let connections = 0;
    await using hostile = await startHostile(
      (_message, send) => send({ type: 'give me everything' }),
      () => {
        connections += 1;
      },
    );
    using own = closing(connectTo(hostile.url));
    await expect(runOn(own, '')).rejects.toThrow(RuntimeUnavailableError);
    expect(connections).toBeGreaterThan(1);
  });
});

const closing = (runners: Runners) => Object.assign(runners, { [Symbol.dispose]: () => runners.close() });

/** Forwards to a Unix socket, and counts the bytes towards it. */
async function startLink(url: string) {
  let bytes = 0;
  const server: Server = createServer((socket) => {
    const target = connect(url.replace('unix:', ''));
    socket.on('data', ({ length }) => {
      bytes += length;
    });
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on('error', () => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test('a runner of another version is not connected, and the reason is told until it is gone', async () => {
  let status = '426 Upgrade Required\r\nSec-WebSocket-Protocol: latchkey-runner.5, latchkey-runner.4';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  using connected = closing(connectTo(url));
  const fault =
    'a runner speaks latchkey-runner.5, latchkey-runner.4, this relayer latchkey-runner.3, latchkey-runner.2: update the older one';
  await expect.poll(() => connected.faults()).toEqual([fault]);
  expect(connected.missing()).toEqual([url]);
  status = '503 Service Unavailable';
  await expect.poll(() => connected.faults()).toEqual([]);
});

test.each([
  ['up', latest, latest + 1],
  ['down', latest + 1, latest],
])('a runner one version %s is used', async (_, own, ofRunner) => {
  let spoken = '';
  await using runner = await startHostile(
    () => {},
    (socket) => {
      spoken = socket.protocol;
    },
    (offered) =>
      [ofRunner, latest].map((version) => `latchkey-runner.${version}`).find((name) => offered.has(name)) ??
      false,
  );
  protocols.runner.latest = own;
  onTestFinished(() => {
    protocols.runner.latest = latest;
  });
  using connected = closing(connectTo(runner.url));
  await expect.poll(() => connected.missing()).toEqual([]);
  expect(spoken).toBe(`latchkey-runner.${latest}`);
});

test('a runner of the version before passkeys gets other runs, and none that goes on with an approval by one', async () => {
  const ran: string[] = [];
  const startOf = (version: string) =>
    startHostile(
      (message, send) => {
        if (message.type !== 'take' && message.type !== 'run') return;
        if (message.type === 'take') return send({ type: 'taken', id: message.id });
        ran.push(version);
        const result = { response: null, logs: '', hasError: false, durationMs: 1, usage: noUsage };
        send({ type: 'result', id: message.id, result });
      },
      undefined,
      () => `latchkey-runner.${version}`,
    );
  await using before = await startOf('2');
  using connected = closing(connectTo(before.url));
  await runOn(connected, 'const main = () => 1');
  const address = getAddress(`0x${'1'.repeat(40)}`);
  const approvedBy = (approver: Hex) => {
    const proof = { id: RUN_ID, expires: 1, signatures: [{ approver, signature: '0x' }] };
    return { approved: { chainId: 1, contractAddress: address, proofs: [proof] } };
  };
  await runOn(connected, 'const main = () => 1', approvedBy(address));
  const byPasskey = approvedBy(newPasskey().publicKey);
  await expect(runOn(connected, 'const main = () => 2', byPasskey)).rejects.toThrow(
    new RuntimeUnavailableError('no runner that knows passkeys is connected'),
  );
  await using present = await startOf('3');
  using both = closing(connectTo(before.url, present.url));
  await expect.poll(() => both.missing()).toEqual([]);
  for (const code of ['const main = () => 3', 'const main = () => 4']) await runOn(both, code, byPasskey);
  expect(ran).toEqual(['2', '2', '3', '3']);
});

test('fields that the next version adds are ignored', async () => {
  await using runner = await startHostile((message, send) => {
    if (message.type === 'take') send({ type: 'taken', id: message.id, next: 1 });
    if (message.type !== 'run') return;
    const result = {
      response: 'a',
      logs: '',
      hasError: false,
      durationMs: 1,
      usage: { ...noUsage, next: 1 },
    };
    send({ type: 'result', id: message.id, result: { ...result, next: 1 }, next: 1 });
  });
  using connected = closing(connectTo(runner.url));
  expect((await runOn(connected, 'const main = () => 1')).response).toBe('a');
});

/** A runner that sends what the test says. */
async function startHostile(
  onMessage: (message: ToRunner, send: (message: object) => void) => void,
  onConnection: (socket: WebSocket) => void = () => {},
  handleProtocols: (offered: Set<string>) => string | false = () => `latchkey-runner.${latest}`,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
  server.on('connection', (socket: WebSocket) => {
    onConnection(socket);
    const send = (message: object) => socket.send(writeMessage(message));
    send({ type: 'hello', memoryLimitMb: 64, walls: [] });
    socket.on('message', (data: Buffer) => onMessage(readMessage(toRunner, data).message, send));
  });
  await new Promise((listening) => server.once('listening', listening));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
