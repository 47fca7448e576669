/** Groups and stand-ins for the tests of key nodes. */
import {
  cosign,
  createIdentity,
  createStatement,
  type KeyPurpose,
  type KeyRequest,
  signStatement,
} from '@latchkey/key-protocol';
import {
  advance,
  type DealingResult,
  dealingResult,
  encodeGroupParameters,
  generationSetup,
  outgoing,
  receive,
  startDealing,
} from '@latchkey/threshold';
import { bytesToHex } from 'viem';
import type { Contract } from './contract.ts';
import type { HeldShare } from './node-store.ts';

export const runner = createIdentity('01'.repeat(32));
export const relayer = createIdentity('02'.repeat(32));

/** Generates a group in memory and returns the shares that its nodes hold. */
export function generateGroup(nodes: number[], threshold: number, epoch = 1): HeldShare[] {
  const setup = generationSetup('ab'.repeat(32), { nodes, threshold, epoch });
  let states = nodes.map((node) => startDealing(setup, { dealer: node, receiver: node }));
  while (states.some(({ round }) => round !== 'done')) {
    const sent = states.flatMap((state) =>
      outgoing(state).map((message) => ({ ...message, party: state.party })),
    );
    states = states.map((state) => {
      const own = state.party.receiver;
      const forThis = sent.filter(
        ({ receiver, party }) => party.receiver !== own && (receiver === 0 || receiver === own),
      );
      return advance(forThis.reduce((next, { party, message }) => receive(next, party, message), state));
    });
  }
  return states.map((state) => held(dealingResult(state)));
}

function held({ parameters, share }: DealingResult): HeldShare {
  if (!share) throw new Error('no share');
  const secret = bytesToHex(share.secret).slice(2);
  return { parameters: encodeGroupParameters(parameters), identifier: share.identifier, secret };
}

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
    block = 10,
    nowMs = Date.now(),
  }: { group: string; recipient: string; block?: number; nowMs?: number },
): KeyRequest {
  return cosign(signStatement(createStatement({ group, purpose, recipient }, nowMs), runner), block, relayer);
}
