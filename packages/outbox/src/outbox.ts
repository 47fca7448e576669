/**
 * Sends calls of the contract from the api payers. Each payer stores its transactions with their nonces one after another, and broadcasts them in
 * that order. Receipts are awaited outside of this order, so that a payer can have several transactions in one block.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  ChainUnavailableError,
  ContractRevertError,
  UnsettledTransactionError,
  withoutUrl,
} from '@latchkey/chain/errors';
import { type Activity, createTurns, type Turns } from '@latchkey/service/turns';
import type { Address, Hex, TransactionReceipt } from 'viem';
import { createFollow, type FollowOptions, receiptWithin } from './follow.ts';
import {
  type Broadcast,
  chooseLane,
  closeAfter,
  counted,
  createBroadcast,
  createSettlements,
  createSign,
  MAX_SENDING,
  openPayerLane,
  type PayerLane,
  type Settlements,
  type Sign,
  type Signer,
} from './lanes.ts';
import { createGasMarket, estimateGas, type GasMarket } from './market.ts';
import { createLossLog, createNonceHealing, createReopening, readNonces, resume } from './recheck.ts';
import { type RefillDatabase, type RefillLimits, storeRefill } from './refill.ts';
import { explain, skip, UnfundedError } from './refusals.ts';
import { createRenumber } from './renumber.ts';
import { reprice } from './reprice.ts';
import type { Payment, Store, StoredTransaction } from './store.ts';
import { ORPHAN_SEC } from './transitions.ts';

/** Maximum number of sends per request when calls that were simulated revert. */
const MAX_ATTEMPTS = 5;
/** Concurrent writes up to which an account has few. */
const FEW = 2;
/** Maximum of waiting writes of all accounts, as a multiple of the maximum of one account. */
const ACCOUNTS_THAT_WAIT = 16;
const FREE_PAYER_POLL_MS = 100;
/** Writes that open an account have one share, whatever account they open: a stranger can name any number of new ones. */
const OPENINGS = 0n;

export type OutboxOptions = FollowOptions & {
  store: Store;
  /** The highest maximum fee per gas that payers offer, in wei. */
  feeCeiling?: bigint | undefined;
  onRepriced?: () => void;
  signers: Signer[];
  /** The contract: the only address that payers call. */
  contract: Address;
  activity: Activity<bigint>;
  /** Maximum number of in-flight transactions per payer. */
  maxPending: number;
  /** Writes per second that accounts with many concurrent writes may begin, all together, while another account is active. */
  manyPerSecond: number;
  /** Estimated gas above which a write is refused. A call of several writes may cost so much per write. */
  maxWriteGas: number;
  /** How long a request waits for its receipt. The transaction is followed beyond it. */
  timeoutMs: number;
};

/** The Idempotency-Key belongs to a request with other calldata. */
export class OtherRequestError extends Error {
  override readonly name = 'OtherRequestError';
}

export type Call = {
  data: Hex;
  /** Master hash of the account that the call writes to. */
  account: bigint;
  idempotencyId: string | undefined;
  /** Reserved before the broadcast, captured when the call succeeded. */
  payment: Payment | undefined;
  /** Number of writes in the call, by default one. */
  writes?: bigint;
  capsChange?: object | undefined;
};

type PayerStatus = Pick<PayerLane, 'pending' | 'isApiPayer' | 'signerFails'> & { address: Address };

export type Outbox = {
  /**
   * Sends a call of the contract and returns the receipt of its success. Simulates first: a call that reverts costs
   * nothing. With an idempotency id the call has one effect over all retries and processes. Rejects with
   * `ContractRevertError`, `TooMuchGasError`, `FeesTooHighError`, `ChainUnavailableError`, `TurnRefusedError`, `OtherRequestError`, or the error
   * with which the database refuses the price.
   */
  send: (call: Call) => Promise<TransactionReceipt>;
  /** Sets the payers that the contract knows; others are not used. */
  setApiPayers: (addresses: readonly Address[]) => void;
  status: () => PayerStatus[];
  /** Returns the number of calls that wait for their turn. */
  waiting: () => number;
  /** Reads the fees of the chain and the balances of the payers. Call periodically, so that writes need not. */
  refreshGas: () => Promise<void>;
  /**
   * Refills a payer that is low from the admin payer. Call periodically. Resolves to whether the limit of the day prevents it. Rejects when the
   * key of the admin payer is not configured.
   */
  refill: (db: RefillDatabase, admin: Address, limits: RefillLimits) => Promise<boolean>;
  /** Settles or rebroadcasts the transactions that an earlier process left, and those that a reorg dropped meanwhile. */
  start: () => Promise<void>;
  /**
   * Settles transactions of processes that have ended, sends those again that a reorg dropped, corrects nonces that are ahead of the chain, and
   * fills nonces that later transactions wait for. Call periodically.
   */
  recheck: () => Promise<void>;
  /** Waits for in-flight transactions, up to a deadline. The next start resumes the rest. */
  close: () => Promise<void>;
};

/** The parts of an outbox. */
type Parts = OutboxOptions & {
  lanes: PayerLane[];
  market: GasMarket;
  settlements: Settlements;
  broadcast: Broadcast;
  sign: Sign;
  takeTurn: Turns<bigint>;
  closing: AbortController;
};

export function openOutbox(options: OutboxOptions): Outbox {
  const parts = openParts(options);
  const { store, lanes, market, log } = parts;
  const [addresses, reopenDropped] = [lanes.map(({ signer }) => signer.address), createReopening(parts)];
  const onLost = createLossLog(parts);
  const resumeAll = (transactions: StoredTransaction[]) => resume({ ...parts, onLost }, transactions);
  const resendDropped = async () => resumeAll(await reopenDropped());
  const healNonce = createNonceHealing(parts);
  return {
    send: (call) => send(parts, call),
    setApiPayers(known) {
      for (const lane of lanes) lane.isApiPayer = known.includes(lane.signer.address);
    },
    status: () =>
      lanes.map(({ signer: { address }, pending, isApiPayer, signerFails }) => ({
        address,
        pending,
        isApiPayer,
        signerFails,
      })),
    waiting: parts.takeTurn.waiting,
    refreshGas: () => market.refresh(addresses),
    async refill(db, admin, limits) {
      const { transaction, isLimited } = await storeRefill(parts, db, admin, limits);
      if (transaction) await resumeAll([transaction]);
      return isLimited;
    },
    async start() {
      await resumeAll(await store.pending(0));
      await readNonces(parts, addresses);
      // Processes that all die before their first recheck would leave blocks unchecked until they are final.
      await resendDropped().catch((err: unknown) => log.warn({ err: withoutUrl(err) }, 'failed to recheck'));
    },
    async recheck() {
      await resumeAll(await store.pending(ORPHAN_SEC));
      await resendDropped();
      for (const address of addresses) await healNonce(address);
    },
    close: () =>
      closeAfter(Promise.all([...lanes.map(({ lastSend }) => lastSend), parts.settlements.ended()]), parts),
  };
}

function openParts(options: OutboxOptions): Parts {
  const { chain, store, contract, log, maxPending } = options;
  const closing = new AbortController();
  const broadcast = createBroadcast(chain, log);
  const lanes = options.signers.map((signer) => openPayerLane(signer, store, broadcast));
  const find = (address: Address) => lanes.find(({ signer }) => signer.address === address);
  const sign = createSign(chain.chainId, contract, find);
  const market = createGasMarket(chain, { ceiling: options.feeCeiling });
  const renumber = createRenumber({ ...options, lanes, market, sign });
  const follow = createFollow({
    ...options,
    broadcast,
    reprice: (transaction) => reprice({ ...options, sign }, transaction),
    renumber,
    async isReached(block) {
      await chain.reach(block);
      return true;
    },
    mark: async (transaction) => transaction,
    signal: closing.signal,
  });
  const takeTurn = createTurns(
    {
      inProgress: Math.min(MAX_SENDING, maxPending) * lanes.length,
      few: FEW,
      manyPerSecond: options.manyPerSecond,
      waiting: ACCOUNTS_THAT_WAIT * maxPending,
      waitingPerAccount: maxPending,
    },
    options.activity,
  );
  const settlements = createSettlements(find, follow);
  return {
    ...options,
    lanes,
    market,
    settlements,
    broadcast,
    sign,
    takeTurn,
    closing,
  };
}

async function send(parts: Parts, call: Call): Promise<TransactionReceipt> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { transaction, isEarlier } = await broadcastInTurn(parts, call, attempt === 0);
    if (transaction.data !== call.data) throw new OtherRequestError('the request id belongs to another call');
    const outcome = await receiptWithin(parts.timeoutMs, parts.settlements.settle(transaction, 'accepted'));
    if (outcome.status === 'mined') return outcome.receipt;
    if (outcome.status === 'replaced')
      throw new UnsettledTransactionError('the operator cancelled the transaction');
    if (outcome.status === 'reverted' && !isEarlier) await explain(parts, transaction, outcome.receipt);
  }
  throw new UnsettledTransactionError('failed to settle the transaction');
}

/**
 * Resolves to the transaction of a call, in a turn of its account. The turn ends with the broadcast: a payer can have many
 * transactions in a block.
 */
async function broadcastInTurn(parts: Parts, call: Call, isFirst: boolean) {
  const late = AbortSignal.timeout(parts.timeoutMs);
  try {
    using _turn = await parts.takeTurn(call.payment ? call.account : OPENINGS, { signal: late });
    const { idempotencyId } = call;
    const find = async () =>
      idempotencyId === undefined ? undefined : parts.store.byIdempotencyId(idempotencyId);
    const earlier = isFirst ? await find() : undefined;
    if (earlier) return { transaction: earlier, isEarlier: true };
    const transaction = await broadcastNew(parts, call, late).catch(async (error: unknown) => {
      // Another process can have sent the same request since: a call that has taken effect reverts.
      const sent = error instanceof ContractRevertError ? await find() : undefined;
      if (sent) return sent;
      throw error;
    });
    return { transaction, isEarlier: false };
  } catch (thrown) {
    throw thrown === late.reason ? new ChainUnavailableError('no payer was free in time') : thrown;
  }
}

async function broadcastNew(parts: Parts, call: Call, late: AbortSignal): Promise<StoredTransaction> {
  for (;;) {
    parts.closing.signal.throwIfAborted();
    late.throwIfAborted();
    const lane = chooseLane(parts.lanes, parts.maxPending, performance.now());
    if (!lane) {
      await delay(FREE_PAYER_POLL_MS);
      continue;
    }
    try {
      return await counted(lane, () => broadcastBy(parts, lane, call), { isSending: true });
    } catch (error) {
      skip(lane, error, parts.log);
    }
  }
}

/** Stores and broadcasts a call. Rejects with `UnfundedError` when the payer cannot pay for it. */
async function broadcastBy(
  { chain, contract, market, settlements, sign, maxWriteGas }: Parts,
  lane: PayerLane,
  call: Call,
): Promise<StoredTransaction> {
  const { address: payer } = lane.signer;
  const { data, account, idempotencyId, payment, capsChange, writes = 1n } = call;
  const [gas, fees] = await Promise.all([
    estimateGas(chain, { from: payer, to: contract, data }, { maxGas: BigInt(maxWriteGas) * writes }),
    market.fees(),
  ]);
  if (!(await market.spend(payer, gas * fees.maxFeePerGas + (await market.extraFee({ data, gas })))))
    throw new UnfundedError('no funds for gas');
  const content = { data, gas, account, idempotencyId, payment, capsChange, ...fees };
  const { transaction, verdict } = await lane.send({
    ...content,
    sign: (nonce) => sign({ payer, nonce, data, gas, ...fees }),
  });
  if (verdict !== 'accepted') market.forget(payer);
  void settlements.settle(transaction, verdict);
  return transaction;
}
