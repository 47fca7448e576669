/** Writes of ChainSecured mode: each is a transaction, or one that the relayer submits. */
import { accountConfigAbi, decodeCall, walletIdentity } from '@latchkey/protocol';
import { type Address, type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem';
import {
  call,
  estimateGas,
  getChainId,
  getGasPrice,
  sendTransaction,
  waitForTransactionReceipt,
} from 'viem/actions';
import { ownAccount } from './account-state.ts';
import { type ChainSecuredBareClient, type Contract, sawBlock } from './bare-client.ts';
import { loadContract, onChain, ownBlock, simulate } from './contract.ts';
import { type Deadline, defaultDeadline } from './deadline.ts';
import { abortError, LatchkeyError } from './errors.ts';
import type { PostPath } from './http.ts';
import {
  type ChainSecuredPrepared,
  encodeCalls,
  isOpening,
  type Mint,
  type PrepareOptions,
  requireMode,
  type TakeEvent,
  type Write,
  type WriteOptions,
  type Written,
} from './write-definition.ts';
import { priceOf, submitSigned, typeOfSignature } from './write-signed.ts';

/** A write with its parameters on the chain, or a batch. */
export interface ChainPlan<Result> {
  name: string;
  changes: string[];
  mints: Mint<unknown>[];
  calls: (account: bigint, minted: unknown[]) => Hex[];
  result: (take: TakeEvent, minted: unknown[], wallet: Address) => Result;
}

export function createPlan<Parameters, Result, Path extends PostPath, Minted>(
  { name, changes, chain }: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
): ChainPlan<Result> {
  const { mint, calls, result } = requireMode(chain, name, 'ChainSecured');
  return {
    name,
    changes: changes(parameters),
    mints: mint
      ? [{ ...mint, mint: (client, deadline) => mint.mint(client, deadline, parameters) } as Mint<unknown>]
      : [],
    calls: (account, [minted]) => calls(account, parameters, minted as Minted),
    result: (take, [minted], wallet) =>
      (result?.(take, minted as Minted, parameters, wallet) ?? {}) as Result,
  };
}

/** The plans of prepared writes, with their client. */
export const plans = new WeakMap<object, { plan: ChainPlan<unknown>; client: ChainSecuredBareClient }>();

export async function prepareTransaction<Result>(
  client: ChainSecuredBareClient,
  plan: ChainPlan<Result>,
  options: PrepareOptions,
): Promise<ChainSecuredPrepared<Result>> {
  const { reader, wallet } = client.internals;
  const deadline = defaultDeadline(client, options);
  const { address: to } = await loadContract(client, deadline);
  const account = await chooseAccount(client, plan, deadline, options.simulate === false);
  const { calls, data } = createStandIns(client, plan, account);
  const prepared: ChainSecuredPrepared<Result> = {
    mode: 'chainSecured',
    name: plan.name,
    changes: plan.changes,
    signatures: plan.mints.map(({ primaryType }) => primaryType),
    calls: calls.map(decodeCall),
    transaction: { to, ...(plan.mints.length === 0 && { data }) },
    send: (sendOptions = {}) => writeByTransaction(client, plan, sendOptions),
  };
  if (client.internals.writes === 'signed') {
    prepared.signatures = [...prepared.signatures, typeOfSignature(calls)];
    prepared.priceMicros = priceOf(calls);
  }
  if (options.simulate !== false) {
    await ownBlock(client, deadline);
    await simulate(client, { to, data }, deadline);
  }
  if (options.simulate !== false && client.internals.writes === 'transactions') {
    const [gas, gasPrice] = await onChain(
      () =>
        Promise.all([
          estimateGas(reader, { account: wallet.account.address, to, data }),
          getGasPrice(reader),
        ]),
      deadline,
    );
    prepared.estimate = { gas, gasPrice, cost: gas * gasPrice };
  }
  plans.set(prepared, { plan, client });
  return prepared;
}

/** Simulates, signs, sends, and waits for the receipt. Every error after sending contains the transaction's hash. */
export async function writeByTransaction<Result>(
  client: ChainSecuredBareClient,
  plan: ChainPlan<Result>,
  options: WriteOptions,
): Promise<Written<Result>> {
  const { wallet } = client.internals;
  const admin = wallet.account.address;
  const deadline = defaultDeadline(client, options);
  const contract = await loadContract(client, deadline);
  const chainId = await onChain(() => getChainId(wallet), deadline);
  if (chainId !== contract.chainId)
    throw new LatchkeyError(
      'configuration',
      `the wallet is on chain ${chainId}, the relayer on chain ${contract.chainId}`,
      { fix: `Switch the wallet to chain ${contract.chainId}.` },
    );

  await ownBlock(client, deadline);
  const account = await chooseAccount(client, plan, deadline);
  if (plan.mints.length > 0) {
    const { data } = createStandIns(client, plan, account);
    await simulate(client, { to: contract.address, data }, deadline);
  }
  const minted: unknown[] = [];
  for (const { mint } of plan.mints) minted.push(await mint(client, deadline, undefined));
  const calls = plan.calls(account, minted);
  const transaction = { to: contract.address, data: encodeCalls(calls) };
  await simulate(client, transaction, deadline);

  const receipt =
    client.internals.writes === 'signed'
      ? await submitSigned(client, calls, contract, { deadline, idempotencyKey: options.idempotencyKey })
      : await transact(client, transaction, deadline);
  sawBlock(client, receipt.blockNumber);
  const result = plan.result(readEvents(receipt, contract), minted, admin);
  return { ...result, blockNumber: receipt.blockNumber, transactionHash: receipt.transactionHash };
}

/** Returns the hash by which a plan names the account. One that opens it, or names accounts by itself, needs no account. */
async function chooseAccount(
  client: ChainSecuredBareClient,
  plan: ChainPlan<unknown>,
  deadline: Deadline,
  isWaitingAllowed?: boolean,
): Promise<bigint> {
  const admin = client.internals.wallet.account.address;
  const identity = walletIdentity(admin);
  const minted = plan.mints.map(({ standIn }) => standIn(admin));
  const calls = plan.calls(identity, minted);
  const names = encodeCalls(calls) !== encodeCalls(plan.calls(0n, minted));
  return !names || isOpening(calls) ? identity : ownAccount(client, deadline, isWaitingAllowed);
}

function createStandIns(
  client: ChainSecuredBareClient,
  plan: ChainPlan<unknown>,
  account: bigint,
): { calls: Hex[]; data: Hex } {
  const admin = client.internals.wallet.account.address;
  const minted = plan.mints.map(({ standIn }) => standIn(admin));
  const calls = plan.calls(account, minted);
  return { calls, data: encodeCalls(calls) };
}

async function transact(
  client: ChainSecuredBareClient,
  transaction: { to: Address; data: Hex },
  deadline: Deadline,
): Promise<TransactionReceipt> {
  const { internals } = client;
  const { wallet, reader } = internals;
  let isWalletAsking = false;
  const turn = internals.lane.then(() => {
    if (deadline.signal.aborted) throw abortError(deadline.signal.reason);
    isWalletAsking = true;
    return sendTransaction(wallet, {
      ...transaction,
      account: wallet.account,
      chain: wallet.chain ?? null,
    } as never);
  });
  internals.lane = turn.catch(() => {});
  // NOTE: a wallet's prompt cannot be cancelled; a transaction signed after an abort is still sent.
  const hash = await onChain(() => turn, deadline, { isWalletAsking: () => isWalletAsking });

  let isOther = false;
  const mined = waitForTransactionReceipt(reader, {
    hash,
    // A little longer than the deadline, which ends the wait first.
    timeout: Math.max(0, deadline.endsAtMs - performance.now()) + 1_000,
    onReplaced: ({ reason }) => {
      isOther = reason !== 'repriced';
    },
  });
  const receipt = await onChain(() => mined, deadline, { transactionHash: hash });
  if (isOther)
    throw new LatchkeyError('transaction_replaced', 'another transaction replaced this one', {
      transactionHash: hash,
    });
  if (receipt.status === 'reverted') {
    const again = { ...transaction, account: wallet.account.address, blockNumber: receipt.blockNumber };
    await onChain(() => call(reader, again), deadline, { transactionHash: hash });
    throw new LatchkeyError('contract', 'the transaction reverted', { transactionHash: hash });
  }
  return receipt;
}

function readEvents({ logs }: TransactionReceipt, { address }: Contract): TakeEvent {
  const own = logs.filter((log) => isAddressEqual(log.address, address));
  const events = parseEventLogs({ abi: accountConfigAbi, logs: own });
  return (eventName) => {
    const index = events.findIndex((event) => event.eventName === eventName);
    const [event] = index < 0 ? [] : events.splice(index, 1);
    if (!event) throw new LatchkeyError('invalid_reply', `the receipt has no event ${eventName}`);
    return event.args as never;
  };
}
