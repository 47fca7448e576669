/** Changes by a new version. For display only: the contract decides. */
import type { ActionVersionParameters } from '@latchkey/sdk';
import { type Access, accessOf } from '../../access.ts';
import type { ListedGroup, ListedUsageKey } from '../../names.ts';

export type Replaced = NonNullable<ActionVersionParameters['replaced']>;

/** `groups` permit the new version; `gained` is the access that it did not have, `lost` that of the version before. */
export type VersionChanges = { groups: ListedGroup[]; gained: Access; lost: Access };

const without = <Item>(items: Item[], others: Item[]): Item[] =>
  items.filter((item) => !others.includes(item));

export function findVersionChanges(
  { groups, keys }: { groups: ListedGroup[]; keys: ListedUsageKey[] },
  { before, after, replaced }: { before: bigint; after: bigint; replaced: Replaced },
): VersionChanges {
  const swapped = groups.filter(({ cidHashes }) => cidHashes.includes(before));
  const next = groups.map((group) => {
    if (!swapped.includes(group)) return group;
    const kept = group.cidHashes.filter((hash) => hash !== before || replaced === 'permitted');
    return { ...group, cidHashes: [...kept, after] };
  });
  const now = { groups, keys };
  const then = { groups: next, keys };
  const difference = (more: Access, less: Access): Access => ({
    keys: without(more.keys, less.keys),
    wallets: without(more.wallets, less.wallets),
  });
  return {
    groups: swapped,
    gained: difference(accessOf(then, after), accessOf(now, after)),
    lost: difference(accessOf(now, before), accessOf(then, before)),
  };
}
