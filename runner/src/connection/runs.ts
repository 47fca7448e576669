/** The runs of one connection, by the id that the relayer gave them. */
import { ActionError, type Failure, type FromRunner, type ToRunner } from '@latchkey/runner-protocol';
import { readAllowance } from '@latchkey/runner-protocol/allowance';
import { inSpan, remoteParent } from '@latchkey/service/tracing';
import type { OpenKeys, RunnerKeys } from '../keys/runner-keys.ts';
import type { CallChain, CallKey } from '../runs/action-requests.ts';
import { createFindApproval } from '../runs/approvals.ts';
import type { Runtime, Slot } from '../runtime.ts';
import type { ActionCodes } from './action-codes.ts';
import type { Calls } from './calls.ts';
import type { ChainCalls } from './chain-calls.ts';
import { createLogStream } from './log-stream.ts';

type RunMessage = Extract<ToRunner, { type: 'run' }>;
type Run = {
  stop: AbortController;
  slot: Slot | undefined;
  /** The action and usage key of the first `run` message. A later message that names others is refused. */
  keysOf?: Pick<RunMessage, 'usageKeyHash' | 'cid' | 'runId'> | undefined;
  keys?: OpenKeys | undefined;
  chains?: ReturnType<ChainCalls['forRun']> | undefined;
  isCodeMissing: boolean;
  hasBegun: boolean;
};

export type RunsOptions = {
  runtime: Runtime;
  codes: ActionCodes;
  /** Absent without key nodes. */
  keys: RunnerKeys | undefined;
  calls: Calls;
  chainCalls: ChainCalls;
  send: (message: FromRunner) => void;
};

const noKeys: CallKey = () =>
  Promise.reject(new Error('this runner has no key nodes: set KEY_GROUP and RUNNER_IDENTITY'));
/** A relayer of the version before answers no message about chains. */
const noChains = {
  sendTransaction: () => Promise.reject(new ActionError('TransactionError', 'the relayer has no chains')),
  callChain: (() => Promise.reject(new ActionError('RpcError', 'the relayer has no chains'))) as CallChain,
  end() {},
};

const noSecrets = () =>
  Promise.reject(new ActionError('SecretError', 'the relayer has no secrets: it is of an earlier version'));

export class Runs {
  readonly #options: RunsOptions;
  readonly #runs = new Map<number, Run>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  async take({ id, account }: Extract<ToRunner, { type: 'take' }>): Promise<void> {
    const { runtime, send } = this.#options;
    const run = this.#open(id);
    try {
      const slot = await runtime.take(BigInt(account), run.stop.signal);
      // The relayer gave the run up in the meantime.
      if (this.#runs.get(id) !== run) return slot.release();
      run.slot = slot;
      send({ type: 'taken', id });
    } catch (error) {
      this.#forget(id, run);
      if (!run.stop.signal.aborted) send({ type: 'unavailable', id, message: (error as Error).message });
    }
  }

  async start(message: RunMessage, body: Buffer): Promise<void> {
    const { codes, send } = this.#options;
    const { id, account, cid, usageKeyHash, runId } = message;
    const run = account === undefined ? this.#runs.get(id) : this.#takeIdle(id, account);
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
    if (!code || this.#runs.get(id) !== run) return;
    const { slot } = run;
    const result = await inSpan('code', () => this.#execute(run, slot, message, code), {
      parent: remoteParent({ traceparent: message.traceparent }),
    });
    this.#forget(id, run);
    send({ type: 'result', id, result });
  }

  /** Stops a run for this reason. Without one, the relayer does not wait for its result. */
  end(id: number, reason?: Failure): void {
    const run = this.#runs.get(id);
    run?.stop.abort(reason && new ActionError(reason.name, reason.message));
    if (reason) return;
    run?.chains?.end();
    run?.keys?.end();
    run?.slot?.release();
    this.#runs.delete(id);
  }

  endAll(): void {
    for (const id of [...this.#runs.keys()]) this.end(id);
  }

  #open(id: number, slot?: Slot): Run {
    if (this.#runs.has(id)) throw new Error(`the run ${id} exists`);
    const run: Run = { stop: new AbortController(), isCodeMissing: false, hasBegun: false, slot };
    this.#runs.set(id, run);
    return run;
  }

  /** Another run can have the id by now. */
  #forget(id: number, run: Run): void {
    if (this.#runs.get(id) === run) this.#runs.delete(id);
  }

  /** Takes an idle process for a run that did not take one before. */
  #takeIdle(id: number, account: string): Run | undefined {
    const { runtime, send } = this.#options;
    if (this.#runs.has(id)) throw new Error(`the run ${id} exists`);
    const slot = runtime.takeIdle(BigInt(account));
    if (slot) return this.#open(id, slot);
    send({ type: 'unavailable', id, message: 'the runner has no idle process' });
    return undefined;
  }

  async #execute(run: Run, slot: Slot, message: RunMessage, code: Uint8Array): ReturnType<Slot['run']> {
    const { keys, calls, chainCalls, send } = this.#options;
    const { id, cid, usageKeyHash, runId, params, timeoutMs, streamsLogs, hasChains } = message;
    const asks = {
      askNodes: calls.nodesFor(id),
      certificateOf: calls.certificatesFor(id),
      secretOf: message.hasSecrets ? calls.secretsFor(id) : noSecrets,
    };
    run.keys = keys?.openRun(asks, { usageKeyHash, cid, runId }, params);
    const takeAllowance = calls.allowancesFor(id);
    const callKey = run.keys?.callKey ?? noKeys;
    run.chains = hasChains ? chainCalls.forRun(id, callKey) : noChains;
    const { sendTransaction, callChain } = run.chains;
    const logs = streamsLogs ? createLogStream((text) => send({ type: 'log', id, text })) : undefined;
    const result = await slot.run({
      code,
      cid,
      params,
      signal: run.stop.signal,
      callKey: (operation, args) =>
        operation === 'sendTransaction' ? sendTransaction(args) : callKey(operation, args),
      takeAllowance: async (args) => takeAllowance(readAllowance(args)),
      callChain,
      findApproval: createFindApproval(message),
      limits: { timeoutMs },
      onLog: logs?.add,
    });
    logs?.end();
    run.chains.end();
    run.keys?.end();
    return result;
  }
}
