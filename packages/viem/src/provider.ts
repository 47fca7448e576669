import {
  type Address,
  type Chain,
  createWalletClient,
  type EIP1193EventMap,
  type EIP1193Provider,
  type Hash,
  type Hex,
  http,
  isAddressEqual,
  numberToHex,
  type SendTransactionParameters,
  type Transport,
  type TypedDataDefinition,
} from 'viem';
import { prepareTransactionRequest, sendTransaction } from 'viem/actions';
import type { LatchkeyAccount } from './account.ts';
import { CODES, WalletRequestError } from './errors.ts';
import {
  type RpcTransaction,
  readAddress,
  readBytes,
  readQuantity,
  readRecord,
  readTransaction,
} from './rpc-transaction.ts';

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
export type LatchkeyProvider = EIP1193Provider;

type Listener = (value: never) => void;
type Handler = (params: readonly unknown[]) => unknown;

const unauthorized = (message: string): WalletRequestError =>
  new WalletRequestError(CODES.unauthorized, message);

/** Methods of a wallet. A node must not get them. */
const WALLET_METHOD = /^(wallet_|personal_|eth_sign|eth_sendTransaction)/;

/**
 * Returns an EIP-1193 provider of the wallet. `eth_sendTransaction` sends by the service, which assigns nonces and fees. It signs, and sends
 * by the transport of the chain, when the transaction has a nonce, a gas price, a priority fee, an access list or authorizations, or when the
 * service does not serve the chain. Methods that read go to the transport of the chain.
 */
export function createProvider(parameters: ProviderParameters): LatchkeyProvider {
  const { account, chains, transports, serviceChainIds } = parameters;
  const listeners = new Map<string, Set<Listener>>();
  const clients = new Map<number, ReturnType<typeof clientOf>>();
  let [chain] = chains;

  const clientOf = (of: Chain) =>
    createWalletClient({ account, chain: of, transport: transports?.[of.id] ?? http() });
  function currentClient() {
    const client = clients.get(chain.id) ?? clientOf(chain);
    clients.set(chain.id, client);
    return client;
  }
  function emit<event extends keyof EIP1193EventMap>(
    event: event,
    ...values: Parameters<EIP1193EventMap[event]>
  ): void {
    for (const listener of listeners.get(event) ?? []) listener(values[0] as never);
  }

  function requireWallet(address: unknown): void {
    if (!isAddressEqual(readAddress(address, 'the account'), account.address))
      throw unauthorized(`The account ${address} is not the wallet ${account.address}.`);
  }
  function readOwn(value: unknown): RpcTransaction {
    const transaction = readTransaction(value);
    if (transaction.from !== undefined) requireWallet(transaction.from);
    if (transaction.chainId !== undefined && transaction.chainId !== BigInt(chain.id))
      throw new WalletRequestError(
        CODES.invalidParams,
        `The transaction is for chain ${transaction.chainId}, and the provider is on chain ${chain.id}.`,
        { fix: 'Switch the chain with wallet_switchEthereumChain.' },
      );
    return transaction;
  }

  async function switchChain(value: unknown): Promise<null> {
    const id = readQuantity(readRecord(value, 'the parameter').chainId, 'chainId');
    const next = chains.find((known) => BigInt(known.id) === id);
    if (!next)
      throw new WalletRequestError(
        CODES.unknownChain,
        `The chain ${id} is none of ${chains.map((known) => known.id).join(', ')}.`,
        { fix: 'Add it to the chains of the provider.' },
      );
    if (next.id !== chain.id) {
      chain = next;
      emit('chainChanged', numberToHex(chain.id));
    }
    return null;
  }

  function send(transaction: RpcTransaction): Promise<Hash> {
    const isServed = serviceChainIds?.includes(chain.id) ?? true;
    if (!isServed || !isForService(transaction))
      return sendTransaction(currentClient(), forViem(transaction));
    const { to, value, data, gas, maxFeePerGas } = transaction;
    return account.sendTransaction({ chainId: chain.id, to, value, data, gas, maxFeePerGas });
  }
  async function sign(transaction: RpcTransaction): Promise<Hex> {
    const client = currentClient();
    const prepared = await prepareTransactionRequest(client, forViem(transaction) as never);
    return account.signTransaction({ ...(prepared as object), chainId: client.chain.id } as never, {
      serializer: client.chain.serializers?.transaction,
    });
  }

  const accounts = (): Address[] => [account.address];
  const handlers: Record<string, Handler> = {
    eth_requestAccounts: accounts,
    eth_accounts: accounts,
    eth_chainId: () => numberToHex(chain.id),
    net_version: () => String(chain.id),
    personal_sign([message, address]) {
      requireWallet(address);
      return account.signMessage({ message: { raw: readBytes(message, 'the message') ?? '0x' } });
    },
    eth_signTypedData_v4([address, typedData]) {
      requireWallet(address);
      return account.signTypedData(readTypedData(typedData));
    },
    eth_signTransaction: ([transaction]) => sign(readOwn(transaction)),
    eth_sendTransaction: ([transaction]) => send(readOwn(transaction)),
    wallet_switchEthereumChain: ([value]) => switchChain(value),
    // A chain that the provider has is added already.
    wallet_addEthereumChain: ([value]) => switchChain(value),
  };

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
      return currentClient().request({ method, params } as never);
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

function readTypedData(value: unknown): TypedDataDefinition {
  let parsed = value;
  try {
    if (typeof value === 'string') parsed = JSON.parse(value);
  } catch {
    // Refused below.
  }
  const { types, domain, message, primaryType } = readRecord(parsed, 'the typed data');
  readRecord(types, 'types');
  return { types, domain: domain ?? {}, message: message ?? {}, primaryType } as TypedDataDefinition;
}

export interface AnnounceParameters {
  /** Name that the page shows. Default: Latchkey. */
  name?: string | undefined;
  /** Data URI of an image. Default: a key. */
  icon?: `data:image/${string}` | undefined;
  /** Domain name in reverse of the one who announces it. Default: `dev.latchkey`. */
  rdns?: string | undefined;
  /** Where pages ask. Default: `window`. */
  target?: EventTarget | undefined;
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="%23555" stroke-width="2"%3E%3Ccircle cx="8" cy="15" r="4"/%3E%3Cpath d="m11 12 8-8 2 2-2 2 2 2-3 3-2-2"/%3E%3C/svg%3E';

/** Announces the provider to the page (EIP-6963), now and whenever the page asks. Returns a function that ends it. */
export function announceProvider(
  provider: LatchkeyProvider,
  parameters: AnnounceParameters = {},
): () => void {
  const { window } = globalThis as { window?: EventTarget };
  const { name = 'Latchkey', icon = ICON, rdns = 'dev.latchkey', target = window } = parameters;
  if (!target) throw new TypeError('there is no window here: pass a target');
  const info = Object.freeze({ uuid: crypto.randomUUID(), name, icon, rdns });
  const detail = Object.freeze({ info, provider });
  const announce = () => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  target.addEventListener('eip6963:requestProvider', announce);
  announce();
  return () => target.removeEventListener('eip6963:requestProvider', announce);
}
