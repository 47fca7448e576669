/** Versions of an action: stored codes that replaced each other. For display only: the contract has no versions. */
import { cidHash } from '@latchkey/protocol';
import type { ActionCodeItem } from '@latchkey/sdk';

/** A version; `code` is undefined when it is not stored. */
export type Version = { hash: bigint; code: ActionCodeItem | undefined };

/** Returns all versions that the action replaced or was replaced by, directly or through others: newest first, then those without code. */
export function versionsOf(codes: readonly ActionCodeItem[], hash: bigint): Version[] {
  const stored = codes.map((code) => ({ hash: cidHash(code.cid), code }));
  const found = new Set([hash]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { hash: own, code } of stored)
      if (code.replaces !== undefined && (found.has(own) || found.has(code.replaces)))
        found.add(own).add(code.replaces);
  }
  const known = stored.filter((version) => found.has(version.hash));
  const others = [...found].filter((one) => known.every((version) => version.hash !== one));
  return [...known, ...others.map((other) => ({ hash: other, code: undefined }))];
}
