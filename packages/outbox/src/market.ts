/** The gas of calls, the fees of the chain and the balances of the payers. Fees and balances are cached, so that a write asks for neither. */
import { BASE_FEE_MULTIPLIER, type Chain } from '@latchkey/chain/chain';
import { ContractRevertError, FeesTooHighError, TooMuchGasError, toChainError } from '@latchkey/chain/errors';
import { inSpan } from '@latchkey/service/tracing';
import { type Address, type Hex, type PublicClient, size } from 'viem';
import { readFees } from './fees.ts';
import { type ExtraFees, extraFee, gasForL1, readExtraFees } from './rollups.ts';
import type { Fees } from './store.ts';
import { higher } from './transitions.ts';

/** `refresh` normally replaces a value long before. */
const MAX_AGE_MS = 30_000;

export type GasMarket = {
  /**
   * Returns fees that a rise of the base fee by half leaves high enough, up to the ceiling. Rejects with `FeesTooHighError` when
   * the chain asks for more, or `ChainUnavailableError`.
   */
  fees: () => Promise<Fees>;
  /** Returns what a transaction with this calldata and limit of gas costs at most besides its gas. */
  extraFee: (transaction: { data: Hex; gas: bigint }) => Promise<bigint>;
  /**
   * Subtracts the highest cost of a transaction from the payer's known balance. Reads the balance again before it
   * returns false.
   */
  spend: (payer: Address, costWei: bigint) => Promise<boolean>;
  /** Reads fees and balances again. */
  refresh: (payers: readonly Address[]) => Promise<void>;
  /** Forgets the fees and the balance of a payer: the node refused its transaction. */
  forget: (payer: Address) => void;
};

type Quote = { fees: Fees; extra: ExtraFees };
type Cached<Value> = { value: Value; readAtMs: number };

/** Returns the fees, at most the ceiling. Throws `FeesTooHighError` when a transaction with the ceiling would not be mined now. */
export function withinCeiling(fees: Fees, ceiling: bigint | undefined): Fees {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  if (ceiling === undefined || maxFeePerGas <= ceiling) return fees;
  const baseFee = (maxFeePerGas - maxPriorityFeePerGas) / BigInt(BASE_FEE_MULTIPLIER);
  if (baseFee + maxPriorityFeePerGas > ceiling) throw new FeesTooHighError();
  return { maxFeePerGas: ceiling, maxPriorityFeePerGas };
}

export function createGasMarket(
  chain: Pick<Chain, 'heldByTwo'>,
  { ceiling, maxAgeMs = MAX_AGE_MS }: { ceiling?: bigint | undefined; maxAgeMs?: number } = {},
): GasMarket {
  const balances = new Map<Address, Cached<bigint>>();
  let quote: Cached<Promise<Quote>> | undefined;
  const isFresh = (cached: { readAtMs: number } | undefined): boolean =>
    cached !== undefined && performance.now() - cached.readAtMs < maxAgeMs;

  const readQuote = (): Promise<Quote> => {
    const read = Promise.all([readFees(chain), readExtraFees(chain)]).then(([fees, extra]) => ({
      fees,
      extra,
    }));
    const mine = { value: read, readAtMs: performance.now() };
    quote = mine;
    read.catch(() => {
      if (quote === mine) quote = undefined;
    });
    return read;
  };
  const fresh = (): Promise<Quote> =>
    (quote && isFresh(quote) ? quote.value : readQuote()).catch(asChainError);
  const readBalance = async (address: Address): Promise<Cached<bigint>> => {
    const readAtMs = performance.now();
    const value = await chain.heldByTwo((client) => client.getBalance({ address }));
    const balance = { value, readAtMs };
    balances.set(address, balance);
    return balance;
  };
  const asChainError = (error: unknown): never => {
    throw toChainError(error);
  };

  return {
    async fees() {
      return withinCeiling((await fresh()).fees, ceiling);
    },
    async extraFee(transaction) {
      return extraFee((await fresh()).extra, transaction);
    },
    async spend(payer, costWei) {
      let balance = balances.get(payer);
      if (!balance || !isFresh(balance) || balance.value < costWei)
        balance = await readBalance(payer).catch(asChainError);
      if (balance.value < costWei) return false;
      balance.value -= costWei;
      return true;
    },
    async refresh(payers) {
      await Promise.all([readQuote(), ...payers.map(readBalance)]).catch(asChainError);
    },
    forget(payer) {
      quote = undefined;
      balances.delete(payer);
    },
  };
}

/** Without `to` it creates a contract. */
export type EthCall = { from: Address; to: Address | null; data: Hex; value?: bigint; gas?: bigint };

/**
 * Simulates a call at `blockNumber`, by default at the latest block. Rejects with `ContractRevertError` when it
 * reverts.
 */
export async function simulate(
  { client }: Pick<Chain, 'client'>,
  { from, ...call }: EthCall,
  blockNumber?: bigint,
): Promise<void> {
  const block = blockNumber === undefined ? {} : { blockNumber };
  await client.call({ account: from, ...call, ...block }).catch((error: unknown) => {
    throw toChainError(error);
  });
}

/** The gas that a transaction needs at least, wherever it is sent: nodes refuse one with less for ever, so that its nonce would never be used. */
const LEAST_GAS = { perTransaction: 21_000n, perByte: 40n };

type AskNodes = (question: (client: PublicClient) => Promise<bigint>) => Promise<bigint>;

/**
 * Returns the gas limit of a call. The estimate executes the call, so that it is also its simulation. Rejects with
 * `ContractRevertError`, `TooMuchGasError` for an estimate above `maxGas` if that is given, `FeesTooHighError` when only its part for L1 is above, or
 * `ChainUnavailableError`. One node is asked, unless `ask` asks others.
 */
export async function estimateGas(
  chain: Pick<Chain, 'client'>,
  { from, ...call }: EthCall,
  { maxGas, ask = (question) => question(chain.client) }: { maxGas?: bigint; ask?: AskNodes } = {},
): Promise<bigint> {
  const estimating = () => ask((client) => client.estimateGas({ account: from, ...call }));
  const estimate = await inSpan('estimate', estimating).catch(async (error: unknown) => {
    const refusal = toChainError(error);
    // Some nodes report a failed estimate without the data of the revert.
    if (!(refusal instanceof ContractRevertError)) await simulate(chain, { from, ...call });
    throw refusal;
  });
  if (maxGas !== undefined && estimate > maxGas) {
    if (call.to && estimate - (await gasForL1(chain.client, call.to, call.data)) <= maxGas)
      throw new FeesTooHighError();
    throw new TooMuchGasError(estimate, maxGas);
  }
  // Headroom: earlier transactions in the block can increase its gas.
  const least = LEAST_GAS.perTransaction + LEAST_GAS.perByte * BigInt(size(call.data));
  return higher((estimate * 13n) / 10n + 30_000n, least);
}
