/**
 * Distributed key generation, refresh and resharing: one dealing protocol (Pedersen, with Feldman's commitments), as
 * pure transitions of a state. The caller provides
 * - consent: its operator approved the setup, whose receivers get shares of the key;
 * - authentication: the `Party` of a sender is proven, for example by the node's signature or TLS identity;
 * - confidential delivery of subshares to their receiver, with retries until the round is closed;
 * - equal broadcast: every participant gets the same other messages before a round is closed. The transcript hash
 *   shows a violation before anyone uses a share;
 * - the end of rounds: `advance` when `missing` is empty or a deadline has passed;
 * - durability: store the state before you send its `outgoing` messages.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { answer, constantTerm, deal } from './dealer.ts';
import type { Share } from './evaluation.ts';
import { type Fault, FaultError } from './fault.ts';
import type { Rng } from './group.ts';
import {
  decodeHeader,
  encodeComplaints,
  encodeMessage,
  type Header,
  isOfDealers,
  type Round,
  rounds,
} from './messages.ts';
import { outcomeOf } from './outcome.ts';
import type { GroupParameters } from './parameters.ts';
import { checkSetup, type DealingSetup } from './setup.ts';
import { CONFLICT, type DealingState, type Party, qualifiedDealers, send, store } from './state.ts';
import {
  complainantsOf,
  judgeAnswers,
  judgeCommitHashes,
  judgeCommitments,
  judgeComplaints,
  judgeConfirmations,
  judgeSubshares,
} from './verification.ts';

const MAX_MESSAGE_BYTES = 1024;

/** The result of a dealing that all receivers confirmed. */
export type DealingResult = {
  parameters: GroupParameters;
  /** SECRET. Null for a dealer that is not a receiver. */
  share: Share | null;
  /** 32 bytes in hexadecimal. */
  transcriptHash: string;
  qualified: number[];
  /** Breaches that every participant knows. */
  faults: Fault[];
  /** Dealers whose private subshare was missing or wrong, which only this participant knows. */
  observations: Fault[];
};

/**
 * Returns the first state of a participant. A dealer of a refresh or resharing passes its share of the previous group.
 * All random choices are made here: the same state always sends the same messages. Throws a RangeError when the
 * setup, the party or the share is wrong.
 */
export function startDealing(
  setup: DealingSetup,
  party: Party,
  { share, rng }: { share?: Share; rng?: Rng } = {},
): DealingState {
  checkSetup(setup);
  checkParty(setup, party);
  const state: DealingState = {
    setup,
    party,
    round: 'commit hash',
    previousShare: setup.kind === 'refresh' && share ? bytesToHex(share.secret) : null,
    sent: [],
    received: {
      'commit hash': {},
      commitments: {},
      subshares: {},
      complaints: {},
      answers: {},
      confirmation: {},
    },
    faults: [],
    observations: [],
    outcome: null,
  };
  return party.dealer === undefined
    ? state
    : deal(state, party.dealer, constantTerm(setup, party.dealer, share, rng), rng);
}

function checkParty({ kind, dealers, receivers }: DealingSetup, { dealer, receiver }: Party): void {
  if (dealer !== undefined && !dealers.includes(dealer)) throw new RangeError(`${dealer} is not a dealer`);
  if (receiver !== undefined && !receivers.includes(receiver)) {
    throw new RangeError(`${receiver} is not a receiver`);
  }
  if (dealer === undefined && receiver === undefined) throw new RangeError('neither a dealer nor a receiver');
  if (kind !== 'resharing' && dealer !== receiver) throw new RangeError(`in a ${kind} each node is both`);
}

/**
 * Returns the messages to send in the open round, also again after a restart: `receiver` 0 means to all other
 * participants, otherwise to that receiver only, encrypted.
 */
export function outgoing(state: DealingState): { receiver: number; message: Uint8Array }[] {
  return state.sent
    .filter(
      ({ round, receiver }) => round === state.round && (receiver === 0 || receiver !== state.party.receiver),
    )
    .map(({ receiver, message }) => ({ receiver, message: hexToBytes(message) }));
}

/**
 * Returns the state with a message of an authenticated participant, in any order and for any open or later round; a
 * repeated message changes nothing. Throws a FaultError that names the sender when the message is not one of this dealing
 * and sender, or its round is closed; the state then stays as it is.
 */
export function receive(state: DealingState, from: Party, message: Uint8Array): DealingState {
  const { round, sender } = checkHeader(state, from, message);
  const hex = bytesToHex(message);
  const known = state.received[round][sender];
  if (known === hex || known === CONFLICT) return state;
  if (state.round === 'done' || rounds.indexOf(round) < rounds.indexOf(state.round)) {
    throw faultOf(from, round, known === undefined ? 'after the end of the round' : 'two different messages');
  }
  return store(state, round, sender, hex);
}

/**
 * Returns the state with a malformed subshare of a dealer, which becomes a complaint: for a message that the dealer has provably
 * sent to this participant and that `receive` refuses or that cannot be decrypted.
 */
export function rejectSubshare(state: DealingState, dealer: number): DealingState {
  const { receiver } = state.party;
  const isOpen = state.round !== 'done' && rounds.indexOf(state.round) <= rounds.indexOf('subshares');
  if (receiver === undefined || !isOpen || !state.setup.dealers.includes(dealer)) return state;
  const header = { round: 'subshares' as const, sender: dealer, receiver };
  return store(state, 'subshares', dealer, bytesToHex(encodeMessage(state.setup, header, new Uint8Array())));
}

function checkHeader({ setup, party }: DealingState, from: Party, message: Uint8Array): Header {
  let header: Header;
  try {
    if (message.length > MAX_MESSAGE_BYTES) throw new RangeError('too long');
    header = decodeHeader(setup, message);
  } catch (error) {
    throw faultOf(from, 'header', error instanceof Error ? error.message : 'malformed');
  }
  const { round, sender, receiver } = header;
  const senders = isOfDealers(round) ? setup.dealers : setup.receivers;
  const identifier = isOfDealers(round) ? from.dealer : from.receiver;
  if (identifier !== sender || !senders.includes(sender)) throw faultOf(from, round, `sent as ${sender}`);
  if (receiver !== (round === 'subshares' ? party.receiver : 0)) {
    throw faultOf(from, round, `sent to receiver ${receiver}`);
  }
  return header;
}

function faultOf({ dealer, receiver }: Party, round: string, reason: string): FaultError {
  const role = dealer === undefined ? 'receiver' : 'dealer';
  return new FaultError([{ role, identifier: dealer ?? receiver ?? 0, round, reason }]);
}

/** Returns the senders, ascending, whose message of the open round has not come. */
export function missing(state: DealingState): number[] {
  const { round } = state;
  if (round === 'done') return [];
  return expectedSenders(state, round).filter((sender) => state.received[round][sender] === undefined);
}

function expectedSenders(state: DealingState, round: Round): number[] {
  if (!isOfDealers(round)) return state.setup.receivers;
  const dealers = qualifiedDealers(state);
  if (round === 'subshares') return state.party.receiver === undefined ? [] : dealers;
  if (round === 'answers') return dealers.filter((dealer) => complainantsOf(state, dealer).length > 0);
  return dealers;
}

/**
 * Closes the open round: judges its messages, excludes faulty dealers, and adds the own messages of the next round.
 * Senders without a message are named too. Throws when the dealing is done.
 */
export function advance(state: DealingState): DealingState {
  if (state.round === 'done') throw new Error('the dealing is done');
  return closeRound[state.round](state);
}

const closeRound: Record<Round, (state: DealingState) => DealingState> = {
  'commit hash': (state) => ({ ...withFaults(state, judgeCommitHashes(state)), round: 'commitments' }),
  commitments: (state) => ({ ...withFaults(state, judgeCommitments(state)), round: 'subshares' }),
  subshares: (state) => complain({ ...state, round: 'complaints', observations: judgeSubshares(state) }),
  complaints: (state) => answer({ ...withFaults(state, judgeComplaints(state)), round: 'answers' }),
  answers: (state) => confirm(withFaults(state, judgeAnswers(state))),
  confirmation: (state) => {
    const hash = hexToBytes(state.outcome?.transcriptHash ?? '');
    return { ...withFaults(state, judgeConfirmations(state, hash)), round: 'done' };
  },
};

const withFaults = (state: DealingState, faults: Fault[]): DealingState => ({
  ...state,
  faults: [...state.faults, ...faults],
});

function complain(state: DealingState): DealingState {
  const { receiver } = state.party;
  if (receiver === undefined) return state;
  const dealers = state.observations.map(({ identifier }) => identifier);
  return send(state, { round: 'complaints', sender: receiver, receiver: 0 }, encodeComplaints(dealers));
}

/** Computes the outcome, drops the subshares, and confirms the transcript. */
function confirm(state: DealingState): DealingState {
  const outcome = outcomeOf(state);
  const next: DealingState = {
    ...state,
    outcome,
    previousShare: null,
    sent: state.sent.filter(({ round }) => round !== 'subshares'),
    received: { ...state.received, subshares: {} },
    round: outcome ? 'confirmation' : 'done',
  };
  const { receiver } = state.party;
  if (!outcome || receiver === undefined) return next;
  return send(
    next,
    { round: 'confirmation', sender: receiver, receiver: 0 },
    hexToBytes(outcome.transcriptHash),
  );
}

/**
 * Returns the result of a dealing that is done. Throws a FaultError with all faults when too few dealers were
 * qualified or a receiver did not confirm the transcript: then the previous shares stay in use, and a new attempt needs a
 * new session.
 */
export function dealingResult(state: DealingState): DealingResult {
  if (state.round !== 'done') throw new Error(`the round ${state.round} is open`);
  const { outcome, faults, observations, party } = state;
  if (!outcome || faults.some(({ round }) => round === 'confirmation')) throw new FaultError(faults);
  const { parameters, share, transcriptHash } = outcome;
  return {
    parameters,
    share:
      share === null || party.receiver === undefined
        ? null
        : { epoch: parameters.epoch, identifier: party.receiver, secret: hexToBytes(share) },
    transcriptHash,
    qualified: qualifiedDealers(state),
    faults,
    observations,
  };
}
