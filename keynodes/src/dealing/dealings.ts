/**
 * The node's part in key generation, refresh and resharing. Every command can be repeated, and the state is on disk before its
 * messages are sent. The share of a new group is on disk before the node confirms it, so that a group that all have
 * confirmed has all its shares.
 */

import { randomBytes } from 'node:crypto';
import {
  type DealingAction,
  encryptionKeyOf,
  type Identity,
  type Invitation,
  type SignedCommand,
  signInvitation,
} from '@latchkey/key-protocol';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import {
  describeFault,
  encodeGroupParameters,
  type JointSetup,
  type JointState,
  jointAdvance,
  jointFaults,
  jointMissing,
  jointRound,
  type Party,
  type Round,
  rounds,
  startJoint,
  withoutShares,
} from '@latchkey/threshold';
import type { Logger } from 'pino';
import type { HeldShare, NodeState } from '../node-store.ts';
import type { Peers } from '../peers.ts';
import type { AcceptedCommands } from './commands.ts';
import type { Consent } from './consent.ts';
import { abandon, type EndingOptions, finish } from './ending.ts';
import { messagesOf, receiveAll } from './exchange.ts';
import { heldShare, sharesOf } from './held-shares.ts';
import { acceptProposal, checkEncryptionKeys, groupOf, type Proposal, partyOf } from './proposal.ts';
import { DealingError, type RunningDealing, runningDealing, type StoredDealing } from './stored-dealing.ts';
import { type DealingView, resultOf, viewOf } from './view.ts';

export type DealingsOptions = EndingOptions & {
  identity: Identity;
  chainId: number;
  /** Random value of this start. */
  boot: string;
  commands: AcceptedCommands;
  consent: {
    /** Rejects with a DealingError unless the operator of this node, or the waiting time, lets it deal in the approved group. */
    require: (approved: string) => Promise<void>;
    requireNotRefused: Consent['requireNotRefused'];
  };
  /** Verifies the quotes of other nodes. Absent where none is required. */
  peers: Peers | undefined;
};

export type Dealings = {
  view: () => Promise<DealingView>;
  /** Carries out a command, one at a time. Rejects with a KeyRequestError or a DealingError when it must not. */
  run: (command: SignedCommand) => Promise<DealingView>;
};

export function createDealings(options: DealingsOptions): Dealings {
  const { store, identity, commands, log } = options;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async view() {
      const state = store.read();
      return viewOf(state, options, await invitationOf(state.dealing, identity));
    },
    run(signed) {
      const { id, action } = signed.command;
      const done = last.then(async () => {
        try {
          commands.accept(signed, Date.now());
          return await carryOut(options, action);
        } catch (error) {
          log.warn({ command: id, action: action.do, err: error }, 'refused a command of the operator');
          throw error;
        }
      });
      last = done.catch(() => {});
      return done;
    },
  };
}

async function carryOut(options: DealingsOptions, action: DealingAction): Promise<DealingView> {
  const { store, identity, consent } = options;
  const running = store.read().dealing;
  const isExchange = action.do === 'show' || action.do === 'deliver' || action.do === 'close';
  if (isExchange && running?.state)
    await consent.requireNotRefused(groupOf(running.state[0].setup, running.participants));
  const refused = await changeBy(options, action);
  const state = store.read();
  const { dealing } = state;
  const isRunning = dealing?.state && jointRound(dealing.state) !== 'done' && action.do !== 'deliver';
  const messages = isRunning ? await messagesOf(dealing as RunningDealing, identity) : [];
  return viewOf(state, options, await invitationOf(dealing, identity), { messages, refused });
}

async function changeBy(options: DealingsOptions, action: DealingAction) {
  switch (action.do) {
    case 'join':
      await join(options, action);
      return [];
    case 'attest':
      await options.peers?.attest(action.identity, action.session, action.evidence);
      return [];
    case 'propose':
      await propose(options, action);
      return [];
    case 'show':
      return [];
    case 'deliver':
      return deliver(options, action);
    case 'close':
      await close(options, action);
      return [];
    case 'finish':
      await finish(options, action.session);
      return [];
    case 'abandon':
      await abandon(options, action.session);
      return [];
  }
}

/** Returns the signed keys of this node for its dealing. */
async function invitationOf(dealing: StoredDealing | null, identity: Identity): Promise<Invitation | null> {
  if (!dealing) return null;
  const own = dealing.participants.find((participant) => participant.identity === identity.publicKey);
  if (own) return { identity: own.identity, encryption: own.encryption, signature: own.signature };
  return signInvitation(dealing.nonce, await encryptionKeyOf(dealing.encryptionSeed ?? ''), identity);
}

/** Returns whether a new dealing would replace shares or messages that can still be needed. */
const isOpen = ({ state }: StoredDealing): boolean =>
  state !== null && (jointRound(state) !== 'done' || resultOf(state) !== null);

async function join(
  { store, log }: DealingsOptions,
  { nonce, replace }: { nonce: string; replace: boolean },
): Promise<void> {
  const { dealing } = store.read();
  if (dealing?.nonce === nonce) return;
  if (dealing && isOpen(dealing) && !replace)
    throw new DealingError(
      'conflict',
      'the node has an unfinished or unpublished dealing: finish or replace it',
    );
  if (dealing?.state) log.warn({ session: dealing.state[0].setup.session }, 'gave up a dealing');
  const encryptionSeed = randomBytes(32).toString('hex');
  await store.change(() => ({ dealing: { nonce, encryptionSeed, participants: [], state: null } }));
}

async function propose(options: DealingsOptions, proposal: Proposal): Promise<void> {
  const { store, identity, log } = options;
  const { dealing } = store.read();
  const { nonce, participants } = proposal;
  if (dealing?.nonce !== nonce) throw new DealingError('conflict', 'the node has not joined this dealing');
  if (dealing.state) {
    if (JSON.stringify(dealing.participants) !== JSON.stringify(participants))
      throw new DealingError('conflict', 'the node has joined with other participants');
    return;
  }
  const published = await options.published();
  const setups = acceptProposal(proposal, published, options.chainId);
  const [setup] = setups;
  if (setup.kind === 'generation' && store.read().current && options.chainId !== LOCAL_CHAIN_ID)
    throw new DealingError(
      'refused',
      'this node has a share, which a new key would replace: reshare the key',
    );
  await options.consent.require(published.approved);
  await checkEncryptionKeys(setup, participants);
  const own = participants.find((participant) => participant.identity === identity.publicKey);
  if (own?.encryption !== (await invitationOf(dealing, identity))?.encryption || !own)
    throw new DealingError('malformed', 'this node is not a participant');
  for (const { receiver, identity: peer } of participants)
    if (receiver !== null && peer !== identity.publicKey) options.peers?.requireAttested(peer, setup.session);
  await options.promote();
  const state = start(setups, partyOf(own), store.read().current);
  await store.change(() => ({ dealing: { ...dealing, participants, state } }));
  const { kind, session, epoch, threshold, dealers, receivers } = setup;
  log.info({ session, kind, epoch, threshold, dealers, receivers }, 'accepted a proposed dealing');
}

function start(setups: JointSetup, party: Party, current: HeldShare | null): JointState {
  const { previous } = setups[0];
  const isPrevious = previous && current?.parameters === encodeGroupParameters(previous);
  try {
    return startJoint(setups, party, isPrevious ? sharesOf(current) : undefined);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new DealingError('refused', `this node cannot take part: ${reason}`, { cause });
  }
}

/** Returns the position of a round in relation to the open one: below 0 when it is closed. */
function positionOf(round: Round, state: JointState): number {
  const open = jointRound(state);
  return rounds.indexOf(round) - (open === 'done' ? rounds.length : rounds.indexOf(open));
}

async function deliver(
  { store, log }: DealingsOptions,
  { session, round, messages }: Extract<DealingAction, { do: 'deliver' }>,
) {
  const dealing = runningDealing(store.read().dealing, session);
  // Repeated after a lost reply.
  if (positionOf(round, dealing.state) < 0) return [];
  const { state, refused } = await receiveAll(dealing, messages);
  if (state !== dealing.state) await store.change(() => ({ dealing: { ...dealing, state } }));
  for (const refusal of refused) log.warn({ session, round, ...refusal }, 'refused a message of a dealing');
  return refused;
}

async function close(
  { store, log }: DealingsOptions,
  { session, round }: Extract<DealingAction, { do: 'close' }>,
): Promise<void> {
  const dealing = runningDealing(store.read().dealing, session);
  const position = positionOf(round, dealing.state);
  if (position < 0) return;
  if (position > 0) throw new DealingError('conflict', `the round ${jointRound(dealing.state)} is open`);
  checkComplete(dealing.state);
  const state = jointAdvance(dealing.state);
  await store.change(afterRound(dealing, state));
  auditRound(log, dealing.state, state);
}

/**
 * Throws while a message is missing. A missing subshare would become a complaint, whose answer is public: the relaying command could hold
 * messages back to read subshares of honest nodes. A missing confirmation would end the dealing on some nodes only.
 */
function checkComplete(state: JointState): void {
  const absent = jointMissing(state);
  const round = jointRound(state);
  if ((round === 'subshares' || round === 'confirmation') && absent.length > 0)
    throw new DealingError('conflict', `no ${round} message of ${absent.join(', ')} has come`);
}

/** Stores the share as `next` in the same write as its confirmation. */
function afterRound(dealing: RunningDealing, state: JointState): (before: NodeState) => Partial<NodeState> {
  const isPastSubshares = positionOf('subshares', state) < 0;
  const encryptionSeed = isPastSubshares ? null : dealing.encryptionSeed;
  const next = heldShare(state);
  return () => ({
    ...(next && { next }),
    dealing: { ...dealing, encryptionSeed, state: withoutShares(state) },
  });
}

function auditRound(log: Logger, before: JointState, after: JointState): void {
  const { setup, party } = after[0];
  const { session, epoch } = setup;
  log.info({ session, round: jointRound(before) }, 'closed a round of a dealing');
  const named = [...addedFaults(before, after, 'faults'), ...addedFaults(before, after, 'observations')];
  for (const fault of named)
    log.warn({ session, ...fault, fault: describeFault(fault) }, 'a participant broke the protocol');
  if (heldShare(after)) log.info({ session, epoch, identifier: party.receiver }, 'stored a share');
  if (jointRound(after) === 'done')
    log.info({ session, epoch, confirmed: resultOf(after) !== null }, 'a dealing has ended');
}

function addedFaults(before: JointState, after: JointState, kind: 'faults' | 'observations') {
  const known = new Set(jointFaults(before, kind).map(describeFault));
  return jointFaults(after, kind).filter((fault) => !known.has(describeFault(fault)));
}
