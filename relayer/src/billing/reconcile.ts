/** Compares Stripe's payments with the ledger and adds the missing entries. */
import { and, eq, gte, like } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { ledgerEntries } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import type { CardProcessor } from './card-processor.ts';
import { applyPayment, type Movement, type Payment } from './payments.ts';

/**
 * One difference. `missing`: not in the ledger. `different`: in the ledger with another account, kind or amount.
 * `unknown`: in the ledger and not at Stripe.
 */
type Difference = {
  kind: 'missing' | 'different' | 'unknown';
  externalId: string;
  account: bigint;
  /** True when the entry was added now. Only missing entries can be added automatically. */
  fixed: boolean;
};

export type Reconciliation = { payments: number; differences: Difference[] };

/** `signal` ends the comparison between two payments. */
type Options = { since: Date; fix: boolean; signal?: AbortSignal | undefined };

export async function reconcile(
  db: Database,
  processor: Pick<CardProcessor, 'paymentsSince' | 'payment' | 'findIntent'>,
  { since, fix, signal }: Options,
): Promise<Reconciliation> {
  const differences: Difference[] = [];
  const seen = new Set<string>();
  let payments = 0;

  const compare = async (payment: Payment): Promise<void> => {
    signal?.throwIfAborted();
    payments++;
    let isMissing = false;
    for (const movement of payment.movements) {
      const { externalId } = movement;
      seen.add(externalId);
      const kind = await compareMovement(db, payment.account, movement);
      if (kind === undefined) continue;
      isMissing ||= kind === 'missing';
      differences.push({ kind, externalId, account: payment.account, fixed: kind === 'missing' && fix });
    }
    if (isMissing && fix) await applyPayment(db, payment);
  };

  for await (const payment of processor.paymentsSince(since)) await compare(payment);

  const entries = await db
    .select({ externalId: ledgerEntries.externalId, account: ledgerEntries.account })
    .from(ledgerEntries)
    .where(and(like(ledgerEntries.externalId, 'stripe %'), gte(ledgerEntries.createdAt, since)));
  for (const { externalId, account } of entries) {
    if (externalId === null || seen.has(externalId)) continue;
    const intent = await processor.findIntent(externalId.split(' ')[1] as string);
    const payment = intent === undefined ? undefined : await processor.payment(intent);
    if (payment) await compare(payment);
    if (!seen.has(externalId))
      differences.push({ kind: 'unknown', externalId, account: BigInt(account), fixed: false });
  }
  return { payments, differences };
}

async function compareMovement(
  db: Database,
  account: bigint,
  { externalId, kind, amountMicros }: Movement,
): Promise<'missing' | 'different' | undefined> {
  const [entry] = await db
    .select({
      account: ledgerEntries.account,
      kind: ledgerEntries.kind,
      amountMicros: ledgerEntries.amountMicros,
    })
    .from(ledgerEntries)
    .where(eq(ledgerEntries.externalId, externalId));
  if (!entry) return 'missing';
  const isSame =
    entry.account === hashText(account) && entry.kind === kind && entry.amountMicros === amountMicros;
  return isSame ? undefined : 'different';
}
