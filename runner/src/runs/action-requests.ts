/** Serves an action's key operations, imports and fetches within the limits of its run. */
import { MAX_CID_LENGTH } from '@latchkey/protocol';
import {
  ActionError,
  ApprovalRequiredError,
  type KeyOperation,
  MAX_PROOFS,
  type RunLimits,
} from '@latchkey/runner-protocol';
import { createFetchRequests, type FetchRequestsOptions } from '../fetching/fetch-requests.ts';
import type { Imports } from '../imports/imports.ts';
import { createTurns } from '../scheduling/turns.ts';
import { type FindApproval, readApprovalRequest } from './approvals.ts';
import {
  type CallMessage,
  type FetchControlMessage,
  type FetchMessage,
  type ImportMessage,
  type ImportReply,
  ProtocolViolation,
  type RpcMessage,
} from './protocol.ts';

const MAX_MODULES = 100;
/** Imports of all modules together. */
const MAX_IMPORTS = 10_000;
const MAX_IMPORTS_AT_ONCE = 3;
const MAX_RPC_AT_ONCE = 6;

/** Takes a part of a limit, with the arguments of the action. Resolves to the JSON of the signed statement. */
export type TakeAllowance = (args: unknown) => Promise<string>;
/** Calls a key function. Errors meant for the action are `ActionError`s. */
export type CallKey = (operation: KeyOperation, args: unknown) => Promise<string>;

const noAllowances: TakeAllowance = () => Promise.reject(new Error('the run has no relayer'));

/** Calls a node of a chain. Resolves to JSON of the `result` or `error` of JSON-RPC. */
export type CallChain = (call: Pick<RpcMessage, 'chainId' | 'method' | 'params'>) => Promise<string>;

export type ActionRequestsOptions = Omit<FetchRequestsOptions, 'limits' | 'toFailure'> & {
  callKey: CallKey;
  /** Absent in runs without a relayer. */
  takeAllowance?: TakeAllowance | undefined;
  callChain: CallChain;
  /** Absent in a run that was given no approval. */
  findApproval?: FindApproval | undefined;
  limits: FetchRequestsOptions['limits'] &
    Pick<RunLimits, 'maxKeyCalls' | 'maxKeyOperations' | 'maxTransactions'>;
  /** Loads a module for the action or another module. */
  load: Imports['load'];
  onHostError: (error: unknown) => void;
};

export type ActionRequests = {
  /**
   * Handles a message of the action. Throws `ProtocolViolation` for an id that is not larger than earlier ids, for more
   * imports than code can have, and for messages about fetches that the run cannot need.
   */
  take: (
    message: CallMessage | RpcMessage | FetchMessage | ImportMessage | FetchControlMessage,
    body: Uint8Array,
  ) => void;
  /** Counts bytes that fetches sent or received. */
  countFetchedBytes: (bytes: number) => void;
};

export function createActionRequests(options: ActionRequestsOptions): ActionRequests {
  const { callKey, takeAllowance = noAllowances, callChain, limits } = options;
  const findExcess = createKeyCounts(limits);
  const rpcInTurn = createTurns(MAX_RPC_AT_ONCE);
  let lastId = 0;

  const call = (asked: CallMessage): void => {
    const excess = findExcess(asked);
    if (excess) {
      options.fail(excess);
      return;
    }
    const { operation, args } = asked;
    void answer(options, asked.id, async () => {
      if (operation === 'requireApproval') return [requireApproval(options, args)];
      return [operation === 'takeAllowance' ? await takeAllowance(args) : await callKey(operation, args)];
    });
  };

  const fetches = createFetchRequests({
    ...options,
    toFailure: (error) => toFailure(error, options.onHostError),
  });

  const rpc = ({ id, ...asked }: RpcMessage): void => {
    if (fetches.countCall()) rpcInTurn(() => answer(options, id, async () => [await callChain(asked)]));
  };

  const load = createLoad(options);

  return {
    countFetchedBytes: fetches.countBytes,
    take(message, body) {
      if (message.type === 'abort' || message.type === 'pull' || message.type === 'chunk') {
        fetches.control(message, body);
        return;
      }
      if (message.id <= lastId) throw new ProtocolViolation(message.type);
      lastId = message.id;
      if (message.type === 'call') call(message);
      else if (message.type === 'rpc') rpc(message);
      else if (message.type === 'import') load(message);
      else fetches.start(message, body);
    },
  };
}

/** Returns the function that counts a call, and returns the limit that it exceeds. */
function createKeyCounts({
  maxKeyCalls,
  maxKeyOperations,
  maxTransactions,
}: ActionRequestsOptions['limits']) {
  const operations = new Set<string>();
  let calls = 0;
  let transactions = 0;
  let approvals = 0;
  const keyLimit = (text: string) => new ActionError('KeyLimitError', text);
  return ({ operation, args }: CallMessage): ActionError | undefined => {
    calls += 1;
    if (operation === 'sendTransaction') transactions += 1;
    if (transactions > maxTransactions)
      return new ActionError(
        'TransactionLimitError',
        `the action sent more than ${maxTransactions} transactions`,
      );
    if (operation === 'requireApproval') approvals += 1;
    if (approvals > MAX_PROOFS)
      return new ActionError(
        'ApprovalLimitError',
        `the action called requireApproval more than ${MAX_PROOFS} times`,
      );
    const { pkpId, keyType, ipfsId } = (args ?? {}) as Record<string, unknown>;
    // Each is cut on its own: a long one must not hide the others.
    const [wallet, ...others] = [pkpId, keyType, ipfsId].map((value) =>
      typeof value === 'string' ? value.slice(0, MAX_CID_LENGTH) : '',
    );
    if (operation !== 'takeAllowance' && operation !== 'requireApproval')
      operations.add([operation, wallet?.toLowerCase(), ...others].join(' '));
    if (operations.size > maxKeyOperations)
      return keyLimit(
        `the action used more than ${maxKeyOperations} key functions, each counted once per wallet`,
      );
    if (calls <= maxKeyCalls) return undefined;
    return keyLimit(`the action called key functions more than ${maxKeyCalls} times`);
  };
}

/** Returns the JSON of the proof of an approval, or ends the run, which needs one. */
function requireApproval({ findApproval, fail }: ActionRequestsOptions, args: unknown): string {
  const request = readApprovalRequest(args);
  const proof = findApproval?.(request);
  if (!proof) fail(new ApprovalRequiredError(request));
  return JSON.stringify(proof ?? null);
}

/** Returns the function that loads modules for the action, three of them concurrently. */
function createLoad(options: ActionRequestsOptions): (message: ImportMessage) => void {
  /** Hashes by URL. */
  const modules = new Map<string, string>();
  const importInTurn = createTurns(MAX_IMPORTS_AT_ONCE);
  let imports = 0;
  /** Counts as modules: each can be a download. A run goes on after refused ones that it imports dynamically. */
  let refused = 0;
  const requireFewModules = (): void => {
    if (modules.size + refused > MAX_MODULES)
      throw new ActionError('ImportError', `the action imports more than ${MAX_MODULES} modules`);
  };
  const loadModule = async ({ specifier, referrer }: ImportMessage): Promise<[ImportReply, Uint8Array?]> => {
    const { url, hash, source } = await options.load(specifier, referrer);
    const known = modules.get(url);
    // The process has one module per URL: the first that was loaded.
    if (known !== undefined && known !== hash)
      throw new ActionError(
        'ImportError',
        `${url} has the hash ${hash}, another import of the run has ${known}`,
      );
    if (known !== undefined) return [{ url, hash }];
    modules.set(url, hash);
    requireFewModules();
    return [{ url, hash }, source];
  };
  return (message) => {
    imports += 1;
    if (imports > MAX_IMPORTS) throw new ProtocolViolation('import');
    importInTurn(async () => {
      if (options.ended.aborted) return;
      await answer(options, message.id, async () => {
        requireFewModules();
        return loadModule(message).catch((error) => {
          refused += 1;
          throw error;
        });
      });
    });
  };
}

/** Sends the result of `work`, or the error that the action is allowed to see. */
async function answer(
  { send, ended, onHostError }: Pick<ActionRequestsOptions, 'send' | 'ended' | 'onHostError'>,
  id: number,
  work: () => Promise<[string | ImportReply, Uint8Array?]>,
): Promise<void> {
  try {
    const [value, body] = await work();
    if (!ended.aborted) await send({ type: 'reply', id, ok: true, value }, body);
  } catch (error) {
    if (ended.aborted) return;
    await send({ type: 'reply', id, ok: false, ...toFailure(error, onHostError) });
  }
}

/** Returns what the action is allowed to know of an error. */
export function toFailure(
  error: unknown,
  onHostError: (error: unknown) => void,
): { name: string; message: string } {
  if (error instanceof ActionError) return { name: error.name, message: error.message };
  onHostError(error);
  return { name: 'InternalError', message: 'internal error of the service' };
}
