/** The public view of a node's part in dealings: what the operator's command sees. */
import {
  type DealingMessage,
  dealingMessage,
  type Identity,
  invitation,
  participant,
} from '@latchkey/key-protocol';
import {
  encodeGroupParameters,
  encodeJointSetup,
  FaultError,
  type JointSetup,
  jointFaults,
  jointMissing,
  jointResult,
  jointRound,
  rounds,
} from '@latchkey/threshold';
import { bytesToHex } from 'viem';
import { z } from 'zod';
import type { HeldShare, NodeState } from '../node-store.ts';
import type { Refusal } from './exchange.ts';
import type { StoredDealing } from './stored-dealing.ts';

/** A share that the node holds, without the share. */
const held = z
  .object({
    identifier: z.int(),
    parameters: z.string(),
    /** Parameters of the keys to sign with. */
    signing: z.array(z.string()),
  })
  .nullable();

const fault = z.object({
  role: z.enum(['dealer', 'receiver', 'node']),
  identifier: z.int(),
  round: z.string(),
  reason: z.string(),
});

export const dealingView = z.object({
  /** Identity of the node. */
  public_key: z.string(),
  /** Random value of the node's last start. */
  boot: z.string(),
  current: held,
  next: held,
  dealing: z
    .object({
      nonce: z.string(),
      invitation,
      /** Null until the dealing is proposed. Hexadecimal. */
      session: z.string().nullable(),
      setup: z.string().nullable(),
      participants: z.array(participant),
      round: z.enum([...rounds, 'done']).nullable(),
      /** Identifiers of the senders whose message of the open round has not come. */
      missing: z.array(z.int()),
      /** Messages of this node in the open round. Empty without a signed command. */
      messages: z.array(dealingMessage),
      /** Messages of this command that changed nothing, and why. */
      refused: z.array(z.object({ from: z.string(), reason: z.string() })),
      /** Breaches that all participants see. */
      faults: z.array(fault),
      /** Dealers whose subshare for this node was missing or wrong. */
      observations: z.array(fault),
      /** Null until all have confirmed; also null after the round `done` when the dealing has failed. */
      result: z.object({ parameters: z.string(), transcript_hash: z.string() }).nullable(),
    })
    .nullable(),
});
export type DealingView = z.infer<typeof dealingView>;

const withoutSecret = (share: HeldShare | null) =>
  share && {
    identifier: share.identifier,
    parameters: share.parameters,
    signing: share.signing.map(({ parameters }) => parameters),
  };

type Exchange = { messages?: DealingMessage[]; refused?: Refusal[] };

export function viewOf(
  { current, next, dealing }: NodeState,
  { identity, boot }: { identity: Identity; boot: string },
  own: z.infer<typeof invitation> | null,
  exchange: Exchange = {},
): DealingView {
  return {
    public_key: identity.publicKey,
    boot,
    current: withoutSecret(current),
    next: withoutSecret(next),
    dealing: dealing && own && viewOfDealing(dealing, own, exchange),
  };
}

function viewOfDealing(
  { nonce, participants, state }: StoredDealing,
  own: z.infer<typeof invitation>,
  { messages = [], refused = [] }: Exchange,
): DealingView['dealing'] {
  return {
    nonce,
    invitation: own,
    session: state?.[0].setup.session ?? null,
    setup: state && bytesToHex(encodeJointSetup(state.map(({ setup }) => setup) as JointSetup)).slice(2),
    participants,
    round: state && jointRound(state),
    missing: state ? jointMissing(state) : [],
    messages,
    refused,
    faults: state ? jointFaults(state, 'faults') : [],
    observations: state ? jointFaults(state, 'observations') : [],
    result: resultOf(state),
  };
}

/** Returns the public result of a dealing that all receivers confirmed, null before and after a failure. */
export function resultOf(
  state: StoredDealing['state'],
): { parameters: string; transcript_hash: string } | null {
  if (!state || jointRound(state) !== 'done') return null;
  try {
    const { published, transcriptHash } = jointResult(state);
    return { parameters: encodeGroupParameters(published), transcript_hash: transcriptHash };
  } catch (error) {
    if (error instanceof FaultError) return null;
    throw error;
  }
}
