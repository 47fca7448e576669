/**
 * The api payers' transactions. Each payer has one lane in which nonces are given out, stored and broadcast strictly
 * in order; receipts are awaited outside of it, so that a payer may have several transactions in one block.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Address, type Hex, keccak256, type TransactionReceipt } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { CapsChange } from '../db/schema.ts';
import type { Chain } from './chain.ts';
import { ChainUnavailableError, toChainError, UnsettledTransactionError } from './errors.ts';
import { createFollower, type Outcome } from './follow.ts';
import type { Fees, Outbox, OutboxTransaction, Payment } from './outbox.ts';

/** Sends of one request when its nonces keep being taken by somebody else. */
const MAX_ATTEMPTS = 5;
/** A pending transaction that no process has touched for this long has lost its process. */
const ORPHAN_SEC = 20;
const ORPHAN_SCAN_MS = 10_000;
const CLOSE_DEADLINE_MS = 20_000;
const UNFUNDED_REST_MS = 5_000;

export type PayersOptions = {
  chain: Chain;
  outbox: Outbox;
  privateKeys: Hex[];
  /** The contract: the only address that payers call. */
  contract: Address;
  /** Called after each success is stored, whoever asked for it and whenever it was settled. */
  onMined: (account: bigint, block: bigint) => Promise<void>;
  log: Logger;
  /** Transactions that one payer may have under way. */
  maxPending: number;
  /** How long a request waits for its receipt; the transaction itself is followed on. */
  timeoutMs: number;
  /** Age at which a transaction that was not mined is repriced. */
  repriceAfterMs: number;
};

export type PayerStatus = { address: Address; pending: number; isApiPayer: boolean };

/** The Idempotency-Key belongs to a request that wrote something else. */
export class OtherRequestError extends Error {
  override readonly name = 'OtherRequestError';
}

/** All payers have as much under way as they may. */
export class PayersBusyError extends Error {
  override readonly name = 'PayersBusyError';
}

type Call = {
  data: Hex;
  /** Master hash of the account that is written. */
  account: bigint;
  idempotencyId: string | undefined;
  /** Reserved before the broadcast, taken when the call succeeded. */
  payment: Payment | undefined;
  capsChange?: CapsChange | undefined;
};

export type Payers = {
  /**
   * The receipt of one successful call of the contract. Simulates first: a call that reverts costs nothing. With an
   * idempotency id there is one effect, however often and in whatever process it is sent.
   * Rejects with `ContractRevertError`, `InsufficientCreditError`, `CapError`, `ChainUnavailableError`, `PayersBusyError` or
   * `OtherRequestError`.
   */
  send: (call: Call) => Promise<TransactionReceipt>;
  /** Tells which of the payers the contract knows; the others are not used. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
  /** Settles or rebroadcasts what an earlier process left. */
  start: () => Promise<void>;
  /** Waits for what is under way; what does not end in time is taken up by the next start. */
  close: () => Promise<void>;
};

type Payer = {
  account: PrivateKeyAccount;
  isApiPayer: boolean;
  /** It could not pay; on the clock of `performance.now`. */
  restsUntil: number;
  pending: number;
  /** End of the lane. */
  tail: Promise<unknown>;
};

export function createPayers(options: PayersOptions): Payers {
  const { chain, outbox, contract, log } = options;
  const { client, chainId } = chain;
  const payers: Payer[] = options.privateKeys.map((privateKey) => ({
    account: privateKeyToAccount(privateKey),
    isApiPayer: true,
    restsUntil: 0,
    pending: 0,
    tail: Promise.resolve(),
  }));
  const payerOf = (address: Address) => payers.find(({ account }) => account.address === address);
  const closing = new AbortController();
  const drives = new Map<string, Promise<Outcome>>();
  let scan: NodeJS.Timeout | undefined;

  const sign = async (
    address: Address,
    nonce: number,
    { data, gas, maxFeePerGas, maxPriorityFeePerGas }: Fees & { data: Hex; gas: bigint },
  ) => {
    const payer = payerOf(address);
    if (!payer) throw new Error(`the key of the payer ${address} is not configured`);
    const price = { gas, maxFeePerGas, maxPriorityFeePerGas };
    const raw = await payer.account.signTransaction({
      type: 'eip1559',
      chainId,
      to: contract,
      nonce,
      data,
      ...price,
    });
    return { raw, hash: keccak256(raw) };
  };
  const { broadcast, follow } = createFollower({ ...options, sign, signal: closing.signal });

  const drive = (transaction: OutboxTransaction, accepted: boolean): Promise<Outcome> => {
    const running = drives.get(transaction.id);
    if (running) return running;
    const payer = payerOf(transaction.payer);
    if (payer) payer.pending++;
    const outcome = follow(transaction, accepted).finally(() => {
      drives.delete(transaction.id);
      if (payer) payer.pending--;
    });
    outcome.catch(() => {});
    drives.set(transaction.id, outcome);
    return outcome;
  };

  const withDeadline = async (outcome: Promise<Outcome>): Promise<Outcome> => {
    const timer = new AbortController();
    const late = delay(options.timeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new UnsettledTransactionError('the transaction was not mined in time');
    });
    late.catch(() => {});
    return Promise.race([outcome, late]).finally(() => timer.abort());
  };

  const simulate = async (from: Address, data: Hex, blockNumber?: bigint): Promise<void> => {
    await client.call({
      account: from,
      to: contract,
      data,
      ...(blockNumber === undefined ? {} : { blockNumber }),
    });
  };

  /** Gas and fees of a call that does not revert; undefined when the payer cannot pay for it. */
  const prepare = async ({ account: { address } }: Payer, data: Hex) => {
    const asked = [
      client.estimateGas({ account: address, to: contract, data }),
      client.estimateFeesPerGas(),
      client.getBalance({ address }),
    ] as const;
    // The revert of the call counts, not what a node says of it when it estimates.
    for (const question of asked) question.catch(() => {});
    const [estimate, fees, balance] = await simulate(address, data)
      .then(() => Promise.all(asked))
      .catch((error: unknown) => {
        throw toChainError(error);
      });
    // Transactions before it may make it dearer than it is now.
    const gas = (estimate * 13n) / 10n + 30_000n;
    if (balance < gas * fees.maxFeePerGas) return undefined;
    const { maxFeePerGas, maxPriorityFeePerGas } = fees;
    return { gas, maxFeePerGas, maxPriorityFeePerGas };
  };

  const choose = (): Payer => {
    const now = performance.now();
    const usable = payers.filter(({ isApiPayer, restsUntil }) => isApiPayer && restsUntil <= now);
    if (usable.length === 0)
      throw new ChainUnavailableError(
        'none of the payers is an api payer of the contract that can pay for gas',
      );
    const payer = usable.reduce((best, other) => (other.pending < best.pending ? other : best));
    if (payer.pending >= options.maxPending) throw new PayersBusyError('all payers are busy');
    return payer;
  };

  const inLane = <T>(payer: Payer, task: () => Promise<T>): Promise<T> => {
    const result = payer.tail.then(task);
    payer.tail = result.catch(() => {});
    return result;
  };

  /** Stores and broadcasts a call; undefined when the payer cannot pay for it. */
  const broadcastBy = async (payer: Payer, call: Call): Promise<OutboxTransaction | undefined> => {
    const price = await prepare(payer, call.data);
    if (!price) return undefined;
    return inLane(payer, async () => {
      const transaction = await outbox.add({
        capsChange: undefined,
        ...call,
        ...price,
        payer: payer.account.address,
        sign: (nonce) => sign(payer.account.address, nonce, { data: call.data, ...price }),
      });
      drive(transaction, await broadcast(transaction));
      return transaction;
    });
  };

  const broadcastNew = async (call: Call): Promise<OutboxTransaction> => {
    for (;;) {
      closing.signal.throwIfAborted();
      const payer = choose();
      payer.pending++;
      try {
        const transaction = await broadcastBy(payer, call);
        if (transaction) return transaction;
      } finally {
        payer.pending--;
      }
      payer.restsUntil = performance.now() + UNFUNDED_REST_MS;
      log.error({ payer: payer.account.address }, 'the payer cannot pay for gas');
    }
  };

  const send: Payers['send'] = async (call) => {
    const { data, idempotencyId } = call;
    const earlier = idempotencyId === undefined ? undefined : await outbox.byIdempotencyId(idempotencyId);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const transaction = (attempt === 0 && earlier) || (await broadcastNew(call));
      if (transaction.data !== data) throw new OtherRequestError('the request id belongs to another call');
      const outcome = await withDeadline(drive(transaction, true));
      if (outcome.status === 'mined') return outcome.receipt;
      if (outcome.status === 'reverted' && transaction !== earlier) {
        const { payer } = transaction;
        const { blockNumber } = outcome.receipt;
        await simulate(payer, data, blockNumber).catch((error: unknown) => {
          throw toChainError(error);
        });
        log.warn({ payer, nonce: transaction.nonce }, 'a reverted transaction does not revert when replayed');
      }
    }
    throw new UnsettledTransactionError('the transaction could not be settled');
  };

  const resume = async (idleSec: number): Promise<void> => {
    const addresses = payers.map(({ account }) => account.address);
    for (const transaction of await outbox.pending(addresses, idleSec)) {
      if (drives.has(transaction.id)) continue;
      log.info({ payer: transaction.payer, nonce: transaction.nonce }, 'pending transaction taken up');
      drive(transaction, await broadcast(transaction));
    }
  };

  return {
    send,
    setApiPayers(addresses) {
      const known = new Set(addresses);
      for (const payer of payers) payer.isApiPayer = known.has(payer.account.address);
    },
    status: () =>
      payers.map(({ account, pending, isApiPayer }) => ({ address: account.address, pending, isApiPayer })),
    async start() {
      await resume(0);
      for (const { account } of payers) {
        const { address } = account;
        const nonce = await client
          .getTransactionCount({ address, blockTag: 'pending' })
          .catch((error: unknown) => {
            throw toChainError(error);
          });
        await outbox.syncNonce(address, nonce, { exact: true });
      }
      scan = setInterval(() => {
        resume(ORPHAN_SEC).catch((err: unknown) => log.error({ err }, 'pending transactions not read'));
      }, ORPHAN_SCAN_MS);
    },
    async close() {
      clearInterval(scan);
      await Promise.race([
        Promise.allSettled([...payers.map(({ tail }) => tail), ...drives.values()]),
        delay(CLOSE_DEADLINE_MS, undefined, { ref: false }),
      ]);
      closing.abort(new ChainUnavailableError('the service stops'));
      await Promise.allSettled([...drives.values()]);
    },
  };
}
