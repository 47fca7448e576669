/** Followers of all configured chains. */
import { setTimeout as delay } from 'node:timers/promises';
import { followHeads, type Heads } from '@latchkey/chain/heads';
import type { NodeFault } from '@latchkey/chain/nodes';
import { isSocketUrl } from '@latchkey/chain/socket';
import { type ChainName, chainIdOf, type RpcUrls } from '../config.ts';
import { openChainRpc } from './chain-failover.ts';
import { type ChainFollower, createChainFollower } from './chain-follower.ts';
import { createProgress, type FollowerState, type Progress } from './chain-progress.ts';
import { pauseMs } from './chain-reads.ts';
import type { FollowerOptions } from './chain-states.ts';

const POLL_MS = 1_000;
/** Poll interval with a subscription to new heads. */
const SUBSCRIBED_POLL_MS = 2_000;
/** Time after which another process reads the chains of one that ended or whose nodes do not answer. */
const LEASE_MS = 5_000;

export type ChainFollowers = {
  /** Returns the state of each chain that has triggers. */
  states: () => Map<string, FollowerState>;
  /** Returns the state of the follower of a trigger, as this process has it. */
  stateOf: (trigger: { id: string; chain: string }) => FollowerState | undefined;
  close: () => Promise<void>;
};
type Followed = { progress: Progress; follower: ChainFollower };

/** Follows every chain that has an RPC URL and triggers. */
export function startChainFollowers(options: FollowerOptions, rpcUrls: RpcUrls): ChainFollowers {
  const closing = new AbortController();
  const followed = new Map<string, Followed>();
  const following = Object.entries(rpcUrls).map(([chain, urls]) =>
    urls === undefined
      ? undefined
      : follow(options, chain as ChainName, urls, closing.signal, (one) => followed.set(chain, one)),
  );
  return {
    states: () =>
      new Map(
        [...followed].flatMap(([chain, { progress }]) => {
          const state = progress.state();
          return state ? [[chain, state] as const] : [];
        }),
      ),
    stateOf({ id, chain }) {
      const { progress, follower } = followed.get(chain) ?? {};
      const state = progress?.state();
      return state && { ...state, fault: state.fault ?? follower?.faultOf(id) };
    },
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
  onFollow: (followed: Followed) => void,
): Promise<void> {
  const onFault = (fault: NodeFault) =>
    options.log.warn({ chain, ...fault }, 'an RPC node is not used for a while');
  const rpc = openChainRpc(urls, { chainId: chainIdOf(chain), onFault });
  const follower = createChainFollower({ ...options, leaseMs: LEASE_MS }, chain, rpc);
  const progress = createProgress(follower.head, rpc.status);
  onFollow({ follower, progress });
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
      const ticked = await follower.tick();
      if (ticked === 'following' && heads.length === 0)
        heads = urls.filter(isSocketUrl).map((url) => followHeads([url], { onHead, onLost }));
      failures = 0;
      if (ticked === 'idle') progress.stopped();
      else progress.succeeded();
      if (follower.isBehind()) pause = 0;
    } catch (err) {
      options.log.warn({ err, chain }, 'failed to follow a chain');
      progress.failed('no RPC node of the chain answers as it should');
      pause = pauseMs(failures++);
    }
    const timer = new AbortController();
    await Promise.race([wakeUp.promise, delay(pause, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  await follower.backfilled();
  await follower
    .release()
    .catch((err: unknown) => options.log.warn({ err, chain }, 'failed to release a chain'));
  for (const each of heads) each[Symbol.dispose]();
  rpc.close();
}
