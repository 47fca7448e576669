/** A chain of several RPC nodes, the first of which lies. */
import { type Chain, connectChain } from '@latchkey/chain/chain';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { numberToHex, parseGwei } from 'viem';

type Liar = Awaited<ReturnType<typeof rpcProxy>>;
export type Lie = Liar['lie'];

/** Shows fees for which a transaction of some gas costs a wallet all that it has, to a node whose operator builds blocks. */
export const highFees: Lie = ({ method }, result) => {
  if (method === 'eth_maxPriorityFeePerGas' || method === 'eth_gasPrice')
    return numberToHex(parseGwei('4600'));
  if (method !== 'eth_getBlockByNumber') return result;
  return { ...(result as object), baseFeePerGas: numberToHex(parseGwei('4600')) };
};

/** The nodes have the blocks of the node at `url`. `faults` are those that the chain has named. */
export async function connectToLiar(url: string, lie: Lie, honest: number) {
  await using resources = new AsyncDisposableStack();
  const liar: Liar = resources.use(await rpcProxy(url));
  liar.lie = lie;
  const rpcUrls = [liar.url];
  for (let i = 0; i < honest; i++) rpcUrls.push(resources.use(await rpcProxy(url)).url);
  const faults: string[] = [];
  const chain: Chain = connectChain({
    chainId: 31_337,
    name: 'test',
    token: 'ETH',
    rpcUrls,
    privateRpcUrl: undefined,
    wsUrls: [],
    pollingIntervalMs: 100,
    onNodeFault: ({ node, fault }) => faults.push(`${node}: ${fault}`),
  });
  resources.defer(chain.close);
  const moved = resources.move();
  return { chain, liar, faults, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
