/**
 * The program of a key process: it opens the answers of nodes, combines them, uses the key, and is killed. Copies of a key in V8,
 * WebAssembly and OpenSSL cannot be overwritten; the kernel frees them with the process. The template has used a public key pair, so
 * that a fork has all code loaded and compiled.
 */
import { ActionError } from '@latchkey/runner-protocol';
import { callKeyOperation } from '@latchkey/runner-protocol/key-operation';
import type { GroupParameters } from '@latchkey/threshold';
import { getAddress, type Hex } from 'viem';
import { certifyAction } from './action-keys.ts';
import type { FromKeyProcess, ToKeyProcess } from './key-protocol.ts';
import { rehearse } from './rehearsal.ts';
import {
  type AskNodes,
  createReleases,
  KeyNotReleasedError,
  type Releases,
  type RunOfKeys,
} from './releases.ts';
import { createRunKeys, mintUsageKey, mintWallet, type PreparedRunKeys } from './run-keys.ts';

export type Host = {
  isTemplate: boolean;
  fork: () => (chunk: Uint8Array) => number;
  readSync: (chunk: Uint8Array) => number;
  writeSync: (bytes: Uint8Array) => void;
};

/** Number of uses of a key after which V8 compiles no more code for them. */
const REHEARSALS = 150;

/** Serves the task of this process. Resolves when the runner closes the input. */
export async function serveKeys(host: Host): Promise<void> {
  let { readSync } = host;
  if (host.isTemplate) {
    for (let i = 0; i < REHEARSALS; i++) await rehearse(createKeyServer);
    readSync = host.fork();
    // The kernel copies a page of memory when a fork first writes to it. The rehearsal writes to them before the run does.
    await rehearse(createKeyServer);
  }
  const send = (message: FromKeyProcess): void => host.writeSync(Buffer.from(`${JSON.stringify(message)}\n`));
  const receive = createKeyServer(send);
  send({ type: 'ready' });
  const chunk = Buffer.alloc(64 * 1024);
  let held = Buffer.alloc(0);
  // Everything is computed on this thread, so that the input can be read without the event loop, which takes a thread.
  for (let size = readSync(chunk); size > 0; size = readSync(chunk)) {
    held = Buffer.concat([held, chunk.subarray(0, size)]);
    for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
      receive(JSON.parse(held.toString('utf8', 0, end)) as ToKeyProcess);
      held = held.subarray(end + 1);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Returns the function that asks the key nodes through the runner, and the asks by their number. */
function createAsks(send: (message: FromKeyProcess) => void) {
  const asks: { onAnswer: Parameters<AskNodes>[1]; onEnd: Parameters<AskNodes>[2] }[] = [];
  const ask: AskNodes = (statement, onAnswer, onEnd) => {
    const number = asks.push({ onAnswer, onEnd }) - 1;
    send({ type: 'ask', ask: number, statement });
    return (isMissing) => send({ type: 'done', ask: number, isMissing });
  };
  return { ask, asks };
}

/** Returns the receiver of the runner's messages. */
function createKeyServer(send: (message: FromKeyProcess) => void): (message: ToKeyProcess) => void {
  const { ask, asks } = createAsks(send);
  let certified: PromiseWithResolvers<Hex> | undefined;
  const publicKeyOf = (cid: string): Promise<Hex> => {
    certified = Promise.withResolvers();
    send({ type: 'public key', cid });
    return certified.promise;
  };
  const decoded = new Map<string, GroupParameters>();
  let releases: Releases | undefined;
  const releasesOf = (group: string): Releases => {
    releases ??= createReleases({
      group,
      decode: (text) => decoded.get(text) as GroupParameters,
      onWrongAnswer: (node, reason) => send({ type: 'wrong answer', node, reason }),
    });
    return releases;
  };
  let keys: PreparedRunKeys | undefined;
  const keysOf = (group: string, run: RunOfKeys): PreparedRunKeys => {
    keys ??= createRunKeys({ releases: releasesOf(group), ask, ...run, publicKeyOf });
    return keys;
  };
  const perform = async ({ group, task }: Extract<ToKeyProcess, { type: 'task' }>): Promise<string> => {
    switch (task.kind) {
      case 'call':
        return callKeyOperation(keysOf(group, task.run), task.operation, task.args);
      case 'mint': {
        const { kind, path, withPublicKey = false } = task.purpose;
        if (kind === 'mint-usage-key') return mintUsageKey(releasesOf(group), ask, path);
        const { publicKey, ...minted } = await mintWallet(releasesOf(group), ask, path);
        return JSON.stringify({ ...minted, ...(withPublicKey && { publicKey }) });
      }
      case 'certify':
        return certifyAction(releasesOf(group), ask, task.run);
    }
  };
  return (message) => {
    switch (message.type) {
      case 'ahead':
        return keysOf(message.group, message.run).askAhead(getAddress(message.wallet), message.use);
      case 'task':
        return void perform(message).then(
          (value) => send({ type: 'result', value }),
          (error: Error) => send(failureOf(error)),
        );
      case 'answer':
        decoded.set(message.answer.parameters, message.parameters);
        return asks[message.ask]?.onAnswer(message.answer);
      case 'end':
        return asks[message.ask]?.onEnd(message.reason);
      case 'public key':
        return certified?.resolve(message.publicKey as Hex);
      case 'no public key':
        return certified?.reject(new ActionError(message.name, message.message));
    }
  };
}

function failureOf(error: Error): FromKeyProcess {
  const { name, message } = error;
  const kind =
    error instanceof ActionError ? 'action' : error instanceof KeyNotReleasedError ? 'not released' : 'error';
  return { type: 'failed', kind, name, message };
}
