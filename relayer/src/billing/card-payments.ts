/** Card payments for the billing routes and the periodic reconciliation. */
import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { processorCustomers } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import { type CardProcessor, UnknownCustomerError } from './card-processor.ts';
import { findPayment } from './ledger.ts';
import { MICROS_PER_CENT } from './money.ts';
import { applyPayment, type Owner, type Payment } from './payments.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';

/** The payment intent does not exist or belongs to another account. */
export class UnknownPaymentError extends Error {
  override readonly name = 'UnknownPaymentError';
}

/** The payment has not succeeded; `status` is Stripe's word. */
export class UnpaidError extends Error {
  override readonly name = 'UnpaidError';
  readonly status: string;

  constructor(status: string) {
    super(`the payment is ${status}`);
    this.status = status;
  }
}

type Receipt = { amountCents: number; paidAt: Date; url: string | undefined };

export type Payments = {
  publishableKey: string;
  /** Creates one intent per idempotency key. */
  createIntent: (
    payer: Owner,
    amountCents: number,
    idempotencyKey: string,
  ) => Promise<{ id: string; clientSecret: string }>;
  /** Credits a successful payment once. Rejects with `UnknownPaymentError` or `UnpaidError`. */
  confirm: (account: bigint, intent: string) => Promise<void>;
  /** Credits what the ledger does not have of a payment, however it was made. */
  credit: (intent: string) => Promise<void>;
  /** Processes a signed event; ignores events it does not know. Rejects with `EventSignatureError`. */
  receiveEvent: (body: Buffer, signature: string) => Promise<void>;
  /** Returns a credited payment. Rejects with `UnknownPaymentError`. `url`: Stripe's receipt, for the owner who has paid. */
  receipt: (payer: Owner, intent: string) => Promise<Receipt>;
  reconcile: (since: Date, signal?: AbortSignal) => Promise<Reconciliation>;
};

/** The card processor's customers of accounts. */
function createCustomers(db: Database, processor: CardProcessor) {
  const findOrCreate = async (account: bigint): Promise<string> => {
    const own = eq(processorCustomers.account, hashText(account));
    const stored = () => db.select().from(processorCustomers).where(own);
    const [known] = await stored();
    if (known) return known.customer;
    const customer = await processor.createCustomer(account);
    await db
      .insert(processorCustomers)
      .values({ account: hashText(account), customer })
      .onConflictDoNothing();
    // Another request can have created the customer first.
    return (await stored())[0]?.customer ?? customer;
  };

  const replace = async (account: bigint, customer: string): Promise<string> => {
    const replacement = await processor.createCustomer(account, customer);
    await db
      .update(processorCustomers)
      .set({ customer: replacement })
      .where(
        and(eq(processorCustomers.account, hashText(account)), eq(processorCustomers.customer, customer)),
      );
    return findOrCreate(account);
  };

  return { findOrCreate, replace };
}

export function createPayments(db: Database, processor: CardProcessor, log: Logger): Payments {
  const customers = createCustomers(db, processor);
  const apply = async (payment: Payment): Promise<void> => {
    const account = hashText(payment.account);
    for (const { kind, amountMicros, reason } of await applyPayment(db, payment))
      log.info({ account, kind, micros: String(amountMicros), reason }, 'payment');
  };

  const credit: Payments['credit'] = async (intent) => {
    const payment = await processor.payment(intent);
    if (payment) await apply(payment);
  };

  return {
    publishableKey: processor.publishableKey,
    async createIntent(payer, amountCents, idempotencyKey) {
      const { account } = payer;
      const create = (customer: string) =>
        processor.createIntent(payer, { customer, amountCents, idempotencyKey });
      const customer = await customers.findOrCreate(account);
      try {
        return await create(customer);
      } catch (error) {
        if (!(error instanceof UnknownCustomerError)) throw error;
        log.warn(
          { account: hashText(account), customer },
          'a customer is replaced: it does not exist at Stripe',
        );
        return create(await customers.replace(account, customer));
      }
    },
    async confirm(account, intent) {
      const payment = await processor.payment(intent);
      if (payment?.account !== account) throw new UnknownPaymentError('this account has no such payment');
      if (payment.status !== 'succeeded') throw new UnpaidError(payment.status);
      await apply(payment);
    },
    credit,
    async receiveEvent(body, signature) {
      const intent = processor.intentOfEvent(body, signature);
      if (intent !== undefined) await credit(intent);
    },
    async receipt(payer, intent) {
      const paid = await findPayment(db, payer.account, `stripe ${intent}`);
      if (!paid) throw new UnknownPaymentError('this account has no such payment');
      const amountCents = Number(paid.amountMicros / MICROS_PER_CENT);
      return { amountCents, paidAt: paid.createdAt, url: await processor.receiptUrl(payer, intent) };
    },
    async reconcile(since, signal) {
      const found = await reconcile(db, processor, { since, fix: true, signal });
      for (const { account, ...difference } of found.differences)
        log.error({ account: hashText(account), ...difference }, 'ledger differed from the card processor');
      log.info({ payments: found.payments, differences: found.differences.length }, 'reconciled');
      return found;
    },
  };
}
