/** Several writes in one transaction. */
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { LatchkeyError } from './errors.ts';
import type { ChainSecuredPrepared, PrepareOptions, WriteOptions, Written } from './write-definition.ts';
import { type ChainPlan, plans, prepareTransaction, writeByTransaction } from './write-transaction.ts';

/** The results of prepared writes. */
export type ResultsOf<prepared extends readonly ChainSecuredPrepared<unknown>[]> = {
  [index in keyof prepared]: prepared[index] extends ChainSecuredPrepared<infer Result> ? Result : never;
};

/** The result of a batch: the result of each of its writes, in order. */
export interface BatchResult<prepared extends readonly ChainSecuredPrepared<unknown>[]> {
  results: ResultsOf<prepared>;
}

function batchPlan<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
): ChainPlan<BatchResult<prepared>> {
  // An empty batch would be a transaction without effect.
  if ((client as BareClient).mode !== 'chainSecured')
    throw new LatchkeyError(
      'configuration',
      'batches are not available in API mode: each write is its own transaction',
    );
  if (prepared.length === 0) throw new LatchkeyError('configuration', 'a batch requires at least one write');
  const members = prepared.map((item) => {
    const found = plans.get(item);
    if (found?.client.internals !== client.internals)
      throw new LatchkeyError('configuration', `${item.name} was not prepared by this client`);
    return found.plan;
  });
  const share = <T>(minted: unknown[], use: (plan: ChainPlan<unknown>, own: unknown[]) => T): T[] => {
    const left = [...minted];
    return members.map((plan) => use(plan, left.splice(0, plan.mints.length)));
  };
  return {
    name: 'batch',
    changes: members.flatMap(({ changes }) => changes),
    mints: members.flatMap(({ mints }) => mints),
    calls: (account, minted) => share(minted, (plan, own) => plan.calls(account, own)).flat(),
    result: (take, minted, wallet) => ({
      results: share(minted, (plan, own) => plan.result(take, own, wallet)) as never,
    }),
  };
}

/** Sends prepared writes in one transaction, in order and atomically. ChainSecured mode only. */
export async function batch<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
  options: WriteOptions = {},
): Promise<Written<BatchResult<prepared>>> {
  return writeByTransaction(client, batchPlan(client, prepared), options);
}

/** Prepares a batch: simulates its writes together and estimates their gas. */
export async function prepareBatch<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
  options: PrepareOptions = {},
): Promise<ChainSecuredPrepared<BatchResult<prepared>>> {
  return prepareTransaction(client, batchPlan(client, prepared), options);
}
