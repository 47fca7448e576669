/** The api payers of this process: chooses the payer of the next transaction and queues the work of each payer. */
import { batch } from '@latchkey/service/batch';
import { addressOf, signTransaction } from '@latchkey/service/secp256k1';
import { type Address, type Hex, hexToBytes, type TransactionSerializableEIP1559 } from 'viem';
import type { Broadcast } from './broadcast.ts';
import { ChainUnavailableError } from './errors.ts';
import type { NewTransaction, Outbox, OutboxTransaction } from './outbox.ts';

const UNFUNDED_REST_MS = 5_000;
/** Transactions per statement, which locks what pays for them until its end. */
const MAX_TOGETHER = 32;
/** Transactions that a payer prepares and sends concurrently before another payer is chosen. */
export const MAX_SENDING = 8;

export type Payer = {
  address: Address;
  /** Returns the signed transaction. */
  sign: (transaction: TransactionSerializableEIP1559) => Hex;
  isApiPayer: boolean;
  /** Time until which the payer is skipped, by `performance.now`, after it could not pay. */
  restsUntilMs: number;
  /** Number of in-flight transactions. */
  pending: number;
  /** Number of them that the node has not accepted yet. */
  sending: number;
  /**
   * Stores a transaction with the next nonce and broadcasts it after the earlier ones. Transactions that arrive during a statement are stored
   * together; those that are stored during a broadcast are broadcast together. Rejects as `Outbox.add`.
   */
  send: (transaction: NewTransaction) => Promise<Sent>;
  /** The last `send`, which ends after all others. */
  lastSend: Promise<unknown>;
};

/** `isAccepted`: as in `Broadcast`. */
export type Sent = { transaction: OutboxTransaction; isAccepted: boolean };

/** How payers store and broadcast. */
export type Sending = { outbox: Pick<Outbox, 'add'>; broadcast: Broadcast };

export type PayerStatus = { address: Address; pending: number; isApiPayer: boolean };

export type PayerPool = {
  payers: readonly Payer[];
  find: (address: Address) => Payer | undefined;
  /**
   * Returns an api payer that is sending, so that it stores and broadcasts the transactions together, or the one with the
   * fewest in-flight transactions. Undefined while all have `maxPending`. Throws `ChainUnavailableError` when none can pay.
   */
  choose: () => Payer | undefined;
  /** Skips the payer for five seconds. */
  rest: (payer: Payer) => void;
  /** Sets the payers that the contract knows; others are not chosen. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
};

export function createPayerPool(
  privateKeys: readonly Hex[],
  maxPending: number,
  sending: Sending,
): PayerPool {
  const payers: Payer[] = privateKeys.map((key) => createPayer(hexToBytes(key), sending));
  return {
    payers,
    find: (address) => payers.find((payer) => payer.address === address),
    choose() {
      const now = performance.now();
      const usable = payers.filter(({ isApiPayer, restsUntilMs }) => isApiPayer && restsUntilMs <= now);
      if (usable.length === 0)
        throw new ChainUnavailableError('no payer is an api payer of the contract with funds for gas');
      const free = usable.filter(({ pending }) => pending < maxPending);
      const [fewest] = free.toSorted((a, b) => a.pending - b.pending);
      return free.find(({ sending }) => sending > 0 && sending < MAX_SENDING) ?? fewest;
    },
    rest(payer) {
      payer.restsUntilMs = performance.now() + UNFUNDED_REST_MS;
    },
    setApiPayers(addresses) {
      const known = new Set(addresses);
      for (const payer of payers) payer.isApiPayer = known.has(payer.address);
    },
    status: () => payers.map(({ address, pending, isApiPayer }) => ({ address, pending, isApiPayer })),
  };
}

function createPayer(privateKey: Uint8Array, { outbox, broadcast }: Sending): Payer {
  const address = addressOf(privateKey);
  const broadcastTogether = batch(broadcast);
  const storeTogether = batch(
    async (added: NewTransaction[]) => {
      const results = await outbox.add(address, added);
      const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const inOrder = stored.toSorted((a, b) => a.nonce - b.nonce);
      // Not awaited here: the next transactions are stored meanwhile.
      const accepted = new Map(inOrder.map((transaction) => [transaction, broadcastTogether(transaction)]));
      return results.map((result) => ({
        result,
        accepted: result.status === 'fulfilled' ? accepted.get(result.value) : undefined,
      }));
    },
    { maxSize: MAX_TOGETHER },
  );
  const send = async (added: NewTransaction): Promise<Sent> => {
    const { result, accepted } = await storeTogether(added);
    if (result.status === 'rejected') throw result.reason;
    return { transaction: result.value, isAccepted: (await accepted) === true };
  };
  const payer: Payer = {
    address,
    sign: (transaction) => signTransaction(transaction, privateKey),
    isApiPayer: true,
    restsUntilMs: 0,
    pending: 0,
    sending: 0,
    send(added) {
      const sent = send(added);
      payer.lastSend = sent.catch(() => {});
      return sent;
    },
    lastSend: Promise.resolve(),
  };
  return payer;
}

/** Counts the work as an in-flight transaction that is being sent, until it ends. */
export async function whileSending<T>(payer: Payer, work: () => Promise<T>): Promise<T> {
  payer.sending++;
  try {
    return await whilePending(payer, work);
  } finally {
    payer.sending--;
  }
}

/** Counts the work as an in-flight transaction until it ends. */
export async function whilePending<T>(payer: Payer | undefined, work: () => Promise<T>): Promise<T> {
  if (payer) payer.pending++;
  try {
    return await work();
  } finally {
    if (payer) payer.pending--;
  }
}
