/** A provider of ethers for a chain of the service. The relayer makes its calls: the action has no URL and no key of a node. */
import { ethers } from 'ethers';
import { request } from './channel.ts';
import { named } from './errors.ts';

const { parse, stringify } = JSON;

type RpcReply = { result?: unknown; error?: { code: number; message: string; data?: unknown } };

/** Resolves to the result of JSON-RPC. Rejects with the error of the node as ethers does, or with an `RpcError`. */
const callChain = async (chainId: number, method: string, params: unknown[]): Promise<unknown> => {
  const error = new Error(); // before any await, so that its stack names the call
  const [reply] = await request({
    type: 'rpc',
    chainId,
    method: String(method),
    params: stringify(params ?? []),
  });
  if (!reply.ok) throw named(reply.name, reply.message, error);
  const { result, error: refusal } = parse(reply.value as string) as RpcReply;
  if (!refusal) return result;
  const { code, message, data } = refusal;
  throw Object.assign(error, { message, code, data });
};

const defineProvider = () =>
  class ServiceProvider extends ethers.providers.StaticJsonRpcProvider {
    constructor(chainId: number) {
      super(`chain:${chainId}`, chainId);
    }
    override send(method: string, params: unknown[]): Promise<unknown> {
      return callChain(this.network.chainId, method, params);
    }
  };

/** Defined at its first use: most actions load no part of ethers. */
let Provider: ReturnType<typeof defineProvider> | undefined;

/** Returns a `JsonRpcProvider` of ethers for a chain of the service. */
export const rpc = (chainId: unknown): ethers.providers.StaticJsonRpcProvider => {
  if (!Number.isSafeInteger(chainId) || Number(chainId) <= 0)
    throw named('TypeError', 'rpc takes a chain id, an integer above 0', new TypeError());
  Provider ??= defineProvider();
  return new Provider(Number(chainId));
};
