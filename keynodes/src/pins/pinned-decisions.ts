/** Decisions by pinned code only, at every endpoint of the node. */
import { CodeError } from '../blocks.ts';
import { agree, type Decide } from '../decisions.ts';
import type { PinsReader } from './read-pins.ts';
import type { WatchedPins } from './watch-pins.ts';

/** Compares the code at the block of each decision. Rejects with a CodeError when the node must not decide by it. */
export function decideByPinned(decide: Decide, { faultAt }: Pick<WatchedPins, 'faultAt'>): Decide {
  return async (reads, minBlock) => {
    const decided = await decide(reads, minBlock);
    const fault = await faultAt(decided.block);
    if (fault !== undefined) throw new CodeError(fault);
    return decided;
  };
}

/** Returns a reader of what enough endpoints agree on. */
export const readAgreed = (readers: readonly PinsReader[]): PinsReader => ({
  read: (at, known) => agree(readers.map((reader) => reader.read(at, known))),
  changes: (from, to) => agree(readers.map((reader) => reader.changes(from, to))),
  delaySec: (at, owner) => agree(readers.map((reader) => reader.delaySec(at, owner))),
});
