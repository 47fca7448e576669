import {
  type Address,
  type Chain,
  createWalletClient,
  type EIP1193Provider,
  type Hash,
  type Hex,
  http,
  InvalidInputRpcError,
  isAddressEqual,
  keccak256,
  numberToHex,
  RpcError,
  type SendTransactionParameters,
  TransactionRejectedRpcError,
  type Transport,
  type TypedDataDefinition,
} from 'viem';
import { getChainId, prepareTransactionRequest, sendRawTransaction } from 'viem/actions';
import { assertCurrentChain } from 'viem/utils';
import type { LatchkeyAccount } from './account.ts';
import { CODES, unknownOutcome, WalletRequestError } from './errors.ts';
import {
  type RpcTransaction,
  readAddress,
  readBytes,
  readQuantity,
  readRecord,
  readTransaction,
} from './rpc-transaction.ts';

export { type AnnounceParameters, announceProvider } from './announce-provider.ts';

export interface ProviderParameters {
  account: LatchkeyAccount;
  /** The first one is the chain at the beginning. */
  chains: readonly [Chain, ...Chain[]];
  /** Transports by the id of the chain, for reads and for transactions that the service does not send. Default: `http()`. */
  transports?: Record<number, Transport> | undefined;
  /** Ids of the chains on which the service sends transactions. Default: all. */
  serviceChainIds?: readonly number[] | undefined;
}

/** An EIP-1193 provider of one wallet. */
export type LatchkeyProvider = EIP1193Provider & {
  request: (request: { method: string; params?: unknown }) => Promise<unknown>;
};

type Listener = (value: never) => void;
type Handler = (params: readonly unknown[]) => unknown;

/** Methods of a wallet. A node must not get them. */
const WALLET_METHOD = /^(wallet_|personal_|eth_sign|eth_sendTransaction)/;

/** The chain of a provider, which pages switch. */
function createChains({ account, chains, transports }: ProviderParameters) {
  const listeners = new Map<string, Set<Listener>>();
  const clientOf = (of: Chain) =>
    createWalletClient({ account, chain: of, transport: transports?.[of.id] ?? http() });
  const clients = new Map<number, ReturnType<typeof clientOf>>();
  let [chain] = chains;
  const emit = (event: string, value: string) => {
    for (const listener of listeners.get(event) ?? []) listener(value as never);
  };
  return {
    listeners,
    client() {
      const client = clients.get(chain.id) ?? clientOf(chain);
      clients.set(chain.id, client);
      return client;
    },
    /** Resolves to the client when its node is on its chain. */
    async checkedClient() {
      const client = this.client();
      assertCurrentChain({ chain: client.chain, currentChainId: await getChainId(client) });
      return client;
    },
    async switch(value: unknown): Promise<null> {
      const id = readQuantity(readRecord(value, 'the parameter').chainId, 'chainId');
      const next = chains.find((known) => BigInt(known.id) === id);
      if (!next)
        throw new WalletRequestError(
          CODES.unknownChain,
          `The chain must be one of ${chains.map((known) => known.id).join(', ')}, not ${id}.`,
          { fix: 'Add it to the chains of the provider.' },
        );
      const isOther = next.id !== chain.id;
      chain = next;
      if (isOther) emit('chainChanged', numberToHex(chain.id));
      return null;
    },
  };
}
type Chains = ReturnType<typeof createChains>;

function requireWallet(account: LatchkeyAccount, address: unknown): void {
  if (isAddressEqual(readAddress(address, 'the account'), account.address)) return;
  throw new WalletRequestError(
    CODES.unauthorized,
    `The account ${address} is not the wallet ${account.address}.`,
  );
}

/** Reads a transaction of the wallet on this chain. */
function readOwn(account: LatchkeyAccount, chain: Chain, value: unknown): RpcTransaction {
  const transaction = readTransaction(value);
  if (transaction.from !== undefined) requireWallet(account, transaction.from);
  if (transaction.chainId === undefined || transaction.chainId === BigInt(chain.id)) return transaction;
  throw new WalletRequestError(
    CODES.invalidParams,
    `The transaction is for chain ${transaction.chainId}, and the provider is on chain ${chain.id}.`,
    { fix: 'Switch the chain with wallet_switchEthereumChain.' },
  );
}

async function send(parameters: ProviderParameters, chains: Chains, value: unknown): Promise<Hash> {
  const { account, serviceChainIds } = parameters;
  const client = chains.client();
  const { chain } = client;
  const transaction = readOwn(account, chain, value);
  const isServed = serviceChainIds?.includes(chain.id) ?? true;
  if (!isServed || !isForService(transaction))
    return sendSigned(client, await sign(parameters, chains, value));
  const { to, value: amount, data, gas, maxFeePerGas } = transaction;
  return account.sendTransaction({ chainId: chain.id, to, value: amount, data, gas, maxFeePerGas });
}

/** Codes of a node that refuses a transaction. After another error it can have the transaction. */
const REFUSALS: readonly number[] = [InvalidInputRpcError.code, TransactionRejectedRpcError.code];

async function sendSigned(client: ReturnType<Chains['client']>, serializedTransaction: Hex): Promise<Hash> {
  try {
    return await sendRawTransaction(client, { serializedTransaction });
  } catch (error) {
    if (error instanceof RpcError && REFUSALS.includes(error.code)) throw error;
    throw unknownOutcome(error, `Look for ${keccak256(serializedTransaction)} before you send it again.`);
  }
}

/** Signs for the chain of the provider, whatever the node fills in. */
async function sign({ account }: ProviderParameters, chains: Chains, value: unknown): Promise<Hex> {
  const transaction = readOwn(account, chains.client().chain, value);
  const client = await chains.checkedClient();
  const prepared = await prepareTransactionRequest(client, forViem(transaction) as never);
  const { chain } = client;
  return account.signTransaction({ ...(prepared as object), chainId: chain.id } as never, {
    serializer: chain.serializers?.transaction,
  });
}

function createHandlers(parameters: ProviderParameters, chains: Chains): Record<string, Handler> {
  const { account } = parameters;
  const chainId = () => chains.client().chain.id;
  const accounts = (): Address[] => [account.address];
  return {
    eth_requestAccounts: accounts,
    eth_accounts: accounts,
    eth_chainId: () => numberToHex(chainId()),
    net_version: () => String(chainId()),
    personal_sign([message, address]) {
      requireWallet(account, address);
      return account.signMessage({ message: { raw: readBytes(message, 'the message') ?? '0x' } });
    },
    eth_signTypedData_v4([address, typedData]) {
      requireWallet(account, address);
      return account.signTypedData(readTypedData(chains.client().chain, typedData));
    },
    eth_signTransaction: ([transaction]) => sign(parameters, chains, transaction),
    eth_sendTransaction: ([transaction]) => send(parameters, chains, transaction),
    wallet_switchEthereumChain: ([value]) => chains.switch(value),
    // A chain that the provider has is added already.
    wallet_addEthereumChain: ([value]) => chains.switch(value),
  };
}

/**
 * Returns an EIP-1193 provider of the wallet. `eth_sendTransaction` sends by the service, which assigns nonces and fees. It signs, and sends
 * by the transport of the chain, when the transaction has a nonce, a gas price, a priority fee, an access list or authorizations, or when the
 * service does not serve the chain. Methods that read go to the transport of the chain.
 */
export function createProvider(parameters: ProviderParameters): LatchkeyProvider {
  const chains = createChains(parameters);
  const { listeners } = chains;
  const handlers = createHandlers(parameters, chains);
  return {
    async request({ method, params }: { method: string; params?: unknown }) {
      const given = Array.isArray(params) ? params : params === undefined ? [] : [params];
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler) return handler(given);
      if (WALLET_METHOD.test(method))
        throw new WalletRequestError(
          CODES.unsupportedMethod,
          `The wallet does not have the method ${method}.`,
        );
      return chains.client().request({ method, params } as never);
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
    },
  } as LatchkeyProvider;
}

/** True for a transaction whose fields the service takes. */
const isForService = (transaction: RpcTransaction): boolean =>
  (transaction.type ?? 2n) === 2n &&
  (['nonce', 'gasPrice', 'maxPriorityFeePerGas', 'authorizationList'] as const).every(
    (name) => transaction[name] === undefined,
  ) &&
  (transaction.accessList ?? []).length === 0;

/** Types as viem names them, by their numbers. */
const types = ['legacy', 'eip2930', 'eip1559', undefined, 'eip7702'] as const;

/** The chain of the transaction is that of the client. */
function forViem({ from: _, chainId: __, type, ...fields }: RpcTransaction): SendTransactionParameters {
  const named = type === undefined ? undefined : types[Number(type)];
  if (type !== undefined && named === undefined)
    throw new WalletRequestError(
      CODES.invalidParams,
      `The type ${type} of the transaction is not supported.`,
    );
  const given = Object.entries({ ...fields, type: named }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as SendTransactionParameters;
}

/** Refuses numbers that JSON may have rounded. */
function requireExact(value: unknown): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new WalletRequestError(
      CODES.invalidParams,
      `The number ${value} of the typed data is above 2^53 and may be rounded.`,
      { fix: 'Send it as a text.' },
    );
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requireExact);
}

/** EIP-712: a wallet refuses the domain of another chain. */
function requireDomain(chain: Chain, chainId: unknown): void {
  if (chainId === undefined || chainId === null) return;
  if ([String(chain.id), numberToHex(chain.id)].includes(String(chainId).toLowerCase())) return;
  throw new WalletRequestError(
    CODES.invalidParams,
    `The domain of the typed data is of chain ${chainId}, and the provider is on chain ${chain.id}.`,
    { fix: 'Switch the chain with wallet_switchEthereumChain.' },
  );
}

function readTypedData(chain: Chain, value: unknown): TypedDataDefinition {
  let parsed = value;
  try {
    if (typeof value === 'string') parsed = JSON.parse(value);
  } catch {
    // Refused below.
  }
  const { types, domain, message, primaryType } = readRecord(parsed, 'the typed data');
  readRecord(types, 'types');
  const { chainId } = readRecord(domain ?? {}, 'domain');
  requireDomain(chain, chainId);
  requireExact([domain, message]);
  return { types, domain: domain ?? {}, message: message ?? {}, primaryType } as TypedDataDefinition;
}
