/** Consent: the checks of a proposed dealing before the node takes part in it. */
import {
  type ApprovedNodes,
  decodeApprovedNodes,
  encodeApprovedNodes,
  isInvitation,
  type Participant,
  sealSubshare,
  sessionOf,
} from '@latchkey/key-protocol';
import {
  type DealingSetup,
  decodeJointSetup,
  encodeGroupParameters,
  type JointSetup,
  type Party,
} from '@latchkey/threshold';
import { hexToBytes } from 'viem';
import { groupSizeFault } from '../group-size.ts';
import { DealingError } from './stored-dealing.ts';

/** The contract's node configuration that a proposal must agree with; empty texts where it has none. */
export type Published = { group: string; approved: string };

export type Proposal = { nonce: string; setup: string; participants: Participant[] };

/** Returns the setups of a proposal that agrees with the contract. Throws a DealingError otherwise. */
export function acceptProposal(proposal: Proposal, published: Published, chainId: number): JointSetup {
  const { nonce, participants } = proposal;
  const setups = readSetup(proposal.setup);
  const [setup] = setups;
  if (setup.session !== sessionOf(nonce, participants))
    throw new DealingError('malformed', 'the session is not the hash of the nonce and the participants');
  checkParticipants(setup, nonce, participants);
  const previous = setup.previous ? encodeGroupParameters(setup.previous) : '';
  if (previous !== published.group)
    throw new DealingError(
      'refused',
      published.group === ''
        ? 'the contract publishes no group: generate one'
        : 'the previous group is not the one that the contract publishes',
    );
  const fault = groupSizeFault(chainId, setup.threshold, setup.receivers.length);
  if (fault) throw new DealingError('refused', fault);
  checkApproved(setup, participants, readApproved(published.approved));
  return setups;
}

function readSetup(hex: string): JointSetup {
  try {
    return decodeJointSetup(hexToBytes(`0x${hex}`));
  } catch (cause) {
    throw new DealingError('malformed', `malformed setup: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  }
}

function checkParticipants(setup: DealingSetup, nonce: string, participants: Participant[]): void {
  const identifiers = (role: 'dealer' | 'receiver') =>
    participants.flatMap((participant) => participant[role] ?? []).sort((a, b) => a - b);
  if (
    `${identifiers('dealer')}` !== `${setup.dealers}` ||
    `${identifiers('receiver')}` !== `${setup.receivers}`
  )
    throw new DealingError('malformed', 'the participants differ from the setup');
  for (const key of ['identity', 'encryption'] as const)
    if (new Set(participants.map((participant) => participant[key])).size !== participants.length)
      throw new DealingError('malformed', 'two participants have one key');
  const unsigned = participants.find((participant) => !isInvitation(nonce, participant));
  if (unsigned)
    throw new DealingError('malformed', `node ${unsigned.identity} has not signed its keys for this dealing`);
}

function readApproved(text: string): ApprovedNodes {
  try {
    return decodeApprovedNodes(text);
  } catch (cause) {
    throw new DealingError('refused', 'the contract approves no key nodes: run "npm run keys -- approve"', {
      cause,
    });
  }
}

function checkApproved(setup: DealingSetup, participants: Participant[], approved: ApprovedNodes): void {
  const stranger = receiversOf(participants).find((identity) => !approved.identities.includes(identity));
  if (stranger)
    throw new DealingError('refused', `the contract does not approve the node with the key ${stranger}`);
  const [own, wanted] = [approved, { ...setup, identities: setup.receivers }].map(
    ({ threshold, identities }) => `${threshold} of ${identities.length} nodes`,
  );
  if (own !== wanted)
    throw new DealingError('refused', `the contract approves a group of ${own}, not one of ${wanted}`);
}

const receiversOf = (participants: Participant[]): string[] =>
  participants.filter(({ receiver }) => receiver !== null).map(({ identity }) => identity);

/** Returns the group of a dealing as the contract approves it. */
export const groupOf = ({ threshold }: DealingSetup, participants: Participant[]): string =>
  encodeApprovedNodes({ threshold, identities: receiversOf(participants) });

/** Rejects with a DealingError when a subshare cannot be encrypted to a receiver. */
export async function checkEncryptionKeys(
  { session }: DealingSetup,
  participants: Participant[],
): Promise<void> {
  for (const { identity, encryption } of participants)
    await sealSubshare(new Uint8Array(), encryption, { session, from: identity, receiver: 0 }).catch(
      (cause) => {
        throw new DealingError('malformed', `malformed encryption key of node ${identity}`, { cause });
      },
    );
}

export const partyOf = ({ dealer, receiver }: Participant): Party => ({
  ...(dealer !== null && { dealer }),
  ...(receiver !== null && { receiver }),
});
