/** The api payers of this process: which of them takes the next transaction, and the lane of each. */
import type { Address, Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { ChainUnavailableError } from './errors.ts';

const UNFUNDED_REST_MS = 5_000;

/** All payers have as much under way as they may. */
export class PayersBusyError extends Error {
  override readonly name = 'PayersBusyError';
}

export type Payer = {
  account: PrivateKeyAccount;
  isApiPayer: boolean;
  /** It could not pay; on the clock of `performance.now`. */
  restsUntilMs: number;
  /** Transactions under way. */
  pending: number;
  /** End of the lane. */
  tail: Promise<unknown>;
};

export type PayerStatus = { address: Address; pending: number; isApiPayer: boolean };

export type PayerPool = {
  payers: readonly Payer[];
  find: (address: Address) => Payer | undefined;
  /**
   * The api payer with the fewest transactions under way. Throws `ChainUnavailableError` when none can pay, and
   * `PayersBusyError` when all have `maxPending`.
   */
  choose: () => Payer;
  /** Gives the payer no transaction for five seconds. */
  rest: (payer: Payer) => void;
  /** Tells which of the payers the contract knows; the others are not chosen. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
};

export function createPayerPool(privateKeys: readonly Hex[], maxPending: number): PayerPool {
  const payers: Payer[] = privateKeys.map((privateKey) => ({
    account: privateKeyToAccount(privateKey),
    isApiPayer: true,
    restsUntilMs: 0,
    pending: 0,
    tail: Promise.resolve(),
  }));
  return {
    payers,
    find: (address) => payers.find(({ account }) => account.address === address),
    choose() {
      const now = performance.now();
      const usable = payers.filter(({ isApiPayer, restsUntilMs }) => isApiPayer && restsUntilMs <= now);
      if (usable.length === 0)
        throw new ChainUnavailableError(
          'none of the payers is an api payer of the contract that can pay for gas',
        );
      const payer = usable.reduce((best, other) => (other.pending < best.pending ? other : best));
      if (payer.pending >= maxPending) throw new PayersBusyError('all payers are busy');
      return payer;
    },
    rest(payer) {
      payer.restsUntilMs = performance.now() + UNFUNDED_REST_MS;
    },
    setApiPayers(addresses) {
      const known = new Set(addresses);
      for (const payer of payers) payer.isApiPayer = known.has(payer.account.address);
    },
    status: () =>
      payers.map(({ account, pending, isApiPayer }) => ({ address: account.address, pending, isApiPayer })),
  };
}

/** Runs the task after every earlier one of the payer: nonces are given out and broadcast in order. */
export function inLane<T>(payer: Payer, task: () => Promise<T>): Promise<T> {
  const result = payer.tail.then(task);
  payer.tail = result.catch(() => {});
  return result;
}

/** Counts the work as a transaction under way until it ends. */
export async function whilePending<T>(payer: Payer | undefined, work: () => Promise<T>): Promise<T> {
  if (payer) payer.pending++;
  try {
    return await work();
  } finally {
    if (payer) payer.pending--;
  }
}
