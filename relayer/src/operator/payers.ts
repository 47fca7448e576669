/** Payers as their operator sees them. */
import type { Chain } from '@latchkey/chain/chain';
import { address as addressCodec } from '@latchkey/http';
import { type Outbox, payerNonces, transactions } from '@latchkey/outbox';
import { eq, sql } from 'drizzle-orm';
import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Database } from '../db/database.ts';
import { orNull } from './or-null.ts';

export const payerStatus = z.object({
  address: addressCodec,
  /** This relayer has its key. */
  is_configured: z.boolean(),
  is_api_payer: z.boolean(),
  signer_fails: z.boolean(),
  /** Null while the chain does not answer. */
  balance_wei: z.string().nullable(),
  /** The next nonce on the chain, and in the database: the difference is in flight. */
  chain_nonce: z.int().nullable(),
  next_nonce: z.int().nullable(),
  /** Of all relayers on the database, with the age of the oldest. */
  pending: z.int().nullable(),
  max_pending: z.int(),
  oldest_pending_sec: z.number().nullable(),
});
export type PayerStatus = z.output<typeof payerStatus>;

type Parts = {
  chain: Pick<Chain, 'client'>;
  accountConfig: Pick<AccountConfig, 'read'>;
  payers: Pick<Outbox, 'status'>;
  db: Database;
  maxPending: number;
};

const readStored = async (db: Database) => {
  const [nonces, pending] = await Promise.all([
    db.select().from(payerNonces),
    db
      .select({
        payer: transactions.payer,
        count: sql<number>`count(*)::integer`,
        oldestSec: sql<number>`extract(epoch from now() - min(${transactions.createdAt}))::double precision`,
      })
      .from(transactions)
      .where(eq(transactions.status, 'pending'))
      .groupBy(transactions.payer),
  ]);
  return {
    nonces: new Map(nonces.map(({ payer, next }) => [payer, next])),
    pending: new Map(pending.map((row) => [row.payer, row])),
  };
};

/** Returns the payers of this relayer, those that the contract knows besides, and former ones with pending transactions. */
export async function readPayers(parts: Parts): Promise<PayerStatus[]> {
  const { chain, accountConfig, payers, db, maxPending } = parts;
  const [known, stored] = await Promise.all([
    orNull(accountConfig.read('api_payers', [])),
    orNull(readStored(db)),
  ]);
  const own = new Map(payers.status().map((status) => [status.address, status]));
  const inUse = [...(stored?.pending.keys() ?? [])].map((payer) => getAddress(payer));
  const all = new Set<Address>([...own.keys(), ...(known ?? []), ...inUse]);
  return Promise.all(
    [...all].map(async (address) => {
      const [balance, nonce] = await Promise.all([
        orNull(chain.client.getBalance({ address })),
        orNull(chain.client.getTransactionCount({ address })),
      ]);
      const status = own.get(address);
      const pending = stored?.pending.get(address);
      return {
        address,
        is_configured: status !== undefined,
        is_api_payer: known?.includes(address) ?? status?.isApiPayer ?? false,
        signer_fails: status?.signerFails ?? false,
        balance_wei: balance === null ? null : String(balance),
        chain_nonce: nonce,
        next_nonce: stored?.nonces.get(address) ?? null,
        pending: stored ? (pending?.count ?? 0) : (status?.pending ?? null),
        max_pending: maxPending,
        oldest_pending_sec: pending?.oldestSec ?? null,
      };
    }),
  );
}
