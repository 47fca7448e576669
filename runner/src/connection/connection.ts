/** The runner's side of a connection of a relayer. Its runs end when the relayer is gone: no caller waits for them. */
import {
  type FromRunner,
  keepAlive,
  readMessage,
  type ToRunner,
  toRunner,
  writeMessage,
} from '@latchkey/runner-protocol';
import { serviceVersion } from '@latchkey/service/versions';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Enclave } from '../keys/enclave.ts';
import type { AskSigned, OpenRunnerKeys, RunnerKeys } from '../keys/runner-keys.ts';
import type { Runtime } from '../runtime.ts';
import type { ActionCodes } from './action-codes.ts';
import { createCalls } from './calls.ts';
import { createChainCalls } from './chain-calls.ts';
import { Runs } from './runs.ts';

export type ConnectionContext = {
  runtime: Runtime;
  codes: ActionCodes;
  /** Absent without key nodes. */
  openKeys: OpenRunnerKeys | undefined;
  /** Public keys of the group, absent without key nodes. */
  keyGroup?: string[] | undefined;
  /** Present in an enclave. */
  enclave?: Enclave | undefined;
  log: Logger;
};

export function serveConnection(socket: WebSocket, context: ConnectionContext): void {
  const { runtime, codes, enclave, log } = context;
  const send = (message: FromRunner): void => {
    if (socket.readyState === socket.OPEN) socket.send(writeMessage(message));
  };
  const keys = context.openKeys?.((node) => send({ type: 'wrong answer', node }));
  const calls = createCalls(send);
  const chainCalls = createChainCalls(send);
  const runs = new Runs({ runtime, codes, keys, calls, chainCalls, send });
  const make = createMakes(keys, enclave, calls.nodesFor);
  const receive = (message: ToRunner, body: Buffer): void | Promise<void> => {
    switch (message.type) {
      case 'take':
        return runs.take(message);
      case 'give back':
        return runs.end(message.id);
      case 'run':
        return runs.start(message, body);
      case 'stop':
        return runs.end(message.id, message.error);
      case 'mint':
      case 'certify':
      case 'quote':
        return make(message).then(send);
      case 'sign transaction':
      case 'transaction sent':
      case 'transaction refused':
      case 'rpc result':
      case 'rpc refused':
        return chainCalls.receive(message);
      default:
        return calls.receive(message);
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
    runs.endAll();
  });
  keepAlive(socket);
  const { walls, memoryLimitMb } = runtime;
  const { keyGroup } = context;
  const attested = enclave && { attested: enclave.identity };
  send({ type: 'hello', version: serviceVersion, walls, memoryLimitMb, keyGroup, ...attested });
  send({ type: 'load', load: runtime.stats() });
}

type MakeMessage = Extract<ToRunner, { type: 'mint' | 'certify' | 'quote' }>;

/** Returns the function that makes keys, certificates and quotes, with the reply to the relayer. */
function createMakes(
  keys: RunnerKeys | undefined,
  enclave: Enclave | undefined,
  nodesFor: (id: number) => AskSigned,
): (message: MakeMessage) => Promise<FromRunner> {
  const make = async (message: MakeMessage): Promise<string> => {
    if (message.type === 'quote') {
      if (!enclave) throw new Error('this runner is not in an enclave');
      return enclave.quote(message.nonce);
    }
    if (!keys) throw new Error('this runner has no key nodes: set KEY_GROUP and RUNNER_IDENTITY');
    const ask = nodesFor(message.id);
    if (message.type === 'mint') {
      const { kind, path, withPublicKey } = message;
      return keys.mint(ask, { kind, path, withPublicKey });
    }
    const { usageKeyHash, cid, runId } = message;
    return keys.certify(ask, { usageKeyHash, cid, runId });
  };
  return async (message) => {
    const { id } = message;
    try {
      return { type: 'minted', id, value: await make(message) };
    } catch (error) {
      return { type: 'mint failed', id, message: (error as Error).message };
    }
  };
}
