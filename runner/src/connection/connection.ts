/** The runner's side of a connection of a relayer. Its runs end when the relayer is gone: no caller waits for them. */
import {
  ActionError,
  type Failure,
  type FromRunner,
  keepAlive,
  readMessage,
  type ToRunner,
  toRunner,
  writeMessage,
} from '@latchkey/runner-protocol';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Enclave } from '../keys/enclave.ts';
import type { AskSigned, OpenKeys, OpenRunnerKeys, RunnerKeys } from '../keys/runner-keys.ts';
import type { CallKey } from '../runs/action-requests.ts';
import type { Runtime, Slot } from '../runtime.ts';
import type { ActionCodes } from './action-codes.ts';
import { createLogStream } from './log-stream.ts';

type OnAnswer = Parameters<AskSigned>[1];
type OnEnd = Parameters<AskSigned>[2];
type RunMessage = Extract<ToRunner, { type: 'run' }>;
type KeysOf = Pick<RunMessage, 'usageKeyHash' | 'cid' | 'runId'>;
type Run = {
  stop: AbortController;
  slot: Slot | undefined;
  /** Of the first `run` message. A later one of another run is refused. */
  keysOf?: KeysOf | undefined;
  keys?: OpenKeys | undefined;
  isCodeMissing: boolean;
  hasBegun: boolean;
};

export type ConnectionContext = {
  runtime: Runtime;
  codes: ActionCodes;
  /** Absent when the relayer has the keys. */
  openKeys: OpenRunnerKeys | undefined;
  /** Present in an enclave. */
  enclave?: Enclave | undefined;
  log: Logger;
};

export function serveConnection(
  socket: WebSocket,
  { runtime, codes, openKeys, enclave, log }: ConnectionContext,
): void {
  const runs = new Map<number, Run>();
  const keyCalls = new Map<number, PromiseWithResolvers<string>>();
  const nodeCalls = new Map<number, { onAnswer: OnAnswer; onEnd: OnEnd }>();
  let lastCall = 0;

  const send = (message: FromRunner): void => {
    if (socket.readyState === socket.OPEN) socket.send(writeMessage(message));
  };
  const keys = openKeys?.((node) => send({ type: 'wrong answer', node }));
  const askNodesFor =
    (run: number): AskSigned =>
    (signed, onAnswer, onEnd) => {
      lastCall += 1;
      const call = lastCall;
      nodeCalls.set(call, { onAnswer, onEnd });
      send({ type: 'key request', call, run, signed });
      return (isMissing) => {
        if (nodeCalls.delete(call)) send({ type: 'key request done', call, run, isMissing });
      };
    };
  const askRelayerFor =
    (run: number): CallKey =>
    (operation, args) => {
      lastCall += 1;
      const answer = Promise.withResolvers<string>();
      keyCalls.set(lastCall, answer);
      send({ type: 'key', call: lastCall, run, operation, args });
      return answer.promise;
    };
  const asksOf = (run: number) => ({ askNodes: askNodesFor(run), askRelayer: askRelayerFor(run) });
  const settleCall = (call: number, settle: (answer: PromiseWithResolvers<string>) => void): void => {
    const answer = keyCalls.get(call);
    keyCalls.delete(call);
    if (answer) settle(answer);
  };

  const open = (id: number, slot?: Slot): Run => {
    if (runs.has(id)) throw new Error(`the run ${id} exists`);
    const run: Run = { stop: new AbortController(), isCodeMissing: false, hasBegun: false, slot };
    runs.set(id, run);
    return run;
  };
  /** Another run can have the id by now. */
  const forget = (id: number, run: Run): void => {
    if (runs.get(id) === run) runs.delete(id);
  };

  const take = async ({ id, account }: Extract<ToRunner, { type: 'take' }>): Promise<void> => {
    const run = open(id);
    try {
      const slot = await runtime.take(BigInt(account), run.stop.signal);
      // The relayer gave the run up in the meantime.
      if (runs.get(id) !== run) return slot.release();
      run.slot = slot;
      send({ type: 'taken', id });
    } catch (error) {
      forget(id, run);
      if (!run.stop.signal.aborted) send({ type: 'unavailable', id, message: (error as Error).message });
    }
  };

  /** Takes an idle process for a run that did not take one before. */
  const takeIdle = (id: number, account: string): Run | undefined => {
    if (runs.has(id)) throw new Error(`the run ${id} exists`);
    const slot = runtime.takeIdle(BigInt(account));
    if (slot) return open(id, slot);
    send({ type: 'unavailable', id, message: 'the runner has no idle process' });
    return undefined;
  };

  const start = async (message: RunMessage, body: Buffer): Promise<void> => {
    const { id, account, cid, usageKeyHash, runId, params, timeoutMs, streamsLogs } = message;
    const run = account === undefined ? runs.get(id) : takeIdle(id, account);
    if (!run?.slot) return;
    const { keysOf = message } = run;
    const isOther = keysOf.cid !== cid || keysOf.usageKeyHash !== usageKeyHash || keysOf.runId !== runId;
    if (run.hasBegun || isOther)
      throw new Error(`the run ${id} has begun, or is of another action or usage key`);
    run.keysOf = { usageKeyHash, cid, runId };
    const hasBody = body.length > 0 || run.isCodeMissing;
    if (!hasBody && !codes.get(cid)) {
      run.isCodeMissing = true;
      return send({ type: 'code missing', id });
    }
    run.hasBegun = true;
    const code = hasBody ? await codes.keep(cid, body) : codes.get(cid);
    // The relayer gave the run up in the meantime.
    if (!code || runs.get(id) !== run) return;
    run.keys = keys?.openRun(asksOf(id), run.keysOf, params);
    const logs = streamsLogs ? createLogStream((text) => send({ type: 'log', id, text })) : undefined;
    const result = await run.slot.run({
      code,
      cid,
      params,
      signal: run.stop.signal,
      callKey: run.keys?.callKey ?? askRelayerFor(id),
      limits: { timeoutMs },
      onLog: logs?.add,
    });
    logs?.end();
    run.keys?.end();
    forget(id, run);
    send({ type: 'result', id, result });
  };

  const reply = async (id: number, value: () => Promise<string>): Promise<void> => {
    try {
      send({ type: 'minted', id, value: await value() });
    } catch (error) {
      send({ type: 'mint failed', id, message: (error as Error).message });
    }
  };
  const make = (id: number, from: (keys: RunnerKeys, ask: AskSigned) => Promise<string>): Promise<void> =>
    reply(id, async () => {
      if (!keys) throw new Error('this runner has no key nodes: set KEY_GROUP and RUNNER_IDENTITY');
      return from(keys, askNodesFor(id));
    });

  const end = (id: number, reason?: Failure): void => {
    const run = runs.get(id);
    run?.stop.abort(reason && new ActionError(reason.name, reason.message));
    if (reason) return;
    run?.keys?.end();
    run?.slot?.release();
    runs.delete(id);
  };

  const receive = (message: ToRunner, body: Buffer): void | Promise<void> => {
    switch (message.type) {
      case 'take':
        return take(message);
      case 'give back':
        return end(message.id);
      case 'run':
        return start(message, body);
      case 'stop':
        return end(message.id, message.error);
      case 'mint':
        return make(message.id, (keys, ask) => keys.mint(ask, { kind: message.kind, path: message.path }));
      case 'certify': {
        const { id, usageKeyHash, cid, runId } = message;
        return make(id, (keys, ask) => keys.certify(ask, { usageKeyHash, cid, runId }));
      }
      case 'quote':
        return reply(message.id, async () => {
          if (!enclave) throw new Error('this runner is not in an enclave');
          return enclave.quote(message.nonce);
        });
      case 'partial':
        return nodeCalls.get(message.call)?.onAnswer(message);
      case 'partials end':
        return nodeCalls.get(message.call)?.onEnd(message);
      case 'key':
        return settleCall(message.call, ({ resolve }) => resolve(message.value));
      case 'key refused':
        return settleCall(message.call, ({ reject }) =>
          reject(new ActionError(message.error.name, message.error.message)),
        );
    }
  };

  const refuse = (err: unknown): void => {
    log.error({ err }, 'received an invalid message: closing the connection');
    socket.terminate();
  };
  const unwatch = runtime.onLoad((load) => send({ type: 'load', load }));
  socket.on('message', (data: Buffer) => {
    try {
      const { message, body } = readMessage(toRunner, data);
      Promise.resolve(receive(message, body)).catch(refuse);
    } catch (error) {
      refuse(error);
    }
  });
  socket.on('error', (err) => log.warn({ err }, 'the connection of a relayer failed'));
  socket.once('close', () => {
    unwatch();
    for (const id of [...runs.keys()]) end(id);
  });
  keepAlive(socket);
  const { walls, memoryLimitMb } = runtime;
  send({ type: 'hello', walls, memoryLimitMb, ...(enclave && { attested: enclave.identity }) });
  send({ type: 'load', load: runtime.stats() });
}
