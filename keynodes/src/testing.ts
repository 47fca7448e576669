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
import { range, split } from '@latchkey/threshold/testing';
import { bytesToHex } from 'viem';
import type { Contract } from './contract.ts';
import type { HeldShare } from './node-store.ts';

export const runner = createIdentity('01'.repeat(32));
export const relayer = createIdentity('02'.repeat(32));

/** Generates a group in memory and returns the shares that its nodes hold. */
export function generateGroup(threshold: number, n: number, epoch = 1): HeldShare[] {
  const { parameters, shares } = split(randomScalar(), threshold, range(n), epoch);
  const text = encodeGroupParameters(parameters);
  return shares.map(({ identifier, secret }) => ({
    parameters: text,
    identifier,
    secret: bytesToHex(secret).slice(2),
  }));
}

const randomScalar = (): bigint => BigInt(bytesToHex(randomBytes(31)));

/** A contract whose views return these values. A view that is not given fails the test. */
export function contractOf(views: Record<string, (...args: never[]) => unknown>, block = 10n): Contract {
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
  return { blockNumber: async () => block, read: read as Contract['read'] };
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
