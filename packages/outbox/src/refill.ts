/** Refills payers from the admin payer. A refill is a transaction without data, stored like all others before it is broadcast. */
import type { Chain } from '@latchkey/chain/chain';
import { and, eq, gte, or, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Address, type Hex, isAddressEqual, parseTransaction } from 'viem';
import type { PayerLane, Sign } from './lanes.ts';
import { estimateGas, type GasMarket } from './market.ts';
import { createStore, type StoredTransaction } from './store.ts';
import { type Database, transactions } from './tables.ts';

export type RefillLimits = {
  /** Balance below which a payer is refilled, and the balance that it gets then, in wei. */
  belowWei: bigint;
  upToWei: bigint;
  /** Highest sum of all refills of a UTC day. */
  perDayWei: bigint;
};

type Refilled = {
  transaction: StoredTransaction | undefined;
  /** A payer got less than it should, or nothing, because of the limit of the day. */
  isLimited: boolean;
};

/** The database of the outbox. */
export type RefillDatabase = {
  transaction: <T>(work: (tx: Database) => Promise<T>) => Promise<T>;
};

type Refilling = {
  chain: Pick<Chain, 'client' | 'heldByTwo' | 'reach'>;
  lanes: readonly PayerLane[];
  market: Pick<GasMarket, 'fees' | 'extraFee' | 'spend'>;
  sign: Sign;
  log: Logger;
};

const NOTHING: Refilled = { transaction: undefined, isLimited: false };

/** Returns the pending refills, and those of this UTC day. */
const readRefills = (tx: Database, admin: Address) =>
  tx
    .select()
    .from(transactions)
    .where(
      and(
        eq(transactions.payer, admin),
        eq(transactions.data, '0x'),
        or(
          eq(transactions.status, 'pending'),
          gte(transactions.createdAt, sql`date_trunc('day', now(), 'UTC')`),
        ),
      ),
    );

const weiOf = (raw: string): bigint => parseTransaction(raw as Hex).value ?? 0n;

/** Stores a refill of a payer that is low. A lock lets one process at a time decide, after the refill before has been mined. */
export async function storeRefill(
  { chain, lanes, market, sign, log }: Refilling,
  db: RefillDatabase,
  admin: Address,
  { belowWei, upToWei, perDayWei }: RefillLimits,
): Promise<Refilled> {
  if (!lanes.some(({ signer }) => isAddressEqual(signer.address, admin)))
    throw new Error(`the key of the admin payer ${admin} is not configured`);
  const payers = lanes
    .filter(({ signer, isApiPayer }) => isApiPayer && !isAddressEqual(signer.address, admin))
    .map(({ signer }) => signer.address);
  const findLow = async () => {
    for (const address of payers) {
      const balance = await chain.heldByTwo((client) => client.getBalance({ address }));
      if (balance < belowWei) return { address, balance };
    }
    return undefined;
  };
  if (!(await findLow())) return NOTHING;
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('payer_refill'))`);
    const refills = await readRefills(tx, admin);
    if (refills.some(({ status }) => status === 'pending')) return NOTHING;
    // A node that is behind the last refill would show the balance before it.
    for (const { blockNumber } of refills) await chain.reach(blockNumber ?? 0n);
    const low = await findLow();
    if (!low) return NOTHING;
    const mined = refills.filter(({ status }) => status === 'mined');
    const left = perDayWei - mined.reduce((sum, { raw }) => sum + weiOf(raw), 0n);
    const wanted = upToWei - low.balance;
    const isLimited = left < wanted;
    const value = isLimited ? left : wanted;
    if (isLimited) log.warn({ payer: low.address }, 'the daily limit of refills is reached');
    if (value <= 0n) return { ...NOTHING, isLimited };
    const transfer = { to: low.address, value };
    const gas = await estimateGas(chain, { from: admin, data: '0x', ...transfer });
    const fees = await market.fees();
    const cost = value + gas * fees.maxFeePerGas + (await market.extraFee({ data: '0x', gas }));
    if (!(await market.spend(admin, cost))) {
      log.error({ payer: admin }, 'the admin payer has no funds for a refill');
      return { ...NOTHING, isLimited };
    }
    const none = { idempotencyId: undefined, payment: undefined, capsChange: undefined };
    const unsigned = { payer: admin, data: '0x', gas, ...fees } as const;
    const [stored] = await createStore(tx).add(admin, [
      { ...unsigned, ...none, account: 0n, sign: (nonce) => sign({ ...unsigned, nonce, ...transfer }) },
    ]);
    if (stored?.status !== 'fulfilled') throw stored?.reason;
    log.info({ payer: low.address, wei: String(value) }, 'payer refilled');
    return { transaction: stored.value, isLimited };
  });
}
