/** Groups and stand-ins for the tests of key nodes. */
import { randomBytes } from 'node:crypto';
import {
  cosign,
  createIdentity,
  createStatement,
  type KeyPurpose,
  type KeyRequest,
  signStatement,
} from '@latchkey/key-protocol';
import { encodeGroupParameters } from '@latchkey/threshold';
import { range, splitAll } from '@latchkey/threshold/testing';
import { bytesToHex, type Hash, numberToHex } from 'viem';
import type { Views } from './contract.ts';
import type { Decide } from './decisions.ts';
import type { HeldShare } from './node-store.ts';

export const runner = createIdentity('01'.repeat(32));
export const relayer = createIdentity('02'.repeat(32));

/** Generates a group in memory and returns the shares that its nodes hold. */
export function generateGroup(threshold: number, n: number, epoch = 1): HeldShare[] {
  const groups = splitAll(randomScalar(), threshold, range(n), epoch);
  return range(n).map((identifier, i) => {
    const held = groups.map(({ parameters, shares }) => ({
      parameters: encodeGroupParameters(parameters),
      secret: bytesToHex(shares[i]?.secret ?? new Uint8Array()).slice(2),
    }));
    const [evaluation, ...signing] = held as [(typeof held)[0], ...typeof held];
    return { ...evaluation, identifier, signing };
  });
}

const randomScalar = (): bigint => BigInt(bytesToHex(randomBytes(31)));

/** A chain whose views return these values at its only block. A view that is not given fails the test. */
export function chainOf(views: Record<string, (...args: never[]) => unknown>, block = 10n): Decide {
  const at = { number: block, hash: hashOf(block), timestampSec: Date.now() / 1_000 };
  return async (reads) => ({ block: at, value: await reads(viewsOf(views)) });
}

/** Returns the hash of the only block with this number. */
export const hashOf = (block: bigint): Hash => numberToHex(block, { size: 32 });

export function viewsOf(views: Record<string, (...args: never[]) => unknown>): Views {
  const read = new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        async (args: never[] = []) => {
          const view = views[name];
          if (!view) throw new Error(`an unexpected question: ${name}`);
          return view(...args);
        },
    },
  );
  return read as Views;
}

/** Returns a request of the known runner and relayer, valid now. */
export function requestFor(
  purpose: KeyPurpose,
  {
    group,
    recipient,
    withProof = true,
    block = 10,
    nowMs = Date.now(),
  }: { group: string; recipient: string; withProof?: boolean; block?: number; nowMs?: number },
): KeyRequest {
  return cosign(
    signStatement(createStatement({ group, purpose, withProof, recipient }, nowMs), runner),
    block,
    relayer,
  );
}
