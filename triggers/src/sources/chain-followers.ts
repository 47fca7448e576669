/** Followers of all configured chains. */
import { setTimeout as delay } from 'node:timers/promises';
import { followHeads, type Heads } from '@latchkey/chain/heads';
import { isSocketUrl } from '@latchkey/chain/socket';
import { type ChainName, chainIdOf, type RpcUrls } from '../config.ts';
import { openChainRpc } from './chain-failover.ts';
import { createChainFollower } from './chain-follower.ts';
import { pauseMs } from './chain-reads.ts';
import type { FollowerOptions } from './chain-states.ts';

const POLL_MS = 1_000;
/** Poll interval with a subscription to new heads. */
const SUBSCRIBED_POLL_MS = 5_000;

export type ChainFollowers = { close: () => Promise<void> };

/** Follows every chain that has an RPC URL and triggers. */
export function startChainFollowers(options: FollowerOptions, rpcUrls: RpcUrls): ChainFollowers {
  const closing = new AbortController();
  const following = Object.entries(rpcUrls).map(([chain, urls]) =>
    urls === undefined ? undefined : follow(options, chain as ChainName, urls, closing.signal),
  );
  return {
    async close() {
      closing.abort();
      await Promise.all(following);
    },
  };
}

async function follow(
  options: FollowerOptions,
  chain: ChainName,
  urls: readonly string[],
  closing: AbortSignal,
): Promise<void> {
  const rpc = openChainRpc(urls, { chainId: chainIdOf(chain) });
  const follower = createChainFollower(options, chain, rpc);
  let wakeUp = Promise.withResolvers<void>();
  const stop = () => {
    follower.stop();
    wakeUp.resolve();
  };
  closing.addEventListener('abort', stop);
  /** Subscriptions. Empty until the chain has triggers. */
  let heads: Heads[] = [];
  let isSubscribed = false;
  const onHead = () => wakeUp.resolve();
  const onLost = () => {
    if (isSubscribed) wakeUp.resolve();
    isSubscribed = false;
  };
  for (let failures = 0; !closing.aborted; ) {
    wakeUp = Promise.withResolvers();
    isSubscribed = heads.length === urls.length && heads.every((each) => each.current());
    let pause = isSubscribed ? SUBSCRIBED_POLL_MS : POLL_MS;
    try {
      const isFollowing = await follower.tick();
      if (isFollowing && heads.length === 0)
        heads = urls.filter(isSocketUrl).map((url) => followHeads(url, { onHead, onLost }));
      failures = 0;
    } catch (err) {
      options.log.warn({ err, chain }, 'failed to follow a chain');
      pause = pauseMs(failures++);
    }
    const timer = new AbortController();
    await Promise.race([wakeUp.promise, delay(pause, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  await follower.backfilled();
  for (const each of heads) each[Symbol.dispose]();
  rpc.close();
}
