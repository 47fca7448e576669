/** The lanes of this process, one per sender: each stores transactions with its next nonces, and broadcasts them in their order. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '@latchkey/chain/chain';
import { ChainUnavailableError, SignerError, withoutUrl } from '@latchkey/chain/errors';
import { batch } from '@latchkey/service/batch';
import { inSpan } from '@latchkey/service/tracing';
import type { Logger } from 'pino';
import {
  type Address,
  BaseError,
  type Hex,
  keccak256,
  parseTransaction,
  type TransactionSerializableEIP1559,
} from 'viem';
import type { Follow, Outcome } from './follow.ts';
import type { Fees, NewTransaction, Signed, Store, StoredTransaction, Unsigned } from './store.ts';
import { ORPHAN_SEC, type Verdict } from './transitions.ts';

const UNFUNDED_REST_MS = 5_000;
const CLOSE_DEADLINE_MS = 20_000;
/** Transactions per statement, which locks what pays for them until its end, and per broadcast of those that a process resumes. */
export const MAX_TOGETHER = 32;
/** Transactions that a payer prepares and sends concurrently before another payer is chosen. */
export const MAX_SENDING = 8;

/** The key of a payer. */
export type Signer = {
  address: Address;
  /** Returns the signed transaction. */
  sign: (transaction: TransactionSerializableEIP1559) => Hex | Promise<Hex>;
};

/** Broadcasts stored transactions of a payer in the order of their nonces. */
export type Broadcast = (transactions: StoredTransaction[]) => Promise<Verdict[]>;

export type LaneState = {
  isApiPayer: boolean;
  /** Time until which the payer is skipped, by `performance.now`, after it could not pay or sign. */
  restsUntilMs: number;
  /** Number of in-flight transactions. */
  pending: number;
  /** Number of them that the node has not accepted yet. */
  sending: number;
};

/** The transactions of one sender on one chain, in the order of their nonces. */
export type Lane<Request> = {
  /**
   * Stores a transaction with the next nonce and broadcasts it after the earlier ones. Transactions that arrive during a statement are stored
   * together; transactions that are stored during a broadcast are broadcast together. Rejects as `Store.add`.
   */
  send: (transaction: Request) => Promise<Sent>;
  /** The last `send`, which ends after all others. */
  lastSend: Promise<unknown>;
};

export type PayerLane = LaneState &
  Lane<NewTransaction> & {
    signer: Signer;
    /** The last signature failed. */
    signerFails: boolean;
  };

type Sent = { transaction: StoredTransaction; verdict: Verdict };

/**
 * Returns a lane that is sending, so that it stores and broadcasts the transactions together, or the one with the
 * fewest in-flight transactions. Undefined while all have `maxPending`. Throws `ChainUnavailableError` when none can pay.
 */
export function chooseLane<L extends LaneState>(
  lanes: readonly L[],
  maxPending: number,
  nowMs: number,
): L | undefined {
  const usable = lanes.filter(({ isApiPayer, restsUntilMs }) => isApiPayer && restsUntilMs <= nowMs);
  if (usable.length === 0)
    throw new ChainUnavailableError(
      'no payer is an api payer of the contract that can sign and has funds for gas',
    );
  const free = usable.filter(({ pending }) => pending < maxPending);
  const [fewest] = free.toSorted((a, b) => a.pending - b.pending);
  return free.find(({ sending }) => sending > 0 && sending < MAX_SENDING) ?? fewest;
}

export function openLane<Request>(
  sender: Address,
  store: {
    add: (sender: Address, added: readonly Request[]) => Promise<PromiseSettledResult<StoredTransaction>[]>;
  },
  broadcast: Broadcast,
): Lane<Request> {
  const broadcastTogether = batch(broadcast);
  const storeTogether = batch(
    async (added: Request[]) => {
      const results = await store.add(sender, added);
      const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const inOrder = stored.toSorted((a, b) => a.nonce - b.nonce);
      // Not awaited here: the next transactions are stored meanwhile.
      const verdicts = new Map(inOrder.map((transaction) => [transaction, broadcastTogether(transaction)]));
      return results.map((result) => ({
        result,
        told: result.status === 'fulfilled' ? verdicts.get(result.value) : undefined,
      }));
    },
    { maxSize: MAX_TOGETHER },
  );
  const send = async (added: Request): Promise<Sent> => {
    const beganMs = performance.now();
    const { result, told } = await inSpan('store', () => storeTogether(added));
    if (result.status === 'rejected') throw result.reason;
    const verdict = await inSpan('broadcast', () => told ?? Promise.resolve<Verdict>('unknown'));
    // After a long wait for earlier broadcasts another process can have broadcast it.
    const isLate = performance.now() - beganMs >= ORPHAN_SEC * 1_000;
    return { transaction: result.value, verdict: isLate && verdict === 'refused' ? 'unknown' : verdict };
  };
  const lane: Lane<Request> = {
    send(added) {
      const sent = send(added);
      lane.lastSend = sent.catch(() => {});
      return sent;
    },
    lastSend: Promise.resolve(),
  };
  return lane;
}

export function openPayerLane(signer: Signer, store: Pick<Store, 'add'>, broadcast: Broadcast): PayerLane {
  return Object.assign(openLane<NewTransaction>(signer.address, store, broadcast), {
    signer,
    isApiPayer: true,
    signerFails: false,
    restsUntilMs: 0,
    pending: 0,
    sending: 0,
  });
}

/** Returns a function that broadcasts. `onHeld` gets the transactions that the node accepted now, or says it has. */
export function createBroadcast(
  chain: Pick<Chain, 'sendRawTransactions'>,
  log: Logger,
  onHeld: (transactions: StoredTransaction[]) => void = () => {},
): Broadcast {
  return async (transactions) => {
    const errors = await chain.sendRawTransactions(transactions.map(({ raw }) => raw));
    onHeld(transactions.filter((_, index) => errors[index] === undefined || says(errors[index], KNOWN)));
    return transactions.map(({ payer, nonce }, index) => {
      const error = errors[index];
      if (error === undefined) return 'accepted';
      log.info({ err: withoutUrl(error), payer, nonce }, 'failed to broadcast transaction');
      return says(error, USED) ? 'refused' : 'unknown';
    });
  };
}

/** The texts of nodes for a transaction that they have: of Geth and Erigon, of Nethermind, of Besu, and of anvil. */
const KNOWN = /\b(already known|AlreadyKnown|known transaction|transaction already imported)\b/i;
/** For a nonce that is used: of Geth, Erigon, Besu and anvil, and of Nethermind. */
const USED = /\b(nonce too low|OldNonce)\b/i;

function says(error: unknown, text: RegExp): boolean {
  return error instanceof BaseError && text.test(error.details);
}

/**
 * Signs a transaction of a payer: to the contract without value, unless it says otherwise. With `raw`, another form of it, it keeps receiver and
 * value. Rejects with `SignerError`.
 */
export type Sign = (transaction: Unsigned & { to?: Address; value?: bigint; raw?: Hex }) => Promise<Signed>;

export function createSign(
  chainId: number,
  contract: Address,
  find: (payer: Address) => Pick<PayerLane, 'signer' | 'signerFails'> | undefined,
): Sign {
  return async ({ payer, nonce, data, gas, maxFeePerGas, maxPriorityFeePerGas, raw: former, ...other }) => {
    const { to, value } = former ? parseTransaction(former) : other;
    const lane = find(payer);
    if (!lane) throw new SignerError(`the key of the payer ${payer} is not configured`);
    const call = { chainId, to: to ?? contract, value: value ?? 0n, nonce, data, gas };
    try {
      const raw = await lane.signer.sign({ type: 'eip1559', ...call, maxFeePerGas, maxPriorityFeePerGas });
      lane.signerFails = false;
      return { raw, hash: keccak256(raw) };
    } catch (cause) {
      lane.signerFails = true;
      throw new SignerError(`the payer ${payer} cannot sign`, { cause });
    }
  };
}

/** Signs a transfer of nothing from a payer to itself, which only uses up the nonce. */
export async function signFiller(
  { client }: Pick<Chain, 'client'>,
  sign: Sign,
  { payer, nonce }: Pick<Unsigned, 'payer' | 'nonce'>,
  fees: Fees,
): Promise<Signed> {
  const transfer = { to: payer, value: 0n };
  const gas = await client.estimateGas({ account: payer, ...transfer });
  return sign({ payer, nonce, data: '0x', gas, ...fees, ...transfer });
}

/** Skips the lane for five seconds. */
export function rest(lane: LaneState): void {
  lane.restsUntilMs = performance.now() + UNFUNDED_REST_MS;
}

/** Counts the work as an in-flight transaction until it ends, and with `isSending` as one that the node has not accepted. */
export async function counted<T>(
  lane: LaneState | undefined,
  work: () => Promise<T>,
  { isSending = false } = {},
): Promise<T> {
  const sending = Number(isSending);
  if (lane) {
    lane.pending++;
    lane.sending += sending;
  }
  try {
    return await work();
  } finally {
    if (lane) {
      lane.pending--;
      lane.sending -= sending;
    }
  }
}

export type Settlements = {
  /** Follows a transaction until it is settled. Concurrent calls share one follow, which counts as in flight for its payer. */
  settle: Follow;
  has: (transactionId: string) => boolean;
  /** Resolves when the transactions followed now are settled or given up. */
  ended: () => Promise<unknown>;
};

/** The transactions that this process follows. */
export function createSettlements(
  find: (payer: Address) => LaneState | undefined,
  follow: Follow,
): Settlements {
  const outcomes = new Map<string, Promise<Outcome>>();
  return {
    settle(transaction, verdict) {
      const { id, payer } = transaction;
      const known = outcomes.get(id);
      if (known) return known;
      const outcome = counted(find(payer), () => follow(transaction, verdict)).finally(() =>
        outcomes.delete(id),
      );
      // The promise can be without a listener: the request timed out, or belongs to another process.
      outcome.catch(() => {});
      outcomes.set(id, outcome);
      return outcome;
    },
    has: (id) => outcomes.has(id),
    ended: () => Promise.allSettled(outcomes.values()),
  };
}

/** Waits for the work in flight, up to a deadline, and ends all follows. */
export async function closeAfter(
  inFlight: Promise<unknown>,
  { settlements, closing }: { settlements: Settlements; closing: AbortController },
): Promise<void> {
  await Promise.race([inFlight, delay(CLOSE_DEADLINE_MS, undefined, { ref: false })]);
  closing.abort(new ChainUnavailableError('the relayer is stopping'));
  await settlements.ended();
}
