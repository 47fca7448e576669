/** Writes. Each has one definition, executed as a request in API mode and as a transaction in ChainSecured mode. */
import { accountConfigAbi, buildSignedWrites, decodeCall, walletIdentity } from '@latchkey/protocol';
import {
  type Address,
  bytesToHex,
  type ContractEventArgsFromTopics,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hash,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  slice,
  type TransactionReceipt,
  zeroAddress,
} from 'viem';
import {
  call,
  estimateGas,
  getChainId,
  getGasPrice,
  sendTransaction,
  signTypedData,
  waitForTransactionReceipt,
} from 'viem/actions';
import { ownAccount } from './account-state.ts';
import {
  type ApiBareClient,
  type BareClient,
  type ChainSecuredBareClient,
  type Contract,
  sawBlock,
} from './bare-client.ts';
import { loadContract, onChain, ownBlock, simulate } from './contract.ts';
import { type CallOptions, createDeadline, type Deadline } from './deadline.ts';
import { abortError, LatchkeyError } from './errors.ts';
import { prices } from './generated/prices.ts';
import { type BodyOf, buildUrl, type PostPath, type PostReplyOf, post } from './http.ts';
import { signedNonce, word } from './values.ts';

/** Options of every write. */
export interface WriteOptions extends CallOptions {
  /**
   * Idempotency-Key of this write: the relayer executes a request with the same key once, also from another process.
   * Default: a random key, the same for all attempts of the call. A signed write has a nonce made of it: it is refused when the
   * account has executed one with the same key. Not used for a transaction.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `prepare`. */
export interface PrepareOptions extends CallOptions {
  /**
   * False for a write that succeeds only after others of its batch: the batch is simulated and its gas estimated
   * instead of the write. Default true.
   */
  simulate?: boolean | undefined;
}

/** The result of a write. */
export type Written<Result = object> = Result & {
  /** Block number of the receipt. All later reads of the client see it. */
  blockNumber: bigint;
  /** ChainSecured mode only. */
  transactionHash?: Hash;
};

type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;
/** A call of the contract as calldata. */
export function encodeWrite<const Name extends WriteName>(
  functionName: Name,
  args: ContractFunctionArgs<typeof accountConfigAbi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
}

type EventName = ContractEventName<typeof accountConfigAbi>;
/** Returns the next event of a name. The events of a batch are in the order of its writes. */
export type TakeEvent = <const Name extends EventName>(
  eventName: Name,
) => ContractEventArgsFromTopics<typeof accountConfigAbi, Name>;

/** A value that the relayer mints for a signature of the wallet, before the transaction that registers it. */
export interface Mint<Minted, Parameters = unknown> {
  /** Primary type of the envelope that the wallet signs. */
  primaryType: string;
  /** Placeholder for a simulation. */
  standIn: (admin: Address) => Minted;
  mint: (client: ChainSecuredBareClient, deadline: Deadline, parameters: Parameters) => Promise<Minted>;
}

/** The definition of a write for both modes. */
export interface Write<Parameters, Result, Path extends PostPath, Minted = undefined> {
  name: string;
  /** A sentence per change. */
  changes: (parameters: Parameters) => string[];
  api?: {
    path: Path;
    body: (parameters: Parameters) => Omit<BodyOf<Path>, 'typed_data' | 'signature'>;
    /** Primary type of the envelope that a wallet must sign for the body, and the function that signs it. */
    proof?: {
      primaryType: string;
      prove: (client: BareClient, parameters: Parameters, deadline: Deadline) => Promise<object>;
    };
    /** Called at the first 429. Returns headers that lift the limit, or undefined. */
    onLimited?: (client: BareClient, deadline: Deadline) => Promise<Record<string, string> | undefined>;
    /** Rejects when the client does not accept the reply to the write, whose block its reads see. */
    check?: (client: ApiBareClient, reply: PostReplyOf<Path>, deadline: Deadline) => Promise<void>;
    result: (reply: PostReplyOf<Path>, parameters: Parameters) => Result;
  };
  chain?: {
    mint?: Mint<Minted, Parameters>;
    /** @param account Master hash of the wallet's account, or the identity of a wallet that has none. */
    calls: (account: bigint, parameters: Parameters, minted: Minted) => Hex[];
    result: (take: TakeEvent, minted: Minted, parameters: Parameters, wallet: Address) => Result;
  };
}

/** A decoded call of the contract. */
export interface DecodedCall {
  functionName: string;
  /** By the names in the contract's interface. */
  args: { readonly [name: string]: unknown };
}

/** A prepared write, not sent. */
export interface ApiPrepared<Result> {
  mode: 'api';
  name: string;
  /** The changes, a sentence each. */
  changes: readonly string[];
  /** Primary types of the envelopes that a wallet will be asked to sign. */
  signatures: readonly string[];
  /** The request, without signatures and headers. */
  request: { method: 'POST'; url: string; body: object };
  /** Micro-credits: 10,000 are one cent. */
  priceMicros: bigint;
  send: (options?: WriteOptions) => Promise<Written<Result>>;
}

/** The estimated cost of a transaction. */
export interface Estimate {
  gas: bigint;
  /** Current price in wei per unit of gas. */
  gasPrice: bigint;
  /** Wei: gas × gasPrice. */
  cost: bigint;
}

/** A write that was simulated and not signed. */
export interface ChainSecuredPrepared<Result> {
  mode: 'chainSecured';
  name: string;
  /** The changes, a sentence each. */
  changes: readonly string[];
  /** Primary types of the envelopes that the wallet will be asked to sign before the transaction. */
  signatures: readonly string[];
  /**
   * Decoded from the calldata. When `signatures` is not empty, the values that the relayer mints are random
   * placeholders.
   */
  calls: readonly DecodedCall[];
  /** `data` is absent when `signatures` is not empty: it is known after the relayer has minted the values. */
  transaction: { to: Address; data?: Hex };
  /** Absent with `simulate: false`, and for signed writes, whose gas the relayer pays. */
  estimate?: Estimate;
  /** Of signed writes: the price from credit, in micro-credits. */
  priceMicros?: bigint;
  send: (options?: WriteOptions) => Promise<Written<Result>>;
}

/** The result of `prepare` in the mode of the client. */
export type Prepared<client extends BareClient, Result> = client extends ApiBareClient
  ? ApiPrepared<Result>
  : ChainSecuredPrepared<Result>;

/** A write with its parameters on the chain, or a batch. */
interface ChainPlan<Result> {
  name: string;
  changes: string[];
  mints: Mint<unknown>[];
  calls: (account: bigint, minted: unknown[]) => Hex[];
  result: (take: TakeEvent, minted: unknown[], wallet: Address) => Result;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** How long the relayer can submit signed writes. */
const SIGNATURE_SECONDS = 600n;

export function defaultDeadline(client: BareClient, options: CallOptions = {}): Deadline {
  return createDeadline(options, client.internals.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

/** Sends a write. */
export async function write<Parameters, Result, Path extends PostPath, Minted>(
  client: BareClient,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: WriteOptions = {},
): Promise<Written<Result>> {
  return client.mode === 'api'
    ? writeByRequest(client, definition, parameters, options)
    : writeByTransaction(client, createPlan(definition, parameters), options);
}

/** Prepares a write without signing or sending anything. Rejects when the contract would refuse the write. */
export async function prepareWrite<
  client extends BareClient,
  Parameters,
  Result,
  Path extends PostPath,
  Minted,
>(
  client: client,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: PrepareOptions = {},
): Promise<Prepared<client, Result>> {
  const prepared =
    client.mode === 'api'
      ? prepareRequest(client, definition, parameters)
      : await prepareTransaction(client, createPlan(definition, parameters), options);
  return prepared as Prepared<client, Result>;
}

/** The client that the standalone functions of a write take: a write without a path is a transaction only. */
type ClientOf<Path> = [Path] extends [never] ? ChainSecuredBareClient : BareClient;

/** Returns the standalone function that sends a write. Calls are marked pure, so that bundlers leave out unused writes. */
export function writeFunction<Parameters, Result, Path extends PostPath, Minted>(
  definition: Write<Parameters, Result, Path, Minted>,
) {
  return (client: ClientOf<Path>, parameters: Parameters, options?: WriteOptions): Promise<Written<Result>> =>
    write(client, definition, parameters, options);
}

/** Returns the standalone function that prepares a write; marked pure too. */
export function prepareFunction<Parameters, Result, Path extends PostPath, Minted>(
  definition: Write<Parameters, Result, Path, Minted>,
) {
  return <client extends ClientOf<Path>>(
    client: client,
    parameters: Parameters,
    options?: PrepareOptions,
  ): Promise<Prepared<client, Result>> => prepareWrite(client, definition, parameters, options);
}

function requireMode<Side>(side: Side | undefined, name: string, mode: string): Side {
  if (!side) throw new LatchkeyError('configuration', `${name} is not available in ${mode} mode`);
  return side;
}

// ------------------------------------------------------------------------------------------------------- API mode

async function writeByRequest<Parameters, Result, Path extends PostPath, Minted>(
  client: ApiBareClient,
  { name, api }: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
  options: WriteOptions,
): Promise<Written<Result>> {
  const { path, body, proof, onLimited, check, result } = requireMode(api, name, 'API');
  const deadline = defaultDeadline(client, options);
  const signed = proof ? await proof.prove(client, parameters, deadline) : {};
  const { json, headers } = await post(client, path, {
    body: { ...body(parameters), ...signed } as BodyOf<Path>,
    key: client.internals.apiKey(),
    idempotencyKey: options.idempotencyKey,
    onLimited: onLimited && (() => onLimited(client, deadline)),
    deadline,
  });
  const blockNumber = BigInt(headers.get('x-block-number') ?? 0);
  sawBlock(client, blockNumber);
  await check?.(client, json, deadline);
  return { ...result(json, parameters), blockNumber };
}

function prepareRequest<Parameters, Result, Path extends PostPath, Minted>(
  client: ApiBareClient,
  definition: Write<Parameters, Result, Path, Minted>,
  parameters: Parameters,
): ApiPrepared<Result> {
  const { name, changes } = definition;
  const { path, body, proof } = requireMode(definition.api, name, 'API');
  return {
    mode: 'api',
    name,
    changes: changes(parameters),
    signatures: proof ? [proof.primaryType] : [],
    request: { method: 'POST', url: buildUrl(client.url, path, {}), body: body(parameters) },
    priceMicros: prices[path]?.micros ?? 0n,
    send: (options = {}) => writeByRequest(client, definition, parameters, options),
  };
}

// ---------------------------------------------------------------------------------------------- ChainSecured mode

function createPlan<Parameters, Result, Path extends PostPath, Minted>(
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
    result: (take, [minted], wallet) => result(take, minted as Minted, parameters, wallet),
  };
}

/** The plans of prepared writes, with their client. */
const plans = new WeakMap<object, { plan: ChainPlan<unknown>; client: ChainSecuredBareClient }>();

async function prepareTransaction<Result>(
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
async function writeByTransaction<Result>(
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

function encodeCalls(calls: readonly Hex[]): Hex {
  const [first] = calls;
  return calls.length === 1 && first !== undefined ? first : encodeWrite('multicall', [calls]);
}

const isOpening = (calls: readonly Hex[]): boolean =>
  calls.some((data) => decodeCall(data).functionName === 'newChainSecuredAccount');
const priceOf = (calls: readonly Hex[]): bigint =>
  isOpening(calls) ? 0n : (prices['/core/v1/submit_signed_write']?.micros ?? 0n) * BigInt(calls.length);
const typeOfSignature = (calls: readonly Hex[]): string =>
  buildSignedWrites({
    ...{ chainId: 0, contractAddress: zeroAddress, signer: zeroAddress, nonce: 0n, deadline: 0n },
    calls,
  }).primaryType;

/** The account as the calls name it: their first argument. An account that is opened has the identity of the wallet. */
const accountOf = ([first = '0x']: readonly Hex[], wallet: Address): Hex =>
  isOpening([first]) ? word(walletIdentity(wallet)) : slice(first, 4, 36);

/** Returns a nonce that no client has used: a random word of 256 nonces is unique. */
function nextNonce({ nonces }: ChainSecuredBareClient['internals']): bigint {
  if (nonces.used === 256) {
    nonces.word = BigInt(bytesToHex(crypto.getRandomValues(new Uint8Array(31)))) << 8n;
    nonces.used = 0;
  }
  return nonces.word + BigInt(nonces.used++);
}

/** Has the wallet sign the writes, and the relayer submit them. Resolves to the receipt. */
async function submitSigned(
  client: ChainSecuredBareClient,
  calls: readonly Hex[],
  { address: contractAddress, chainId }: Contract,
  { deadline, idempotencyKey }: { deadline: Deadline; idempotencyKey: string | undefined },
): Promise<TransactionReceipt> {
  const { reader, wallet } = client.internals;
  const nonce = idempotencyKey === undefined ? nextNonce(client.internals) : signedNonce(idempotencyKey);
  const signer = wallet.account.address;
  const validUntil = BigInt(Math.floor(Date.now() / 1_000)) + SIGNATURE_SECONDS;
  const typedData = buildSignedWrites({
    ...{ chainId, contractAddress, calls, signer, nonce, deadline: validUntil },
  });
  const signature = await onChain(
    () => signTypedData(wallet, { account: wallet.account, ...typedData } as never),
    deadline,
  );
  const { json } = await post(client, '/core/v1/submit_signed_write', {
    body: {
      api_key_hash: accountOf(calls, signer),
      signer,
      calls: [...calls],
      nonce: word(nonce),
      deadline: String(validUntil),
      signature,
    },
    deadline,
  });
  const hash = json.transaction_hash as Hash;
  const timeout = Math.max(0, deadline.endsAtMs - performance.now()) + 1_000;
  return onChain(() => waitForTransactionReceipt(reader, { hash, timeout }), deadline, {
    transactionHash: hash,
  });
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

// ---------------------------------------------------------------------------------------------------------- batch

/** The results of prepared writes. */
export type ResultsOf<prepared extends readonly ChainSecuredPrepared<unknown>[]> = {
  [index in keyof prepared]: prepared[index] extends ChainSecuredPrepared<infer Result> ? Result : never;
};

/** The result of a batch: the result of each of its writes, in order. */
export interface BatchResult<prepared extends readonly ChainSecuredPrepared<unknown>[]> {
  results: ResultsOf<prepared>;
}

function batchPlan<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
): ChainPlan<BatchResult<prepared>> {
  // An empty batch would be a transaction without effect.
  if ((client as BareClient).mode !== 'chainSecured')
    throw new LatchkeyError(
      'configuration',
      'batches are not available in API mode: each write is its own transaction',
    );
  if (prepared.length === 0) throw new LatchkeyError('configuration', 'a batch requires at least one write');
  const members = prepared.map((item) => {
    const found = plans.get(item);
    if (found?.client.internals !== client.internals)
      throw new LatchkeyError('configuration', `${item.name} was not prepared by this client`);
    return found.plan;
  });
  const share = <T>(minted: unknown[], use: (plan: ChainPlan<unknown>, own: unknown[]) => T): T[] => {
    const left = [...minted];
    return members.map((plan) => use(plan, left.splice(0, plan.mints.length)));
  };
  return {
    name: 'batch',
    changes: members.flatMap(({ changes }) => changes),
    mints: members.flatMap(({ mints }) => mints),
    calls: (account, minted) => share(minted, (plan, own) => plan.calls(account, own)).flat(),
    result: (take, minted, wallet) => ({
      results: share(minted, (plan, own) => plan.result(take, own, wallet)) as never,
    }),
  };
}

/** Sends prepared writes in one transaction, in order and atomically. ChainSecured mode only. */
export async function batch<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
  options: WriteOptions = {},
): Promise<Written<BatchResult<prepared>>> {
  return writeByTransaction(client, batchPlan(client, prepared), options);
}

/** Prepares a batch: simulates its writes together and estimates their gas. */
export async function prepareBatch<const prepared extends readonly ChainSecuredPrepared<unknown>[]>(
  client: ChainSecuredBareClient,
  prepared: prepared,
  options: PrepareOptions = {},
): Promise<ChainSecuredPrepared<BatchResult<prepared>>> {
  return prepareTransaction(client, batchPlan(client, prepared), options);
}
