/** Messages of a dealing to and from other nodes: signed, and subshares encrypted. */
import {
  type DealingMessage,
  type Identity,
  isDealingMessage,
  openSubshare,
  type Participant,
  sealSubshare,
  signDealingMessage,
} from '@latchkey/key-protocol';
import {
  FaultError,
  type JointState,
  jointOutgoing,
  jointReceive,
  rejectJointSubshare,
} from '@latchkey/threshold';
import { partyOf } from './proposal.ts';
import type { RunningDealing } from './stored-dealing.ts';

/** A message that changed nothing, and why. `from` is an identity. */
export type Refusal = { from: string; reason: string };

/** Returns the node's messages of the open round. */
export function messagesOf(dealing: RunningDealing, identity: Identity): Promise<DealingMessage[]> {
  const { state, participants } = dealing;
  const { session } = state[0].setup;
  const from = identity.publicKey;
  return Promise.all(
    jointOutgoing(state).map(async ({ receiver, message }) => {
      const to = participants.find((candidate) => candidate.receiver === receiver);
      const payload = to
        ? await sealSubshare(message, to.encryption, { session, from, receiver })
        : Buffer.from(message).toString('base64');
      return signDealingMessage(session, { receiver, payload }, identity);
    }),
  );
}

/** Returns the state with the messages that hold. */
export async function receiveAll(
  dealing: RunningDealing,
  messages: readonly DealingMessage[],
): Promise<{ state: JointState; refused: Refusal[] }> {
  let { state } = dealing;
  const refused: Refusal[] = [];
  for (const message of messages) {
    const received = await receiveOne({ ...dealing, state }, message);
    state = received.state;
    if (received.reason !== undefined) refused.push({ from: message.from, reason: received.reason });
  }
  return { state, refused };
}

async function receiveOne(
  { state, participants, encryptionSeed }: RunningDealing,
  message: DealingMessage,
): Promise<{ state: JointState; reason?: string }> {
  const { session } = state[0].setup;
  const sender = participants.find(({ identity }) => identity === message.from);
  if (!sender) return { state, reason: 'the sender is not a participant' };
  if (!isDealingMessage(session, message)) return { state, reason: 'the signature does not hold' };
  const isSubshare = message.receiver !== 0;
  if (isSubshare && message.receiver !== state[0].party.receiver)
    return { state, reason: `the message is for receiver ${message.receiver}` };
  try {
    const bytes = isSubshare
      ? await openFor(message, encryptionSeed, session)
      : Buffer.from(message.payload, 'base64');
    return { state: jointReceive(state, partyOf(sender), bytes) };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // The dealer signed the message: the fault is the dealer's, and no fault of the delivery.
    return { state: isSubshare ? reject(state, sender) : state, reason: error.message };
  }
}

async function openFor(message: DealingMessage, seed: string | null, session: string): Promise<Uint8Array> {
  const { from, receiver, payload } = message;
  // Without a seed the round is over, and `jointReceive` refuses the message.
  if (seed === null) return new Uint8Array();
  return openSubshare(payload, seed, { session, from, receiver }).catch(() => new Uint8Array());
}

const reject = (state: JointState, { dealer }: Participant): JointState =>
  dealer === null ? state : rejectJointSubshare(state, dealer);
