/**
 * Sends transactions of wallets on one chain. The relayer has no key of a wallet: the run that asks for a transaction signs it with the nonce that
 * it gets, in all forms that can be needed after the run has ended.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withoutUrl } from '@latchkey/chain/errors';
import type { TakeTurn } from '@latchkey/service/turns';
import { within } from '@latchkey/service/within';
import type { Address } from 'viem';
import { createFollow, type FollowOptions } from '../follow.ts';
import {
  type Broadcast,
  closeAfter,
  createBroadcast,
  createSettlements,
  type Lane,
  openLane,
  type Settlements,
} from '../lanes.ts';
import { createGasMarket, type GasMarket } from '../market.ts';
import { createReopening, resume } from '../recheck.ts';
import type { StoredTransaction } from '../store.ts';
import { ORPHAN_SEC } from '../transitions.ts';
import { checkForms, type SignedForms, type ToSign, UnsignedError } from './forms.ts';
import { createNextForm } from './next-form.ts';
import { explain, prepare, type WalletCall, WalletCallError } from './prepare.ts';
import type { NewWalletTransaction, StoredWalletTransaction, WalletStore } from './store.ts';

/** Nonces that a run signs for one call at most. */
const MAX_ATTEMPTS = 5;
const SIGN_TIMEOUT_MS = 5_000;
/** Other chains are polled: one look per transaction in four seconds when it is old. */
const LONGEST_PAUSE_MS = 4_000;
const FEES_AGE_MS = 3_000;

export type WalletOutboxOptions = Omit<
  FollowOptions,
  'store' | 'onSettled' | 'explain' | 'longestPauseMs'
> & {
  store: WalletStore;
  takeTurn: TakeTurn<bigint>;
  /** Time within which a run must sign. */
  signTimeoutMs?: number;
  onRepriced?: () => void;
};

export type WalletOutbox = {
  /**
   * Stores and broadcasts a call; does not wait until it is mined. With an idempotency id it is stored once over all retries and processes. Rejects
   * with `WalletCallError`, `UnsignedError`, `PendingLimitError`, `TurnRefusedError` or `ChainUnavailableError`.
   */
  send: (
    call: WalletCall,
    sign: (toSign: ToSign) => Promise<SignedForms>,
    signal: AbortSignal,
  ) => Promise<StoredTransaction>;
  /** Broadcasts the form that cancels a transaction. False when it is settled. */
  cancel: (id: string) => Promise<boolean>;
  /** Settles or rebroadcasts the transactions that an earlier process left, and those that a reorg dropped meanwhile. */
  start: () => Promise<void>;
  /** Settles transactions of processes that have ended, and those that a reorg dropped. Call periodically. */
  recheck: () => Promise<void>;
  close: () => Promise<void>;
};

type Parts = WalletOutboxOptions & {
  market: GasMarket;
  lanes: Map<Address, Lane<NewWalletTransaction>>;
  broadcast: Broadcast;
  settlements: Settlements;
  closing: AbortController;
};

export function openWalletOutbox(options: WalletOutboxOptions): WalletOutbox {
  const parts = openParts(options);
  const { store, settlements, broadcast, lanes, log } = parts;
  const reopenDropped = createReopening(parts);
  const recheck = async (idleSec: number): Promise<void> => {
    await resume(parts, await store.pending(idleSec));
    await resume(parts, await reopenDropped());
  };
  return {
    send: (call, sign, signal) => send(parts, call, sign, signal),
    async cancel(id) {
      const transaction = await store.cancel(id);
      if (!transaction) return false;
      const [verdict = 'unknown'] = await broadcast([transaction]);
      void settlements.settle(transaction, verdict);
      return true;
    },
    async start() {
      await recheck(0).catch((err: unknown) => log.warn({ err: withoutUrl(err) }, 'failed to recheck'));
    },
    recheck: () => recheck(ORPHAN_SEC),
    // A transaction can wait for days: the next start follows it.
    close: () => closeAfter(Promise.all(Array.from(lanes.values(), ({ lastSend }) => lastSend)), parts),
  };
}

function openParts(options: WalletOutboxOptions): Parts {
  const { chain, store, log } = options;
  const closing = new AbortController();
  const broadcast = createBroadcast(chain, log, (transactions) => {
    // A process can have ended before it stored what a node had accepted.
    const held = (transactions as StoredWalletTransaction[]).filter(
      ({ broadcastAt }) => broadcastAt === null,
    );
    // Not awaited: it only changes what callers see.
    if (held.length > 0)
      store
        .noteBroadcast(held.map(({ id }) => id))
        .catch((err: unknown) => log.warn({ err }, 'failed to store broadcasts'));
  });
  const follow = createFollow({
    ...options,
    // Logs are pushed of the contract only.
    chain: { ...chain, isPushing: () => false, awaitLog: pause },
    longestPauseMs: LONGEST_PAUSE_MS,
    broadcast,
    reprice: createNextForm(options),
    renumber: undefined,
    onSettled: () => {},
    explain: (transaction, { blockNumber }) =>
      explain(chain, transaction as StoredWalletTransaction, blockNumber),
    isReached: async (block) => chain.head() >= block || (await chain.refreshHead()) >= block,
    async mark(transaction, receipt) {
      await store.mark(transaction.id, receipt);
      const { transactionHash: minedHash = null, blockNumber = null } = receipt ?? {};
      return { ...transaction, minedHash, blockNumber };
    },
    signal: closing.signal,
  });
  return {
    ...options,
    market: createGasMarket(chain, { maxAgeMs: FEES_AGE_MS }),
    lanes: new Map(),
    broadcast,
    settlements: createSettlements(() => undefined, follow),
    closing,
  };
}

async function pause(_hashes: unknown, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  await delay(timeoutMs, undefined, signal ? { signal } : {}).catch(() => {});
  return false;
}

async function send(
  parts: Parts,
  call: WalletCall,
  sign: (toSign: ToSign) => Promise<SignedForms>,
  signal: AbortSignal,
): Promise<StoredTransaction> {
  using _turn = await parts.takeTurn(call.account, { signal });
  parts.closing.signal.throwIfAborted();
  const { store, lanes, settlements } = parts;
  const { wallet, idempotencyId } = call;
  const earlier = idempotencyId === undefined ? undefined : await store.byIdempotencyId(idempotencyId);
  if (earlier) return asAsked(call, earlier);
  const prepared = await prepare(parts, call);
  const lane = lanes.get(wallet) ?? openLane<NewWalletTransaction>(wallet, store, parts.broadcast);
  lanes.set(wallet, lane);
  const sent = lane.send({ ...call, ...prepared, sign: signWith(parts, call, sign) });
  const { lastSend } = lane;
  try {
    const { transaction, verdict } = await sent;
    void settlements.settle(transaction, verdict);
    return asAsked(call, transaction);
  } finally {
    // Nothing else waits in the lane.
    if (lane.lastSend === lastSend && lanes.get(wallet) === lane) lanes.delete(wallet);
  }
}

/** Returns the transaction of an idempotent call. Throws when the call is of another usage key, or has other content. */
function asAsked(
  { usageKey, to, value, data }: WalletCall,
  transaction: StoredTransaction,
): StoredTransaction {
  const stored = transaction as StoredWalletTransaction;
  // Its holder could have cancelled it. A second transaction could pay twice.
  if (BigInt(stored.usageKey) !== usageKey)
    throw new WalletCallError('idempotencyKey belongs to a transaction of another usage key: use a new one');
  if (stored.to !== to || stored.value !== value || stored.data !== data)
    throw new WalletCallError('idempotencyKey belongs to another transaction: use a new one');
  return transaction;
}

/** Returns a function that has the run sign, and checks what it returns. */
function signWith(
  { chain, signTimeoutMs = SIGN_TIMEOUT_MS }: Parts,
  call: WalletCall,
  sign: (toSign: ToSign) => Promise<SignedForms>,
) {
  let attempts = 0;
  return async (toSign: ToSign): Promise<SignedForms> => {
    if (++attempts > MAX_ATTEMPTS)
      throw new UnsignedError('other transactions took each nonce of this one: send it again');
    const late = () => new UnsignedError(`the run did not sign within ${signTimeoutMs / 1_000} s`);
    const signed = await within(signTimeoutMs, sign(toSign), late);
    checkForms({ ...call, chainId: chain.chainId }, toSign, signed);
    return signed;
  };
}
