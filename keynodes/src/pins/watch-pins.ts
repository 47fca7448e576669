/**
 * Pins the code by which the contract answers. A cut can replace a view, and can also write storage and be undone in its own block, which
 * leaves the routes as they were. Therefore every cut since the last acknowledgement stops the node.
 */
import { join } from 'node:path';
import { LOCAL_CHAIN_ID, TIMELOCK_CODE_HASHES } from '@latchkey/protocol';
import { replaceFile } from '@latchkey/service/files';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import { z } from 'zod';
import { readJson } from '../files.ts';
import { readDecisions } from '../operator-decisions.ts';
import { differencesOf } from './differences.ts';
import { type At, type Pins, type PinsReader, pins } from './read-pins.ts';

/** Blocks that are searched for cuts again, because a reorganisation can put a cut into them. */
const REORGANISED_BLOCKS = 64n;
/** Number of blocks after which the progress of the search is written. */
const SAVE_EVERY = 10_000n;
const SHOWN_CHANGES = 3;

const kept = z.strictObject({
  pins,
  /** Number of the last block that was searched: it and the blocks since `pins` have no cut. */
  searchedTo: z.int().nonnegative(),
});
type Kept = z.infer<typeof kept>;

const fileOf = (directory: string): string => join(directory, 'pins.json');

/** Returns the pins of a node, undefined before its first start. */
export const readPinned = async (directory: string): Promise<Pins | undefined> =>
  (await readJson(fileOf(directory), kept))?.pins;

export type WatchedPins = {
  /**
   * Resolves to undefined when the code of this block is the pinned one and no cut was made since the pinning; otherwise to the reason why
   * the node must not decide at this block. Asks the chain once per block. Rejects when the chain does not answer.
   */
  faultAt: (at: At) => Promise<string | undefined>;
  /** Returns whether the last judged block had a fault. */
  hasFault: () => boolean;
};

export type WatchedPinsOptions = {
  reader: PinsReader;
  /** Data directory of the node. */
  directory: string;
  chainId: number;
  /** The smallest delay of the timelock that owns the contract, not on the local chain. */
  minDelaySec: number;
  log: Logger;
};

export function watchPins(options: WatchedPinsOptions): WatchedPins {
  const { log } = options;
  /** Verdict on the last block. A fault is judged again at each call: an acknowledgement makes no block. */
  let last: { hash: Hex; fault: Promise<string | undefined> } | undefined;
  let hasFault = false;
  let judged: Promise<unknown> = Promise.resolve();
  const judge = createJudge(options);
  const judgeNext = (at: At): Promise<string | undefined> => {
    const fault = judged.then(() => judge(at));
    judged = fault.catch(() => {});
    return fault.then((found) => {
      if (found !== undefined && !hasFault) log.error({ block: at.number }, found);
      hasFault = found !== undefined;
      return found;
    });
  };
  return {
    async faultAt(at) {
      if (last?.hash !== at.hash) last = { hash: at.hash, fault: judgeNext(at) };
      const asked = last;
      const forget = () => {
        if (last === asked) last = undefined;
      };
      const fault = await asked.fault.catch((error) => {
        forget();
        throw error;
      });
      if (fault !== undefined) forget();
      return fault;
    },
    hasFault: () => hasFault,
  };
}

function createJudge({ reader, directory, chainId, minDelaySec, log }: WatchedPinsOptions) {
  let state: Kept | undefined;
  let searchedTo = 0n;
  const save = async (next: Kept): Promise<void> => {
    await replaceFile(fileOf(directory), `${JSON.stringify(next)}\n`);
    state = next;
    searchedTo = BigInt(next.searchedTo);
  };
  const ownerFault = async (at: At, { owner }: Pins): Promise<string | undefined> => {
    if (chainId === LOCAL_CHAIN_ID) return undefined;
    const isTimelock = TIMELOCK_CODE_HASHES.some((hash) => hash === owner.codeHash);
    const delaySec = isTimelock ? await reader.delaySec(at, owner.address) : undefined;
    if (delaySec !== undefined && delaySec >= minDelaySec) return undefined;
    const found = isTimelock
      ? `a timelock of ${delaySec ?? 'unknown'} seconds`
      : 'not a Timelock of this repository';
    return `the owner of the contract must be a timelock of at least ${minDelaySec} seconds: ${owner.address} is ${found}. See docs/deployment.md, Timelock`;
  };
  const first = async (at: At): Promise<string | undefined> => {
    const seen = await reader.read(at);
    const fault = await ownerFault(at, seen);
    if (fault !== undefined) return fault;
    await save({ pins: seen, searchedTo: seen.block });
    log[chainId === LOCAL_CHAIN_ID ? 'info' : 'warn'](
      auditOf(seen),
      'pinned the code of the contract: compare it with the deployment',
    );
    return undefined;
  };

  return async (at: At): Promise<string | undefined> => {
    if (!state) {
      state = await readJson(fileOf(directory), kept);
      searchedTo = BigInt(state?.searchedTo ?? 0);
    }
    if (!state) return first(at);
    const { pins: pinned } = state;
    const after = BigInt(pinned.block);
    const from = searchedTo - REORGANISED_BLOCKS > after ? searchedTo - REORGANISED_BLOCKS : after;
    const [seen, cuts] = await Promise.all([reader.read(at, pinned), reader.changes(from + 1n, at.number)]);
    const fault = changeFault(pinned, seen, cuts);
    if (fault !== undefined) {
      const { acknowledged } = await readDecisions(directory);
      const isNewer = acknowledged !== null && acknowledged.block > pinned.block;
      if (!isNewer || changeFault(acknowledged, seen, cuts) !== undefined) return fault;
      await save({ pins: acknowledged, searchedTo: acknowledged.block });
      log.warn(auditOf(acknowledged), 'the operator of this node acknowledged the code of the contract');
    } else if (at.number > searchedTo) {
      searchedTo = at.number;
      if (searchedTo >= BigInt(state.searchedTo) + SAVE_EVERY)
        await save({ ...state, searchedTo: Number(searchedTo) });
    }
    return ownerFault(at, seen);
  };
}

/** Without the code hashes, so that no value in the log has the length of a secret. */
const auditOf = ({ block, owner, facets }: Pins) => ({
  block,
  owner: owner.address,
  facets: facets.map(({ address }) => address),
});

/** Returns how the code of a block differs from the pinned one, undefined when it is the same. */
function changeFault(pinned: Pins, seen: Pins, cuts: readonly bigint[]): string | undefined {
  const changes = differencesOf(pinned, seen);
  const unseen = cuts.filter((block) => block > pinned.block);
  if (changes.length === 0 && unseen.length === 0) return undefined;
  const shown = changes.slice(0, SHOWN_CHANGES).join('; ');
  const more = changes.length > SHOWN_CHANGES ? ` and ${changes.length - SHOWN_CHANGES} more` : '';
  const what =
    changes.length > 0
      ? `${shown}${more}`
      : `a cut or transfer of the ownership in block ${unseen.join(', ')} that left the routes as they were`;
  return `the code of the contract changed since this node pinned it: ${what}. Its operator must run "npm run keys -- acknowledge" on its machine`;
}
