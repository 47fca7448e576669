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
  type ApprovalMessage,
  type CallMessage,
  type FetchControlMessage,
  type FetchMessage,
  type ImportMessage,
  type ImportReply,
  ProtocolViolation,
} from './protocol.ts';

const MAX_MODULES = 100;
/** Import statements of all modules together. */
const MAX_IMPORTS = 10_000;
const MAX_IMPORTS_AT_ONCE = 3;

/** Calls a key function. Errors meant for the action are `ActionError`s. */
export type CallKey = (operation: KeyOperation, args: unknown) => Promise<string>;

export type ActionRequestsOptions = Omit<FetchRequestsOptions, 'limits' | 'toFailure'> & {
  callKey: CallKey;
  findApproval: FindApproval;
  limits: FetchRequestsOptions['limits'] & Pick<RunLimits, 'maxKeyCalls' | 'maxKeyOperations'>;
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
    message: ApprovalMessage | CallMessage | FetchMessage | ImportMessage | FetchControlMessage,
    body: Uint8Array,
  ) => void;
  /** Counts bytes that fetches sent or received. */
  countFetchedBytes: (bytes: number) => void;
};

export function createActionRequests(options: ActionRequestsOptions): ActionRequests {
  const { callKey, limits } = options;
  const findExcess = createKeyCounts(limits);
  let lastId = 0;

  const call = (asked: CallMessage): void => {
    const excess = findExcess(asked);
    if (excess !== undefined) {
      options.fail(new ActionError('KeyLimitError', excess));
      return;
    }
    void answer(options, asked.id, async () => [await callKey(asked.operation, asked.args)]);
  };

  const fetches = createFetchRequests({
    ...options,
    toFailure: (error) => toFailure(error, options.onHostError),
  });

  const approve = createApprove(options);
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
      else if (message.type === 'approval') approve(message);
      else if (message.type === 'import') load(message);
      else fetches.start(message, body);
    },
  };
}

/** Returns the function that counts a call, and returns the limit that it exceeds. */
function createKeyCounts({ maxKeyCalls, maxKeyOperations }: ActionRequestsOptions['limits']) {
  const operations = new Set<string>();
  let calls = 0;
  return ({ operation, args }: CallMessage): string | undefined => {
    calls += 1;
    const { pkpId, keyType, ipfsId } = (args ?? {}) as Record<string, unknown>;
    // Each is cut on its own: a long one must not hide the others.
    const [wallet, ...others] = [pkpId, keyType, ipfsId].map((value) =>
      typeof value === 'string' ? value.slice(0, MAX_CID_LENGTH) : '',
    );
    operations.add([operation, wallet?.toLowerCase(), ...others].join(' '));
    if (operations.size > maxKeyOperations)
      return `the action used more than ${maxKeyOperations} key functions, each counted once per wallet`;
    return calls > maxKeyCalls ? `the action called key functions more than ${maxKeyCalls} times` : undefined;
  };
}

/** Returns the function that answers with a proof of an approval, or ends the run, which needs one. */
function createApprove(options: ActionRequestsOptions): (message: ApprovalMessage) => void {
  let calls = 0;
  return ({ id, args }) => {
    calls += 1;
    if (calls > MAX_PROOFS) {
      const message = `the action called requireApproval more than ${MAX_PROOFS} times`;
      options.fail(new ActionError('ApprovalLimitError', message));
      return;
    }
    void answer(options, id, async () => {
      const request = readApprovalRequest(args);
      const proof = options.findApproval(request);
      if (!proof) options.fail(new ApprovalRequiredError(request));
      return [JSON.stringify(proof ?? null)];
    });
  };
}

/** Returns the function that loads modules for the action, three of them concurrently. */
function createLoad(options: ActionRequestsOptions): (message: ImportMessage) => void {
  /** Hashes by URL. */
  const modules = new Map<string, string>();
  const importInTurn = createTurns(MAX_IMPORTS_AT_ONCE);
  let imports = 0;
  const requireFewModules = (): void => {
    if (modules.size > MAX_MODULES)
      throw new ActionError('ImportError', `the action imports more than ${MAX_MODULES} modules`);
  };
  return ({ id, specifier, referrer }) => {
    imports += 1;
    if (imports > MAX_IMPORTS) throw new ProtocolViolation('import');
    importInTurn(async () => {
      if (options.ended.aborted) return;
      await answer(options, id, async () => {
        requireFewModules();
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
function toFailure(error: unknown, onHostError: (error: unknown) => void): { name: string; message: string } {
  if (error instanceof ActionError) return { name: error.name, message: error.message };
  onHostError(error);
  return { name: 'InternalError', message: 'internal error of the service' };
}
