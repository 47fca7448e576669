/** Serves an action's key operations, imports and fetches within the limits of its run. */
import { ActionError, type KeyOperation, type RunLimits } from '@latchkey/runner-protocol';
import type { Imports } from './imports/imports.ts';
import {
  type CallMessage,
  type ChildMessage,
  type FetchMessage,
  type FetchReply,
  type ImportMessage,
  type ImportReply,
  ProtocolViolation,
  type ReplyMessage,
} from './protocol.ts';

/** Each fetch holds its bodies in the host's memory; further ones wait. */
const MAX_FETCHES_AT_ONCE = 6;
const MAX_MODULES = 100;
/** Import statements of all modules together. */
const MAX_IMPORTS = 10_000;
const MAX_IMPORTS_AT_ONCE = 3;

type AbortMessage = Extract<ChildMessage, { type: 'abort' }>;

/** Calls a key function. Errors meant for the action are `ActionError`s. */
export type CallKey = (operation: KeyOperation, args: unknown) => Promise<string>;

export type ActionRequestsOptions = {
  callKey: CallKey;
  limits: Pick<RunLimits, 'maxKeyOperations' | 'maxFetches'>;
  /** Makes one fetch. Calls `onRequest` before each outgoing request, including redirects. */
  fetch: (
    message: FetchMessage,
    body: Uint8Array,
    signal: AbortSignal,
    onRequest: () => void,
  ) => Promise<[FetchReply, Uint8Array?]>;
  /** Loads a module for the action or another module. */
  load: Imports['load'];
  send: (reply: ReplyMessage, body?: Uint8Array) => Promise<unknown>;
  /** Ends the run. */
  fail: (error: ActionError) => void;
  /** Aborts when the run ends; nothing is answered afterwards. */
  ended: AbortSignal;
  onHostError: (error: unknown) => void;
};

export type ActionRequests = {
  /**
   * Handles a message of the action. Throws `ProtocolViolation` for an id that is not larger than earlier ids, and for
   * more aborts than fetches or more imports than code can have.
   */
  take: (message: CallMessage | FetchMessage | ImportMessage | AbortMessage, body: Uint8Array) => void;
};

export function createActionRequests(options: ActionRequestsOptions): ActionRequests {
  const { callKey, limits, ended } = options;
  const fetchAborts = new Map<number, AbortController>();
  const inTurn = createTurns(MAX_FETCHES_AT_ONCE);
  let keyOperations = 0;
  let fetches = 0;
  let requests = 0;
  let aborts = 0;
  let lastId = 0;

  const call = (asked: CallMessage): void => {
    keyOperations += 1;
    if (keyOperations > limits.maxKeyOperations) {
      const message = `the action called key functions more than ${limits.maxKeyOperations} times`;
      options.fail(new ActionError('KeyLimitError', message));
      return;
    }
    void answer(options, asked.id, async () => [await callKey(asked.operation, asked.args)]);
  };

  const fetchLimitError = () =>
    new ActionError('FetchLimitError', `the action fetched more than ${limits.maxFetches} times`);
  const countRequest = (): void => {
    requests += 1;
    if (requests <= limits.maxFetches) return;
    options.fail(fetchLimitError());
    throw fetchLimitError();
  };
  const fetch = (message: FetchMessage, body: Uint8Array): void => {
    fetches += 1;
    if (fetches > limits.maxFetches) {
      options.fail(fetchLimitError());
      return;
    }
    const abort = new AbortController();
    fetchAborts.set(message.id, abort);
    inTurn(async () => {
      const either = AbortSignal.any([ended, abort.signal]);
      if (!either.aborted)
        await answer(options, message.id, () => options.fetch(message, body, either, countRequest));
      fetchAborts.delete(message.id);
    });
  };

  const modules = new Set<string>();
  const importInTurn = createTurns(MAX_IMPORTS_AT_ONCE);
  let imports = 0;
  const requireFewModules = (): void => {
    if (modules.size > MAX_MODULES)
      throw new ActionError('ImportError', `the action imports more than ${MAX_MODULES} modules`);
  };
  const load = ({ id, specifier, referrer }: ImportMessage): void => {
    imports += 1;
    if (imports > MAX_IMPORTS) throw new ProtocolViolation('import');
    importInTurn(async () => {
      if (ended.aborted) return;
      await answer(options, id, async () => {
        requireFewModules();
        const { url, hash, source } = await options.load(specifier, referrer);
        if (modules.has(url)) return [{ url, hash }];
        modules.add(url);
        requireFewModules();
        return [{ url, hash }, source];
      });
    });
  };

  return {
    take(message, body) {
      if (message.type === 'abort') {
        aborts += 1;
        if (aborts > limits.maxFetches) throw new ProtocolViolation('abort');
        fetchAborts.get(message.id)?.abort();
        return;
      }
      if (message.id <= lastId) throw new ProtocolViolation(message.type);
      lastId = message.id;
      if (message.type === 'call') call(message);
      else if (message.type === 'import') load(message);
      else fetch(message, body);
    },
  };
}

/** Sends the result of `work`, or the error that the action is allowed to see. */
async function answer(
  { send, ended, onHostError }: Pick<ActionRequestsOptions, 'send' | 'ended' | 'onHostError'>,
  id: number,
  work: () => Promise<[string | FetchReply | ImportReply, Uint8Array?]>,
): Promise<void> {
  try {
    const [value, body] = await work();
    if (!ended.aborted) await send({ type: 'reply', id, ok: true, value }, body);
  } catch (error) {
    if (ended.aborted) return;
    if (!(error instanceof ActionError)) onHostError(error);
    const { name, message } =
      error instanceof ActionError
        ? error
        : { name: 'InternalError', message: 'internal error of the service' };
    await send({ type: 'reply', id, ok: false, name, message });
  }
}

/** Runs at most `maxConcurrent` tasks concurrently, the others in the order of arrival. */
function createTurns(maxConcurrent: number): (work: () => Promise<void>) => void {
  const waiting: (() => Promise<void>)[] = [];
  let atOnce = 0;
  const startWaiting = (): void => {
    while (atOnce < maxConcurrent) {
      const next = waiting.shift();
      if (!next) return;
      atOnce += 1;
      void next().finally(() => {
        atOnce -= 1;
        startWaiting();
      });
    }
  };
  return (work) => {
    waiting.push(work);
    startWaiting();
  };
}
