/**
 * Transactions of the api payers. Each payer stores them with their nonces one after another, and broadcasts them in that
 * order. Receipts are awaited outside of it, so that a payer can have several transactions in one block.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Activity, createTurns } from '@latchkey/service/turns';
import type { Logger } from 'pino';
import { type Address, type Hex, keccak256, type TransactionReceipt } from 'viem';
import type { CapsChange } from '../db/schema.ts';
import { createBroadcast } from './broadcast.ts';
import type { Chain } from './chain.ts';
import {
  ChainUnavailableError,
  ContractRevertError,
  MinedRevertError,
  toChainError,
  UnexplainedRevertError,
  UnsettledTransactionError,
} from './errors.ts';
import { createFollower, type Outcome } from './follow.ts';
import { createGasMarket } from './gas-market.ts';
import type { Fees, Outbox, OutboxTransaction, Payment, Signed } from './outbox.ts';
import {
  createPayerPool,
  MAX_SENDING,
  type Payer,
  type PayerPool,
  type PayerStatus,
  whileSending,
} from './payer-pool.ts';
import { createSettlements } from './settlements.ts';
import { estimateGas, simulate } from './simulate.ts';

/** Maximum number of sends per request when foreign transactions use its nonces. */
const MAX_ATTEMPTS = 5;
/** A pending transaction that no process has touched for this long has lost its process. */
const ORPHAN_SEC = 20;
const ORPHAN_SCAN_MS = 10_000;
const CLOSE_DEADLINE_MS = 20_000;
/** Concurrent writes of an account that are few. */
const FEW = 2;
/** Waiting writes of all accounts, in multiples of those of one. */
const ACCOUNTS_THAT_WAIT = 16;
const FREE_PAYER_POLL_MS = 100;
/** Writes that open an account have one share, whatever account they open: a stranger can name any number of new ones. */
const OPENINGS = 0n;

export type PayersOptions = {
  chain: Chain;
  outbox: Outbox;
  privateKeys: Hex[];
  /** The contract: the only address that payers call. */
  contract: Address;
  /** Called and awaited after each success is stored, regardless of which process sent or settled it. */
  onMined: (account: bigint, block: bigint) => void | Promise<void>;
  activity: Activity<bigint>;
  log: Logger;
  /** Maximum number of in-flight transactions per payer. */
  maxPending: number;
  /** Writes per second that all accounts with many begin together, while another account is active. */
  manyPerSecond: number;
  /** Estimated gas above which a write is refused. A call of several writes may cost so much per write. */
  maxWriteGas: number;
  /** Called with the calldata and the gas of each transaction that this process settles. */
  onGas: (data: Hex, receipt: Pick<TransactionReceipt, 'gasUsed' | 'status'>) => void;
  /** How long a request waits for its receipt. The transaction is followed beyond it. */
  timeoutMs: number;
  /** Age at which a transaction that was not mined is repriced. */
  repriceAfterMs: number;
};

/** The Idempotency-Key belongs to a request with other calldata. */
export class OtherRequestError extends Error {
  override readonly name = 'OtherRequestError';
}

type Call = {
  data: Hex;
  /** Master hash of the account that the call writes to. */
  account: bigint;
  idempotencyId: string | undefined;
  /** Reserved before the broadcast, captured when the call succeeded. */
  payment: Payment | undefined;
  /** Number of writes in the call, by default one. */
  writes?: bigint;
  capsChange?: CapsChange | undefined;
};

export type Payers = {
  /**
   * Sends a call of the contract and returns the receipt of its success. Simulates first: a call that reverts costs
   * nothing. With an idempotency id the call has one effect over all retries and processes. Rejects with
   * `ContractRevertError`, `TooMuchGasError`, `InsufficientCreditError`, `CapError`, `ChainUnavailableError`,
   * `TurnRefusedError` or `OtherRequestError`.
   */
  send: (call: Call) => Promise<TransactionReceipt>;
  /** Sets the payers that the contract knows; others are not used. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
  /** Reads the fees of the chain and the balances of the payers. Call periodically, so that writes need not. */
  refreshGas: () => Promise<void>;
  /** Settles or rebroadcasts the transactions that an earlier process left. */
  start: () => Promise<void>;
  /** Waits for in-flight transactions, up to a deadline. The next start resumes the rest. */
  close: () => Promise<void>;
};

export function createPayers(options: PayersOptions): Payers {
  const { chain, outbox, contract, log } = options;
  const broadcast = createBroadcast(chain, log);
  const pool = createPayerPool(options.privateKeys, options.maxPending, { outbox, broadcast });
  const market = createGasMarket(chain);
  const closing = new AbortController();
  const sign = createSigner(pool, chain.chainId, contract);
  const follow = createFollower({ ...options, sign, broadcast, signal: closing.signal });
  const { settle, ...settlements } = createSettlements({ find: pool.find, follow });
  const takeTurn = createTurns(
    {
      inProgress: Math.min(MAX_SENDING, options.maxPending) * options.privateKeys.length,
      few: FEW,
      manyPerSecond: options.manyPerSecond,
      waiting: ACCOUNTS_THAT_WAIT * options.maxPending,
      waitingPerAccount: options.maxPending,
    },
    options.activity,
  );
  let scan: NodeJS.Timeout | undefined;

  /** Stores and broadcasts a call; undefined when the payer cannot pay for it. */
  const broadcastBy = async (payer: Payer, call: Call): Promise<OutboxTransaction | undefined> => {
    const { address } = payer;
    const [gas, fees] = await Promise.all([
      estimateGas(
        chain,
        { from: address, to: contract, data: call.data },
        BigInt(options.maxWriteGas) * (call.writes ?? 1n),
      ),
      market.fees(),
    ]);
    const price = { ...fees, gas };
    if (!(await market.spend(address, gas * fees.maxFeePerGas))) return undefined;
    const { data, account, idempotencyId, payment, capsChange } = call;
    const { transaction, isAccepted } = await payer.send({
      ...{ data, account, idempotencyId, payment, capsChange },
      ...price,
      sign: (nonce) => sign(address, nonce, { data: call.data, ...price }),
    });
    if (!isAccepted) market.forget(address);
    void settle(transaction, isAccepted);
    return transaction;
  };

  const broadcastNew = async (call: Call, late: AbortSignal): Promise<OutboxTransaction> => {
    for (;;) {
      closing.signal.throwIfAborted();
      late.throwIfAborted();
      const payer = pool.choose();
      if (!payer) {
        await delay(FREE_PAYER_POLL_MS);
        continue;
      }
      const transaction = await whileSending(payer, () => broadcastBy(payer, call));
      if (transaction) return transaction;
      pool.rest(payer);
      log.error({ payer: payer.address }, 'the payer cannot pay for gas');
    }
  };

  /**
   * Resolves to the transaction of a call, in a turn of its account. The turn ends with the broadcast: a payer can have many
   * transactions in a block.
   */
  const broadcastInTurn = async (call: Call, isFirst: boolean) => {
    const late = AbortSignal.timeout(options.timeoutMs);
    try {
      using _turn = await takeTurn(call.payment ? call.account : OPENINGS, { signal: late });
      const { idempotencyId } = call;
      const earlier =
        isFirst && idempotencyId !== undefined ? await outbox.byIdempotencyId(idempotencyId) : undefined;
      return { transaction: earlier ?? (await broadcastNew(call, late)), isEarlier: earlier !== undefined };
    } catch (thrown) {
      throw thrown === late.reason ? new ChainUnavailableError('no payer was free in time') : thrown;
    }
  };

  const send: Payers['send'] = async (call) => {
    const { data } = call;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { transaction, isEarlier } = await broadcastInTurn(call, attempt === 0);
      if (transaction.data !== data) throw new OtherRequestError('the request id belongs to another call');
      const outcome = await within(options.timeoutMs, settle(transaction, true));
      if (outcome.status === 'mined') return outcome.receipt;
      if (outcome.status === 'reverted' && !isEarlier) {
        const { payer } = transaction;
        const { blockNumber, gasUsed } = outcome.receipt;
        await simulate(chain, { from: payer, to: contract, data }, blockNumber).catch((cause: unknown) => {
          if (cause instanceof ContractRevertError) throw new MinedRevertError(cause.data, gasUsed);
          throw new UnsettledTransactionError('the transaction reverted for an unknown reason', { cause });
        });
        // Not sent again: a contract wallet can accept its signature in simulations only, and the payer would pay each time.
        log.warn({ payer, nonce: transaction.nonce }, 'a reverted transaction does not revert when replayed');
        throw new UnexplainedRevertError('the transaction reverted, and does not revert when replayed');
      }
    }
    throw new UnsettledTransactionError('failed to settle the transaction');
  };

  const resume = async (idleSec: number): Promise<void> => {
    const addresses = pool.payers.map(({ address }) => address);
    for (const transaction of await outbox.pending(addresses, idleSec)) {
      if (settlements.has(transaction.id)) continue;
      log.info({ payer: transaction.payer, nonce: transaction.nonce }, 'pending transaction resumed');
      const [isAccepted = false] = await broadcast([transaction]);
      void settle(transaction, isAccepted);
    }
  };

  return {
    send,
    setApiPayers: pool.setApiPayers,
    status: pool.status,
    refreshGas: () => market.refresh(pool.payers.map(({ address }) => address)),
    async start() {
      await resume(0);
      for (const { address } of pool.payers) {
        const nonce = await chain.client
          .getTransactionCount({ address, blockTag: 'pending' })
          .catch((error: unknown) => {
            throw toChainError(error);
          });
        await outbox.syncNonce(address, nonce, { exact: true });
      }
      scan = setInterval(() => {
        resume(ORPHAN_SEC).catch((err: unknown) => log.error({ err }, 'failed to read pending transactions'));
      }, ORPHAN_SCAN_MS);
    },
    async close() {
      clearInterval(scan);
      await Promise.race([
        Promise.all([...pool.payers.map(({ lastSend }) => lastSend), settlements.ended()]),
        delay(CLOSE_DEADLINE_MS, undefined, { ref: false }),
      ]);
      closing.abort(new ChainUnavailableError('the relayer is stopping'));
      await settlements.ended();
    },
  };
}

/** Signs a call of the contract with the key of a payer. */
function createSigner(pool: PayerPool, chainId: number, contract: Address) {
  return async (
    address: Address,
    nonce: number,
    { data, gas, maxFeePerGas, maxPriorityFeePerGas }: Fees & { data: Hex; gas: bigint },
  ): Promise<Signed> => {
    const payer = pool.find(address);
    if (!payer) throw new Error(`the key of the payer ${address} is not configured`);
    const price = { gas, maxFeePerGas, maxPriorityFeePerGas };
    const raw = payer.sign({
      type: 'eip1559',
      chainId,
      to: contract,
      nonce,
      data,
      ...price,
    });
    return { raw, hash: keccak256(raw) };
  };
}

/** Resolves to the outcome. Rejects with `UnsettledTransactionError` after `timeoutMs`. */
async function within(timeoutMs: number, outcome: Promise<Outcome>): Promise<Outcome> {
  const timer = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new UnsettledTransactionError('the transaction was not mined in time');
  });
  late.catch(() => {});
  return Promise.race([outcome, late]).finally(() => timer.abort());
}
