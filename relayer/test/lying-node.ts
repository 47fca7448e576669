/** A chain of several RPC nodes, the first of which lies. */
import { type Chain, connectChain } from '@latchkey/chain/chain';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';

type Liar = Awaited<ReturnType<typeof rpcProxy>>;
export type Lie = Liar['lie'];

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
