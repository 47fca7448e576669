/** Drives a run through its states: the adapters of `run-machine.ts` to the contract, the ledger and the runners. */

import { later } from '@latchkey/chain/chain';
import { badRequest, HttpError, notFound } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import type { RunResult } from '@latchkey/runner-protocol';
import { inSpan } from '@latchkey/service/tracing';
import { requireValidKey } from '../auth/authenticators.ts';
import type { RunOutcome } from '../billing/runs.ts';
import { knownCidOf } from '../known-cids.ts';
import type { Place } from '../runners/admission.ts';
import type { SignedReceipt } from '../runners/receipts.ts';
import type { Continued } from './approvals.ts';
import type { Asked, Live, RunContext } from './asked.ts';
import { findRefusal } from './permission.ts';
import { place } from './place.ts';
import { stopWhenClosed } from './run-length.ts';
import { advance, ask, type Effect, type RunEvent, type Step } from './run-machine.ts';

/**
 * Runs given code, or the code of a CID, after the contract confirms that the key is permitted to run it, and charges
 * for it. An idempotent request that has already run gets the outcome of that run.
 */
export async function runAction(context: RunContext, request: Asked): Promise<RunOutcome> {
  const { runId, idempotencyId, log } = request;
  const { hash, account, expiration, minBlock } = request.caller;
  const earlier = idempotencyId === undefined ? undefined : await context.runs.outcome(idempotencyId);
  if (earlier) return earlier;
  // First, so that a run above the share of its account costs no call to the chain or the ledger.
  using admitted = context.admission.admit(account);
  const continued = await findContinued(context, request);
  const asked = { ...request, ...continued?.fields };
  const { cid, code } = await resolveSource(context, asked, continued, admitted);
  admitted.holdCode(Buffer.byteLength(code));
  using watched = context.runWatch.watch({ account, key: hash, cidHash: cidHash(cid), expiration });
  using stops = context.runStops.watch(runId);
  // The account can have changed while the body arrived or code was downloaded, before the run was watched.
  const key = requireValidKey(await context.keyRegistry.findRecent(hash, minBlock));
  if (key !== asked.caller.key) context.runWatch.recheck(account, minBlock);

  const ends = [watched.signal, admitted.signal, stops.signal];
  using closing = idempotencyId === undefined && asked.closed ? stopWhenClosed(asked.closed) : undefined;
  if (closing) ends.push(closing.signal);
  const live: Live = { context, asked, cid, code, continued, key, ends, minBlock };
  const outcome = await drive(ask(key.block), (effect, dispatch) =>
    performTraced(live, effect, dispatch),
  ).catch((error: unknown) => {
    context.countRun(error instanceof HttpError && error.status < 500 ? 'refused' : 'failed');
    throw error;
  });
  const { durationMs, hasError } = outcome.result;
  context.countRun(hasError ? 'error' : 'success');
  log.info({ run_id: runId, cid, duration_ms: durationMs, has_error: hasError }, 'run');
  if (outcome.costMicros > 0n && !outcome.hasCode)
    // The run is paid: its reply does not depend on storing its code.
    await context.actionCodes
      .keep(account, cid, code)
      .catch((err: unknown) => log.warn({ err, cid }, 'failed to store the code of an action'));
  return outcome;
}

/** Names of spans. */
const stages: Partial<Record<Effect['type'], string>> = {
  ask: 'permission',
  'ask again': 'permission',
  reserve: 'reserve',
  place: 'run at a runner',
  capture: 'capture',
  refund: 'refund',
};

type Dispatch = (event: RunEvent) => void;

/** Performs the effect of each step until the last one. */
function drive(
  first: Step,
  perform: (effect: Performed, dispatch: Dispatch) => Promise<RunEvent | undefined>,
): Promise<RunOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
  let { run } = first;
  const take = (step: Step): void => {
    ({ run } = step);
    const { effect } = step;
    if (effect.type === 'reply') resolve(effect.outcome);
    else if (effect.type === 'fail') reject(effect.error);
    else
      perform(effect, dispatch)
        .then((event) => event && dispatch(event))
        .catch((error: unknown) => dispatch({ type: 'failed', error }));
  };
  const dispatch = (event: RunEvent): void => take(advance(run, event));
  take(first);
  return promise;
}

type Performed = Exclude<Effect, { type: 'reply' | 'fail' }>;
function performTraced(live: Live, effect: Performed, dispatch: Dispatch): Promise<RunEvent | undefined> {
  const stage = stages[effect.type];
  const work = () => perform(live, effect, dispatch);
  return stage === undefined ? work() : inSpan(stage, work);
}

async function perform(live: Live, effect: Performed, dispatch: Dispatch): Promise<RunEvent | undefined> {
  const { asked, cid, paid } = live;
  if (effect.type === 'ask') return askContract(live);
  if (effect.type === 'reserve') return reserve(live);
  if (!paid) throw new Error('the run is not paid');
  switch (effect.type) {
    case 'ask again':
      return askAgain(live);
    case 'place':
      return place(live, paid, dispatch);
    case 'start':
      paid.clock.start();
      asked.onStart?.(cid);
      return undefined;
    case 'pause':
      paid.clock.pause();
      return undefined;
    case 'capture': {
      const { result, hasBegun } = effect;
      const receipt = hasBegun ? signReceipt(live, result) : undefined;
      return { type: 'captured', outcome: await paid.capture(result, receipt, hasBegun) };
    }
    case 'refund':
      await paid.release();
      return { type: 'refunded' };
  }
}

/** Asks the contract, unless it permitted the run before and no change of the account is known since. */
async function askContract({ context, asked, cid, key, minBlock }: Live): Promise<RunEvent> {
  const { hash } = asked.caller;
  if (context.permittedRuns.get(permissionId(hash, cid)) !== key) {
    await requirePermitted(context, { hash, cid, minBlock });
    context.permittedRuns.set(permissionId(hash, cid), key);
  }
  return { type: 'permitted' };
}

async function askAgain({ context, asked, cid, minBlock }: Live): Promise<RunEvent> {
  const { hash, account } = asked.caller;
  requireValidKey(await context.keyRegistry.find(hash, minBlock));
  await requirePermitted(context, { hash, cid, minBlock });
  // The write can have changed when the key expires.
  context.runWatch.recheck(account, minBlock);
  return { type: 'permitted' };
}

async function reserve(live: Live): Promise<RunEvent> {
  const { runId: id, idempotencyId, caller } = live.asked;
  const { account, hash: key } = caller;
  const paid = await live.context.runs.begin({ id, cid: live.cid, account, key, idempotencyId });
  live.paid = paid;
  live.minBlock = later(live.minBlock, paid.accountHead);
  return { type: 'paid', accountHead: paid.accountHead };
}

function signReceipt({ context, asked, cid, ran }: Live, result: RunResult): SignedReceipt {
  if (!ran) throw new Error('the run has not begun');
  const { runId, caller } = asked;
  const { keys, params } = ran;
  const receipt = context.receipts.sign({ runId, cid, key: caller.hash, params, result });
  context.actionKeys.publish({ usageKeyHash: caller.hash, cid, runId }, keys.nodes);
  return receipt;
}

const permissionId = (hash: bigint, cid: string) => `${hash} ${cid}`;

/** Rejects with a refusal when the contract does not permit the key to run the action. */
async function requirePermitted(
  { accountConfig, permittedRuns }: RunContext,
  run: { hash: bigint; cid: string; minBlock: bigint },
): Promise<void> {
  const refusal = await findRefusal(accountConfig, run);
  if (!refusal) return;
  permittedRuns.delete(permissionId(run.hash, run.cid));
  throw refusal;
}

/** Resolves to the run that goes on with an approval; undefined for a run from its start. */
async function findContinued(
  { approvals }: RunContext,
  { approval_id: id, caller }: Asked,
): Promise<Continued | undefined> {
  return id == null ? undefined : approvals.findContinued(id, caller.hash);
}

async function resolveSource(
  context: RunContext,
  { code: sent, ipfs_id, caller: { account, hash, minBlock } }: Asked,
  continued: Continued | undefined,
  admitted: Place,
): Promise<{ cid: string; code: string }> {
  if (sent !== undefined) {
    const cid = await knownCidOf(sent);
    if (continued && continued.cid !== cid)
      throw badRequest('code: expected the code of the run that waits.');
    return { cid, code: sent };
  }
  const cid = continued?.cid ?? ipfs_id ?? '';
  const code = await context.actionSource(cid, account, async () => {
    await requirePermitted(context, { hash, cid, minBlock });
    admitted.holdCode(context.runLimits.maxCodeBytes);
  });
  if (code === undefined)
    throw notFound('The relayer does not have the code of this CID.', {
      fix: 'Send the code once in `code`, or store it with store_action_code.',
    });
  return { cid, code };
}
