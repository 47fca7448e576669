import { setImmediate } from 'node:timers/promises';
import { later } from '@latchkey/chain/chain';
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { forbidden, notFound, unauthorized } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import {
  ActionError,
  failedResult,
  type RunResult,
  type RuntimeUnavailableError,
  toRunError,
} from '@latchkey/runner-protocol';
import type { Logger } from 'pino';
import { zeroAddress } from 'viem';
import { type RunCaller, requireValidKey } from '../../auth/authenticators.ts';
import { RunUnpaidError } from '../../billing/run-meter.ts';
import type { PaidRun, RunOutcome } from '../../billing/runs.ts';
import type { Context } from '../../context.ts';
import type { KeyNodes } from '../../keys/key-nodes.ts';
import { createRunKeys } from '../../keys/release.ts';
import { knownCidOf } from '../../known-cids.ts';
import type { Place } from '../../runners/admission.ts';
import { KeyNodesUnavailableError, RunInterruptedError } from '../../runners/errors.ts';
import type { SignedReceipt } from '../../runners/receipts.ts';
import { paramsOf } from '../../runners/run-input.ts';
import type { RunKeySource } from '../../runners/runner-connection.ts';
import type { Taken } from '../../runners/runners.ts';

/** `ExecutionRule` of the contract. */
const KEY_UNKNOWN = 0;
const KEY_EXPIRED = 2;

export type RunContext = Pick<
  Context,
  | 'accountConfig'
  | 'actionCodes'
  | 'actionKeys'
  | 'actionSource'
  | 'admission'
  | 'keyNodes'
  | 'keyProvider'
  | 'keyRegistry'
  | 'permittedRuns'
  | 'receipts'
  | 'runLimits'
  | 'runners'
  | 'runs'
  | 'runStops'
  | 'runWatch'
>;

type Run = {
  /** Not empty. */
  code: string | undefined;
  ipfs_id?: string | null | undefined;
  js_params?: Record<string, unknown> | null | undefined;
  json_params?: Record<string, string> | null | undefined;
  caller: RunCaller;
  runId: string;
  idempotencyId: string | undefined;
  /** Called when the code begins. */
  onStart?: ((cid: string) => void) | undefined;
  /** Called with the console output as it comes. */
  onLog?: ((text: string) => void) | undefined;
  log: Logger;
};

/**
 * Runs given code, or the code of a CID, after the contract confirms that the key is permitted to run it, and charges
 * for it. An idempotent request that has already run gets the outcome of that run.
 */
export async function runAction(context: RunContext, run: Run): Promise<RunOutcome> {
  const { runs } = context;
  const { runId, idempotencyId } = run;
  const { hash, account, expiration } = run.caller;
  const earlier = idempotencyId === undefined ? undefined : await runs.outcome(idempotencyId);
  if (earlier) return earlier;
  // Refused here, a run above the share of its account costs no call to the chain or the ledger.
  using place = context.admission.admit(account);
  const { cid, code } = await resolveSource(context, run, place);
  place.holdCode(Buffer.byteLength(code));
  using watched = context.runWatch.watch({ account, key: hash, cidHash: cidHash(cid), expiration });

  using stops = context.runStops.watch(runId);
  const ends = [watched.signal, place.signal, stops.signal];
  const { minBlock, hasChanged, paid, taken } = await prepare(context, run, cid, ends);
  let result: RunResult;
  let receipt: SignedReceipt | undefined;
  try {
    const { keys, outage } = createKeys(context, { hash, cid, runId, minBlock });
    const signal = AbortSignal.any([paid.signal, ...ends]);
    const ended = await execute(context, run, { cid, code, hash, keys, hasChanged, signal, paid, taken });
    ({ result } = ended);
    if (signal.reason instanceof RunUnpaidError || signal.reason instanceof RunInterruptedError)
      throw signal.reason;
    // The service caused the failure: the run costs nothing and can be retried.
    if (result.hasError && outage()) throw outage();
    const { params } = ended;
    if (params !== undefined) {
      receipt = context.receipts.sign({ runId, cid, key: hash, params, result });
      if ('nodes' in keys) context.actionKeys.publish({ usageKeyHash: hash, cid, runId }, keys.nodes);
    }
  } catch (thrown) {
    await paid.release();
    throw thrown;
  }
  const captured = paid.capture(result, receipt);
  const { durationMs, hasError } = result;
  const log = () => run.log.info({ run_id: runId, cid, duration_ms: durationMs, has_error: hasError }, 'run');
  void statementSent().then(log);
  const outcome = await captured;
  if (outcome.costMicros > 0n && !outcome.hasCode)
    // The run is paid: its reply does not depend on storing its code.
    await context.actionCodes
      .keep(account, cid, code)
      .catch((err: unknown) => run.log.warn({ err, cid }, 'failed to store the code of an action'));
  return outcome;
}

type Source = { cid: string; code: string };
/** A process, or the `ActionError` that ended the run while it waited for one. */
type TakenOrEnded = { process: Taken } | { end: ActionError };

/**
 * Asks the contract whether the key may run the action, reserves the first second and takes a process. Releases all of it
 * when one is refused. The contract is not asked while no change of the account is known since its last permission. The
 * three are concurrent for a key and action that were permitted before; others wait for the contract, so that a refused
 * run has no entry in the ledger. A run that is paid before it asks for a process takes an idle one when it begins.
 */
async function prepare(
  context: RunContext,
  { caller, runId, idempotencyId, onStart }: Run,
  cid: string,
  ends: AbortSignal[],
): Promise<{ minBlock: bigint; hasChanged: boolean; paid: PaidRun; taken: TakenOrEnded }> {
  const { hash, account } = caller;
  const id = `${hash} ${cid}`;
  // The account can have changed while the body arrived or code was downloaded, before the run was watched.
  const key = requireValidKey(await context.keyRegistry.findRecent(hash, caller.minBlock));
  if (key !== caller.key) context.runWatch.recheck(account, caller.minBlock);
  const requirePermission = (minBlock: bigint): Promise<void> =>
    requirePermitted(context, { hash, cid, minBlock });
  const permittedAt = context.permittedRuns.get(id);
  const permission = permittedAt === key ? Promise.resolve() : requirePermission(caller.minBlock);
  if (!permittedAt) await permission;

  const giveUp = new AbortController();
  const orGiveUp = (error: unknown): never => {
    giveUp.abort(error);
    throw error;
  };
  const permitted = permission.catch(orGiveUp);
  let isPaid = false;
  const begun = context.runs.begin({ id: runId, cid, account, key: hash, idempotencyId }).then((paid) => {
    isPaid = true;
    return paid;
  }, orGiveUp);
  const keysOf = permittedAt === key && {
    ...{ usageKeyHash: hash, cid },
    keys: createKeys(context, { hash, cid, runId, minBlock: caller.minBlock }).keys,
  };
  const process = statementSent().then(() => {
    const demand = { account, ...(keysOf && { keysOf }) };
    // A stream tells that the code begins, and an idle process is not certain before.
    const idle = isPaid && keysOf && !onStart ? context.runners.takeIdle(demand) : undefined;
    return idle ?? context.runners.take(demand, AbortSignal.any([giveUp.signal, ...ends]));
  });
  const took = process.then(
    (taken): TakenOrEnded => ({ process: taken }),
    (error: unknown): TakenOrEnded => {
      if (error instanceof ActionError) return { end: error };
      return orGiveUp(error);
    },
  );
  try {
    const [paid, taken] = await Promise.all([begun, took, permitted]);
    const minBlock = later(caller.minBlock, paid.accountHead);
    // Another relayer wrote to the account after the key was read.
    const hasChanged = paid.accountHead > key.block;
    if (hasChanged) {
      requireValidKey(await context.keyRegistry.find(hash, minBlock));
      await requirePermission(minBlock);
      // The write can have changed when the key expires.
      context.runWatch.recheck(account, minBlock);
    }
    context.permittedRuns.set(id, key);
    return { minBlock, hasChanged, paid, taken };
  } catch (thrown) {
    giveUp.abort(thrown);
    const [paid, taken] = await Promise.allSettled([begun, process]);
    // The next run of a key without credit asks for nothing ahead.
    if (paid.status === 'rejected') context.permittedRuns.delete(id);
    if (taken.status === 'fulfilled') taken.value.release();
    if (paid.status === 'fulfilled') await paid.value.release();
    throw thrown;
  }
}

/**
 * Resolves when the statement made just before has left, in the next turn of the event loop. Work that waits for it runs while the
 * database works, and a runner that is asked earlier would take the processor first.
 */
const statementSent = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

type Execution = Source & {
  hash: bigint;
  keys: RunKeySource;
  hasChanged: boolean;
  signal: AbortSignal;
  paid: PaidRun;
  taken: TakenOrEnded;
};

/**
 * Runs the code in its process. An error of the action is a result, and so is the end of a run that waited. `params` is the
 * JSON that the code got, undefined when it did not begin.
 */
async function execute(
  { runLimits }: RunContext,
  { js_params: jsParams, json_params: jsonParams, onStart, onLog }: Run,
  { cid, code, hash, keys, hasChanged, signal, paid, taken }: Execution,
): Promise<{ result: RunResult; params: string | undefined }> {
  try {
    if ('end' in taken) throw taken.end;
    const params = paramsOf({ code, jsParams, jsonParams: jsonParams ?? {} }, runLimits);
    onStart?.(cid);
    const { timeoutMs } = runLimits;
    const keysOf = { usageKeyHash: hash, cid, keys, hasChanged };
    const request = { ...keysOf, code, params, timeoutMs, onLog, clock: paid.clock, signal };
    return { result: await taken.process.run(request), params };
  } catch (error) {
    if ('process' in taken) taken.process.release();
    if (error instanceof ActionError)
      return { result: failedResult(toRunError(error.name, error.message)), params: undefined };
    throw error;
  }
}

type Outage = ChainUnavailableError | RuntimeUnavailableError;
type KeysOfRun = { hash: bigint; cid: string; runId: string; minBlock: bigint };

/** Returns where the keys of a run come from, and the outage when a key function could not ask. */
function createKeys(
  context: RunContext,
  run: KeysOfRun,
): { keys: RunKeySource; outage: () => Outage | undefined } {
  let outage: Outage | undefined;
  const notice = (error: Outage): void => {
    outage = error;
  };
  const { keyNodes } = context;
  const keys = keyNodes ? askNodes(context, keyNodes, run, notice) : askChain(context, run, notice);
  return { keys, outage: () => outage };
}

/** The key nodes ask the contract for themselves, per key. */
function askNodes(
  { actionKeys: { certificateOf } }: RunContext,
  keyNodes: KeyNodes,
  { hash, cid, runId, minBlock }: KeysOfRun,
  notice: (outage: Outage) => void,
): RunKeySource {
  const isOwn: Parameters<KeyNodes['askFor']>[0] = ({ purpose, run }) =>
    purpose.kind === 'nonces' ||
    ('cid' in purpose && purpose.cid === cid && BigInt(purpose.usageKeyHash) === hash && run === runId);
  return {
    nodes: keyNodes.askFor(isOwn, minBlock),
    runId,
    onOutage: (message) => notice(new KeyNodesUnavailableError(message)),
    certificateOf,
  };
}

/** This relayer has the keys. The contract is asked again per key, at the moment of its use. */
function askChain(
  { accountConfig, keyProvider }: RunContext,
  { hash, cid, minBlock }: KeysOfRun,
  notice: (outage: Outage) => void,
): RunKeySource {
  const noticed = (thrown: unknown): never => {
    if (thrown instanceof ChainUnavailableError) notice(thrown);
    throw thrown;
  };
  const local = createRunKeys({
    keyProvider,
    usageKeyHash: hash,
    cid,
    authority: {
      canExecuteAction: (...args) => accountConfig.read('canExecuteAction', args, minBlock).catch(noticed),
      canUseWalletInAction: (...args) =>
        accountConfig.read('canUseWalletInAction', args, minBlock).catch(noticed),
      getWalletDerivation: (...args) =>
        accountConfig.read('getWalletDerivation', args, minBlock).catch(noticed),
    },
  });
  return { local };
}

/** Rejects with a refusal when the contract does not permit the key to run the action. */
async function requirePermitted(
  context: RunContext,
  { hash, cid, minBlock }: { hash: bigint; cid: string; minBlock: bigint },
): Promise<void> {
  if (await context.accountConfig.read('canExecuteAction', [hash, cidHash(cid)], minBlock)) return;
  context.permittedRuns.delete(`${hash} ${cid}`);
  throw await refusal(context, hash, cid);
}

async function resolveSource(context: RunContext, run: Run, place: Place): Promise<Source> {
  if (run.code !== undefined) return { cid: await knownCidOf(run.code), code: run.code };
  const cid = run.ipfs_id ?? '';
  const { hash, minBlock } = run.caller;
  const code = await context.actionSource(cid, async () => {
    await requirePermitted(context, { hash, cid, minBlock });
    place.holdCode(context.runLimits.maxCodeBytes);
  });
  if (code === undefined)
    throw notFound('The relayer does not have the code of this CID.', {
      fix: 'Send the code once in `code`.',
    });
  return { cid, code };
}

async function refusal({ accountConfig }: RunContext, hash: bigint, cid: string): Promise<Error> {
  const { actionRule } = await accountConfig.read('explainExecution', [hash, cidHash(cid), zeroAddress]);
  // Another relayer removed it after this one read it.
  if (actionRule === KEY_UNKNOWN) return unauthorized('Unknown API key.');
  if (actionRule === KEY_EXPIRED) return unauthorized('This usage key has expired.');
  return forbidden(`This usage key is not permitted to run the action ${cid}.`, {
    fix: 'Add the action to a group in execute_in_groups of the key.',
  });
}
