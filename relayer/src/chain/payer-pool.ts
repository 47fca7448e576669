/** The api payers of this process: chooses the payer of the next transaction and queues the work of each payer. */
import { addressOf, signTransaction } from '@latchkey/service/secp256k1';
import { type Address, type Hex, hexToBytes, type TransactionSerializableEIP1559 } from 'viem';
import { ChainUnavailableError } from './errors.ts';

const UNFUNDED_REST_MS = 5_000;

/** All payers have the maximum number of in-flight transactions. */
export class PayersBusyError extends Error {
  override readonly name = 'PayersBusyError';
}

export type Payer = {
  address: Address;
  /** Returns the signed transaction. */
  sign: (transaction: TransactionSerializableEIP1559) => Hex;
  isApiPayer: boolean;
  /** Time until which the payer is skipped, by `performance.now`, after it could not pay. */
  restsUntilMs: number;
  /** Number of in-flight transactions. */
  pending: number;
  /** Assigns nonces and stores transactions. */
  storing: Lane;
  /** Broadcasts the stored transactions in the order of their nonces, while the next ones are stored. */
  broadcasting: Lane;
};

/** Tasks that run one after another. */
export type Lane = {
  /** End of the last task. */
  tail: Promise<unknown>;
};

export type PayerStatus = { address: Address; pending: number; isApiPayer: boolean };

export type PayerPool = {
  payers: readonly Payer[];
  find: (address: Address) => Payer | undefined;
  /**
   * Returns the api payer with the fewest in-flight transactions. Throws `ChainUnavailableError` when none can pay, and
   * `PayersBusyError` when all have `maxPending`.
   */
  choose: () => Payer;
  /** Skips the payer for five seconds. */
  rest: (payer: Payer) => void;
  /** Sets the payers that the contract knows; others are not chosen. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
};

export function createPayerPool(privateKeys: readonly Hex[], maxPending: number): PayerPool {
  const payers: Payer[] = privateKeys
    .map((key) => hexToBytes(key))
    .map((privateKey) => ({
      address: addressOf(privateKey),
      sign: (transaction) => signTransaction(transaction, privateKey),
      isApiPayer: true,
      restsUntilMs: 0,
      pending: 0,
      storing: { tail: Promise.resolve() },
      broadcasting: { tail: Promise.resolve() },
    }));
  return {
    payers,
    find: (address) => payers.find((payer) => payer.address === address),
    choose() {
      const now = performance.now();
      const usable = payers.filter(({ isApiPayer, restsUntilMs }) => isApiPayer && restsUntilMs <= now);
      if (usable.length === 0)
        throw new ChainUnavailableError('no payer is an api payer of the contract with funds for gas');
      const payer = usable.reduce((best, other) => (other.pending < best.pending ? other : best));
      if (payer.pending >= maxPending) throw new PayersBusyError('all payers are busy');
      return payer;
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

/** Runs the task after all earlier tasks of the lane. */
export function inLane<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
  const result = lane.tail.then(task);
  lane.tail = result.catch(() => {});
  return result;
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
