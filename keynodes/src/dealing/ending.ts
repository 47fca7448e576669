/** The end of a dealing: its group is published, or it is given up. */
import { decodeGroupParameters, type JointState } from '@latchkey/threshold';
import type { Logger } from 'pino';
import type { NodeStore } from '../node-store.ts';
import type { Published } from './proposal.ts';
import { DealingError, runningDealing } from './stored-dealing.ts';
import { resultOf } from './view.ts';

export type EndingOptions = {
  store: NodeStore;
  /** Reads the contract's node configuration. */
  published: () => Promise<Published>;
  /** Replaces the current share by the next one when the contract publishes its group. */
  promote: () => Promise<unknown>;
  /** The audit log. It never has key material. */
  log: Logger;
};

/** Forgets the dealing after its group was published, and deletes the shares of a node that has left the group. */
export async function finish(
  { store, published, promote, log }: EndingOptions,
  session: string,
): Promise<void> {
  if (!store.read().dealing) return;
  const { state } = runningDealing(store.read().dealing, session);
  const { group } = await published();
  const isLeaving = state[0].party.receiver === undefined;
  const isPublished = isLeaving ? isSuccessor(group, state) : resultOf(state)?.parameters === group;
  if (!isPublished)
    throw new DealingError('conflict', 'the contract does not publish the result of this dealing');
  await promote();
  const { current } = store.read();
  const isOld = current !== null && current.parameters !== group;
  if (isOld && !isLeaving)
    throw new DealingError('conflict', 'this node has no share of the published group');
  await store.change(() => ({
    dealing: null,
    ...(isOld && { current: null }),
    // `next` can be left from a dealing that was given up.
    ...(isLeaving && { next: null }),
  }));
  if (isOld) log.info({ session, identifier: current.identifier }, 'deleted the share of a previous group');
}

/** Returns whether a group succeeds the previous one. For a leaving node, which may have missed the end of the dealing. */
function isSuccessor(group: string, [{ setup }]: JointState): boolean {
  const { previous } = setup;
  if (group === '' || !previous) return false;
  const { epoch, groupPublicKey } = decodeGroupParameters(group);
  return groupPublicKey === previous.groupPublicKey && epoch > previous.epoch;
}

/** Keeps `next`: another node may have seen all confirmations, and the group may still be published. */
export async function abandon(
  { store, log }: Pick<EndingOptions, 'store' | 'log'>,
  session: string,
): Promise<void> {
  if (!store.read().dealing) return;
  runningDealing(store.read().dealing, session);
  await store.change(() => ({ dealing: null }));
  log.warn({ session }, 'gave up a dealing');
}
