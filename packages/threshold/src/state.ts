import { bytesToHex } from '@noble/hashes/utils.js';
import type { Fault } from './fault.ts';
import { encodeMessage, type Header, type Round } from './messages.ts';
import type { GroupParameters } from './parameters.ts';
import type { DealingSetup } from './setup.ts';

/** The identifiers of a participant in a dealing: as a dealer, as a receiver, or both. */
export type Party = { dealer?: number; receiver?: number };

/**
 * A participant's view of a dealing: plain JSON, so that it survives a restart at every step. SECRET: seal it. Its texts
 * cannot be wiped from memory; drop it when the dealing is done.
 */
export type DealingState = {
  setup: DealingSetup;
  party: Party;
  /** The open round. */
  round: Round | 'done';
  /** SECRET. Previous share of a node in a refresh, in hexadecimal. */
  previousShare: string | null;
  /** Own messages in hexadecimal; subshares are SECRET. */
  sent: { round: Round; receiver: number; message: string }[];
  /** Messages in hexadecimal by sender, own ones included, or `CONFLICT`; subshares are SECRET. */
  received: Record<Round, Record<number, string>>;
  /** The same for every participant. A faulty dealer is excluded; a faulty receiver gets its share. */
  faults: Fault[];
  /** Dealers whose private subshare was missing or wrong, which only this participant knows. */
  observations: Fault[];
  /** Null until the answers are in, and when too few dealers are qualified. */
  outcome: Outcome | null;
};

/** `share` is SECRET: a scalar in hexadecimal, null for a dealer that is not a receiver. */
export type Outcome = { parameters: GroupParameters; share: string | null; transcriptHash: string };

/** A sender of two different messages in one round. */
export const CONFLICT = 'conflict';

/** Returns the dealers without a fault. */
export function qualifiedDealers({ setup, faults }: DealingState): number[] {
  const isFaulty = (dealer: number) =>
    faults.some(({ role, identifier }) => role === 'dealer' && identifier === dealer);
  return setup.dealers.filter((dealer) => !isFaulty(dealer));
}

/** Adds an own message, and delivers it to this participant if it is one for it. */
export function send(state: DealingState, header: Header, body: Uint8Array): DealingState {
  const { round, sender, receiver } = header;
  const message = bytesToHex(encodeMessage(state.setup, header, body));
  const next = { ...state, sent: [...state.sent, { round, receiver, message }] };
  return receiver === 0 || receiver === state.party.receiver ? store(next, round, sender, message) : next;
}

/** Adds a message, or marks its sender when it has sent another one. */
export function store(state: DealingState, round: Round, sender: number, message: string): DealingState {
  const known = state.received[round][sender];
  const stored = known === undefined || known === message ? message : CONFLICT;
  return {
    ...state,
    received: { ...state.received, [round]: { ...state.received[round], [sender]: stored } },
  };
}
