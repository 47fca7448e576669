/** Sends a call with another nonce, after another program has used the one of its transaction for good. */
import type { Logger } from 'pino';
import type { Address } from 'viem';
import { chooseLane, type PayerLane, type Sign } from './lanes.ts';
import type { GasMarket } from './market.ts';
import type { Store, StoredTransaction } from './store.ts';

type Renumbering = {
  store: Pick<Store, 'get' | 'nextNonce' | 'renumber'>;
  lanes: readonly PayerLane[];
  maxPending: number;
  market: Pick<GasMarket, 'fees'>;
  sign: Sign;
  log: Logger;
};

/**
 * Returns a function that gives a transaction the next nonce of its payer, or of another one when its own is no longer used. The row stays: its
 * reserve, its Idempotency-Key and what it changes belong to it. Resolves to the transaction as it is stored now, which is unchanged while an
 * earlier one of its payer is pending.
 */
export function createRenumber({ store, lanes, maxPending, market, sign, log }: Renumbering) {
  const payerFor = ({ payer }: StoredTransaction): Address => {
    const own = lanes.find(({ signer, isApiPayer }) => isApiPayer && signer.address === payer);
    const lane = own ?? chooseLane(lanes, maxPending, performance.now());
    return lane?.signer.address ?? payer;
  };
  return async (known: StoredTransaction): Promise<StoredTransaction> => {
    const payer = payerFor(known);
    const nonce = await store.nextNonce(payer);
    if (nonce === undefined) return known;
    // A simulation could refuse a call that needs the effect of an earlier one, which is sent again as well.
    const next = { payer, nonce, data: known.data, gas: known.gas, ...(await market.fees()) };
    const signed = await sign({ ...next, raw: known.raw });
    if (await store.renumber(known, { ...next, ...signed })) {
      const { hash } = signed;
      log.warn(
        { payer, nonce, hash, former: known.nonce },
        'another transaction used the nonce of a write: sent again',
      );
    }
    return (await store.get(known.id)) ?? known;
  };
}
