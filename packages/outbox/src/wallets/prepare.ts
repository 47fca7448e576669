/** Asks the chain for all that a wallet's transaction needs besides its nonce, and says why it would fail. */
import type { Chain } from '@latchkey/chain/chain';
import { ContractRevertError, FeesTooHighError, toChainError } from '@latchkey/chain/errors';
import { type Address, decodeErrorResult, formatEther, type Hex, parseAbi } from 'viem';
import { estimateGas, type GasMarket, simulate } from '../market.ts';
import { higher, leastFees } from '../transitions.ts';
import { buildLadder, type Ladder } from './ladder.ts';
import type { NewWalletTransaction, StoredWalletTransaction } from './store.ts';

const MAX_REASON_LENGTH = 300;

export type WalletCall = Pick<
  NewWalletTransaction,
  'account' | 'usageKey' | 'runId' | 'cid' | 'to' | 'value' | 'data' | 'idempotencyId'
> & {
  wallet: Address;
  gas: bigint | undefined;
  maxFeePerGas: bigint | undefined;
};

/** The call is refused, and nothing was stored: the message is for its author. */
export class WalletCallError extends Error {
  override readonly name = 'WalletCallError';
}

export type Prepared = { gas: bigint; cancelGas: bigint; ladder: Ladder; inChain: number };

/**
 * Asks the chain for all that a transaction needs besides its nonce. Rejects when it would fail. No number is the word of one node: a nonce, a gas limit
 * or a cost that is never mined would hold up the wallet for ever, and its cancellation too.
 */
export async function prepare(
  { chain, market: gasMarket }: { chain: Pick<Chain, 'client' | 'heldByTwo'>; market: GasMarket },
  call: WalletCall,
): Promise<Prepared> {
  const { wallet, to, value, data } = call;
  const { heldByTwo } = chain;
  const asked = { from: wallet, to, value, data };
  const gasOfCall = async (): Promise<bigint> => {
    if (call.gas === undefined) return estimateGas(chain, asked, { ask: heldByTwo });
    await simulate(chain, { ...asked, gas: call.gas });
    return call.gas;
  };
  const [balance, gas, cancelGas, fees, inChain] = await Promise.allSettled([
    heldByTwo((client) => client.getBalance({ address: wallet })),
    gasOfCall(),
    estimateGas(chain, { from: wallet, to: wallet, data: '0x' }, { ask: heldByTwo }),
    gasMarket.fees(),
    heldByTwo((client) => client.getTransactionCount({ address: wallet, blockTag: 'pending' })),
  ]);
  const funds = answerOf(balance);
  const market = answerOf(fees);
  const needs = (wei: bigint) =>
    new WalletCallError(
      `the wallet ${wallet} has ${formatEther(funds)} of the ${formatEther(wei)} that it needs`,
    );
  if (funds < value) throw needs(value);
  const [gasLimit, cancelLimit] = [answerOf(gas), answerOf(cancelGas)];
  const extra = await gasMarket.extraFee({ data, gas: gasLimit });
  const affordable = { call: (funds - value - extra) / gasLimit, cancel: (funds - extra) / cancelLimit };
  try {
    const ladder = buildLadder(market, affordable, call.maxFeePerGas);
    return { gas: gasLimit, cancelGas: cancelLimit, ladder, inChain: answerOf(inChain) };
  } catch (error) {
    if (!(error instanceof FeesTooHighError)) throw error;
    const { maxFeePerGas } = market;
    const toSend = value + extra + gasLimit * maxFeePerGas;
    const required = higher(toSend, extra + cancelLimit * leastFees(market).maxFeePerGas);
    if (funds < required) throw needs(required);
    throw new WalletCallError(
      `maxFeePerGas is too low: the chain asks ${maxFeePerGas} wei per gas now, and a form to cancel with needs an eighth more`,
    );
  }
}

function answerOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'fulfilled') return result.value;
  const error = toChainError(result.reason);
  if (!(error instanceof ContractRevertError)) throw error;
  throw new WalletCallError(`the transaction would revert: ${reasonOf(error)}`);
}

/** Resolves to why a transaction reverted. */
export async function explain(
  chain: Pick<Chain, 'client'>,
  { payer, to, value, data, gas }: StoredWalletTransaction,
  blockNumber: bigint,
): Promise<string> {
  try {
    await simulate(chain, { from: payer, to, value, data, gas }, blockNumber);
    return 'reverted, and does not revert when replayed';
  } catch (error) {
    return error instanceof ContractRevertError ? reasonOf(error) : 'reverted';
  }
}

const standardErrors = parseAbi(['error Error(string)', 'error Panic(uint256)']);

function reasonOf({ data }: { data: Hex }): string {
  if (data === '0x') return 'reverted without a reason';
  try {
    const { errorName, args } = decodeErrorResult({ abi: standardErrors, data });
    const text = errorName === 'Error' ? args[0] : `Panic(${args[0]})`;
    return text.replace(/\p{C}/gu, '\ufffd').slice(0, MAX_REASON_LENGTH);
  } catch {
    return `reverted with ${data.slice(0, MAX_REASON_LENGTH)}`;
  }
}
