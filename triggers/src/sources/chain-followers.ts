/** The followers of this process: one a chain whose RPC is configured. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainName } from '../config.ts';
import { createChainFollower, type FollowerContext, pauseMs } from './chain-follower.ts';
import { openChainRpc } from './chain-rpc.ts';

const POLL_MS = 1_000;
/** Of a node that tells of new heads. */
const SUBSCRIBED_POLL_MS = 5_000;

export type ChainFollowers = { close: () => Promise<void> };

/** Follows every chain whose RPC is configured, for as long as it has triggers. */
export function startChainFollowers(
  context: FollowerContext,
  rpcUrls: Readonly<Record<ChainName, string | undefined>>,
): ChainFollowers {
  const closing = new AbortController();
  const following = Object.entries(rpcUrls).map(([chain, url]) =>
    url === undefined ? undefined : follow(context, chain as ChainName, url, closing.signal),
  );
  return {
    async close() {
      closing.abort();
      await Promise.all(following);
    },
  };
}

async function follow(
  context: FollowerContext,
  chain: ChainName,
  url: string,
  closing: AbortSignal,
): Promise<void> {
  const rpc = openChainRpc(url);
  const follower = createChainFollower(context, chain, rpc);
  let wakeUp = Promise.withResolvers<void>();
  const stop = () => {
    follower.stop();
    wakeUp.resolve();
  };
  closing.addEventListener('abort', stop);
  let isTold = false;
  for (let failures = 0; !closing.aborted; ) {
    wakeUp = Promise.withResolvers();
    let pause = isTold ? SUBSCRIBED_POLL_MS : POLL_MS;
    try {
      const isFollowing = await follower.tick();
      if (isFollowing && !isTold) isTold = await rpc.onHead(() => wakeUp.resolve());
      failures = 0;
    } catch (err) {
      context.log.warn({ err, chain }, 'the chain is not followed now');
      pause = pauseMs(failures++);
    }
    const timer = new AbortController();
    await Promise.race([wakeUp.promise, delay(pause, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  await follower.backfilled();
  rpc.close();
}
