/** The runs and mints of this relayer at one runner. */
import { type Load, type RunResult, RuntimeUnavailableError, type ToRunner } from '@latchkey/runner-protocol';
import type { AskNodes } from '../keys/key-nodes.ts';
import { type ChainRequests, createChainRequests } from './chain-requests.ts';
import { KeyNodesUnavailableError, RunInterruptedError, RunnerCrashedError } from './errors.ts';
import { type Ask, answerAsk } from './key-answers.ts';
import { type Asking, createKeyRequests, KeyRequests } from './key-requests.ts';
import {
  createDeadline,
  NotStartedError,
  OVERDUE_MS,
  type RemoteRun,
  type RunRequest,
  startRemoteRun,
} from './remote-run.ts';
import {
  openRunnerSocket,
  type RunnerMessage,
  type RunnerSocket,
  type SocketOptions,
} from './runner-socket.ts';

const NO_LOAD: Load = { idle: 0, starting: 0, running: 0, queued: 0 };

/** A runner as its operator sees it. */
export type RunnerStatus = Load & {
  /** Host and address, or the path of its socket: the rest of a URL can contain credentials. */
  name: string;
  isConnected: boolean;
  /** Undefined while it is not connected, and for a runner that does not tell. */
  version?: string | undefined;
  fault?: string | undefined;
};

export type RunnerConnection = {
  /** The URL, and the address when it is one of several. */
  name: string;
  isOpen: () => boolean;
  /** Returns whether the runner is connected with this version of the protocol, or a later one. */
  speaks: (version: number) => boolean;
  /** Why the runner cannot be used, when it is not merely away. */
  fault: () => string | undefined;
  /** Returns the load that the runner told some milliseconds ago. */
  load: () => Load;
  /** Returns the number of own runs, including those that wait. */
  ownRuns: () => number;
  /** Returns the number of idle processes that own runs have not taken since the runner told it. */
  idle: () => number;
  /**
   * Runs an action. Errors of the action, a timeout and an exceeded limit are results. Rejects with `NotStartedError`, with the
   * reason of its signal when that aborts before the run begins, and otherwise with `RuntimeUnavailableError`.
   */
  run: (request: RunRequest, takesIdle: boolean) => Promise<RunResult>;
  /**
   * Has the runner make a key from the key nodes, or a quote. Rejects with `NotStartedError`, and with `RuntimeUnavailableError`
   * when the key nodes do not answer.
   */
  make: (messageOf: (id: number) => ToRunner, nodes: AskNodes) => Promise<string>;
  /** Returns the public key of a connected runner in an enclave. */
  attested: () => string | undefined;
  /** Returns the public keys in the KEY_GROUP of a connected runner. */
  keyGroup: () => string[] | undefined;
  status: () => RunnerStatus;
  close: () => void;
};

export type ConnectionOptions = Pick<SocketOptions, 'url' | 'address' | 'token' | 'memoryLimitMb' | 'log'> & {
  /** Called when the connection opened, and when it closed. */
  onChange: () => void;
  /** Called with errors of the relayer in key functions, and of the runner. */
  onHostError: (error: unknown, context: { cid: string }) => void;
  /** Called with the identifier of a key node whose answer does not hold. */
  onWrongAnswer: (node: number) => void;
};

type PendingMint = Asking & { minted: PromiseWithResolvers<string> };

/** Runs and mints by the number that the connection gave them. */
class Calls {
  readonly runs = new Map<number, RemoteRun>();
  readonly mints = new Map<number, PendingMint>();
  #lastId = 0;

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Returns the function with which a run or mint asks key nodes; undefined when it has ended or has not begun. */
  asking(id: number): Asking | undefined {
    const run = this.runs.get(id);
    if (!run) return this.mints.get(id);
    const keys = run.holder()?.keys;
    return keys && { ...keys, requests: run.requests };
  }

  /** Returns the requests about chains of a run that has begun. */
  chainsOf(id: number): ChainRequests | undefined {
    const run = this.runs.get(id);
    return run?.holder() && run.chainRequests;
  }

  end(id: number, run: RemoteRun): void {
    this.runs.delete(id);
    run.close();
    run.chainRequests?.end();
  }

  cidOf(id: number): string {
    return this.runs.get(id)?.holder()?.cid ?? '';
  }

  /** @param end Error of the runs that have begun. */
  loseAll(end: Error): void {
    for (const run of this.runs.values()) run.lose(end);
    for (const { minted } of this.mints.values()) minted.reject(new NotStartedError('the runner was lost'));
    for (const { requests } of [...this.runs.values(), ...this.mints.values()]) requests.endAll();
    this.runs.clear();
  }
}

export function connectRunner(options: ConnectionOptions): RunnerConnection {
  const calls = new Calls();
  let load = NO_LOAD;
  /** Processes that own runs took since the runner told its load. */
  let takenSince = 0;
  let hello: Parameters<SocketOptions['onOpen']>[0] = {};
  const receive = createReceiver(calls, (message) => socket.send(message), options);
  const socket = openRunnerSocket({
    ...options,
    onOpen(found) {
      hello = found;
      options.onChange();
    },
    onMessage(message) {
      if (message.type !== 'load') return receive(message);
      ({ load } = message);
      takenSince = 0;
    },
    onClose(isStop) {
      load = NO_LOAD;
      const interrupted = new RunInterruptedError('the runner stopped before the run ended');
      calls.loseAll(isStop ? interrupted : new RunnerCrashedError('the runner was lost'));
      options.onChange();
    },
  });

  return {
    name: options.address === undefined ? options.url : `${options.url} at ${options.address}`,
    isOpen: socket.isOpen,
    speaks: socket.speaks,
    fault: socket.fault,
    load: () => load,
    ownRuns: () => calls.runs.size,
    idle: () => load.idle - takenSince,
    async run(request, takesIdle) {
      request.signal.throwIfAborted();
      requireOpen(socket);
      takenSince += 1;
      const id = calls.nextId();
      const run = startRemoteRun({ id, request, takesIdle, send: socket.send });
      calls.runs.set(id, run);
      try {
        return await run.ended;
      } finally {
        calls.end(id, run);
      }
    },
    async make(messageOf, nodes) {
      requireOpen(socket);
      const id = calls.nextId();
      return mintAt(calls.mints, id, nodes, () => socket.send(messageOf(id)));
    },
    attested: () => (socket.isOpen() ? hello.attested : undefined),
    keyGroup: () => (socket.isOpen() ? hello.keyGroup : undefined),
    status: () => statusOf(options, socket, hello, load),
    close: socket.close,
  };
}

function requireOpen({ isOpen }: RunnerSocket): void {
  if (!isOpen()) throw new NotStartedError('the runner is not connected');
}

function statusOf(
  { url, address }: Pick<ConnectionOptions, 'url' | 'address'>,
  { isOpen, fault }: RunnerSocket,
  { version }: { version?: string | undefined },
  load: Load,
): RunnerStatus {
  const host = url.startsWith('unix:') ? url : new URL(url).host;
  return {
    name: address === undefined ? host : `${host} at ${address}`,
    isConnected: isOpen(),
    version: isOpen() ? version : undefined,
    fault: fault(),
    ...load,
  };
}

async function mintAt(
  mints: Map<number, PendingMint>,
  id: number,
  nodes: AskNodes,
  send: () => void,
): Promise<string> {
  const minted = Promise.withResolvers<string>();
  const requests = new KeyRequests();
  const onOutage = (message: string) => minted.reject(new KeyNodesUnavailableError(message));
  mints.set(id, { minted, nodes, requests, onOutage });
  send();
  const deadline = createDeadline(minted.reject);
  deadline.set(OVERDUE_MS);
  try {
    return await minted.promise;
  } finally {
    deadline.clear();
    mints.delete(id);
    requests.endAll();
  }
}

type Received = Exclude<RunnerMessage, { type: 'load' }>;

/** Returns the function that handles the messages of a runner. */
function createReceiver(
  calls: Calls,
  send: (message: ToRunner) => void,
  { onHostError, onWrongAnswer }: Pick<ConnectionOptions, 'onHostError' | 'onWrongAnswer'>,
): (message: Received) => void {
  const onError = (error: unknown, run: number) => onHostError(error, { cid: calls.cidOf(run) });
  const keyRequests = createKeyRequests({ send, find: (run) => calls.asking(run), onError });
  const chains = createChainRequests({
    send,
    find: (run) => calls.chainsOf(run),
    onError,
  });
  const answer = async (message: Ask): Promise<void> => {
    const { run } = message;
    send(await answerAsk(message, calls.runs.get(run)?.holder(), (error) => onError(error, run)));
  };
  return (message) => {
    if ('run' in message) calls.runs.get(message.run)?.noteMessage(message.type);
    switch (message.type) {
      case 'certificate':
      case 'secret':
      case 'take allowance':
        void answer(message);
        break;
      case 'key request':
        void keyRequests.answer(message);
        break;
      case 'key request done':
        keyRequests.end(message);
        break;
      case 'send transaction':
        void chains.sendTransaction(message);
        break;
      case 'transaction signed':
      case 'transaction not signed':
        chains.takeSignatures(message);
        break;
      case 'rpc':
        void chains.callNode(message);
        break;
      case 'wrong answer':
        onWrongAnswer(message.node);
        break;
      case 'minted':
        calls.mints.get(message.id)?.minted.resolve(message.value);
        break;
      case 'mint failed':
        calls.mints.get(message.id)?.minted.reject(new RuntimeUnavailableError(message.message));
        break;
      case 'host error': {
        const error = new Error(message.message);
        if (message.stack !== undefined) error.stack = message.stack;
        onHostError(error, { cid: message.cid });
        break;
      }
      default:
        calls.runs.get(message.id)?.receive(message);
    }
  };
}
