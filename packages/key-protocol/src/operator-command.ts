/**
 * Commands of the operator to one key node. The operator starts dealings and relays messages; who gets a share is approved on
 * the contract, see `approvedNodes`.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { evidence } from './attestation.ts';
import { dealingMessage } from './dealing-message.ts';
import { encode, hex } from './encoding.ts';
import { type Identity, isSignedBy } from './identity.ts';
import { participant } from './participant.ts';
import { KeyRequestError } from './request.ts';

/** A command is valid for at most this long after the clock of the node. */
export const MAX_COMMAND_LIFETIME_MS = 60_000;
/** The difference to the limit is the tolerance of clocks. */
const COMMAND_LIFETIME_MS = 30_000;
/** For each of three keys, 16 messages to all and 16 subshares. */
const MAX_MESSAGES = 96;

const session = hex(32);
const round = z.enum(['commit hash', 'commitments', 'subshares', 'complaints', 'answers', 'confirmation']);

const dealingAction = z.discriminatedUnion('do', [
  /** Makes the encryption key of the node for the dealing with this nonce, 32 random bytes. */
  z.strictObject({
    do: z.literal('join'),
    nonce: hex(32),
    /** Gives up an unfinished dealing, or one that is not published. */
    replace: z.boolean(),
  }),
  /** Shows the quote of another node for this dealing. A node that verifies quotes gives shares to attested nodes only. */
  z.strictObject({ do: z.literal('attest'), session, identity: hex(32), evidence }),
  /** Starts the dealing. */
  z.strictObject({
    do: z.literal('propose'),
    nonce: hex(32),
    /** Canonical bytes of the setup, in hexadecimal. */
    setup: z
      .string()
      .regex(/^([0-9a-f]{2})+$/)
      .max(8_192),
    participants: z.array(participant).min(1).max(32),
  }),
  /** Changes nothing: returns the messages of the open round. */
  z.strictObject({ do: z.literal('show') }),
  /** Hands over messages of other nodes. */
  z.strictObject({
    do: z.literal('deliver'),
    session,
    round,
    messages: z.array(dealingMessage).max(MAX_MESSAGES),
  }),
  z.strictObject({ do: z.literal('close'), session, round }),
  /** Forgets a dealing whose result the contract publishes, and a share that it made useless. */
  z.strictObject({ do: z.literal('finish'), session }),
  /** Gives up the dealing. The shares of before stay in use. */
  z.strictObject({ do: z.literal('abandon'), session }),
]);
export type DealingAction = z.infer<typeof dealingAction>;

const command = z.strictObject({
  version: z.literal(1),
  /** Random. */
  id: hex(16),
  /** Identity of the node: a command for one node is not valid at another. */
  node: hex(32),
  /** Random value of the node's last start: no command is accepted again after a restart. */
  boot: hex(16),
  /** Unix milliseconds. */
  expiresAt: z.int().positive(),
  action: dealingAction,
});

export const signedCommand = z.strictObject({ command, signature: hex(64) });
export type SignedCommand = z.infer<typeof signedCommand>;

export function signCommand(
  to: { node: string; boot: string },
  action: DealingAction,
  operator: Identity,
  nowMs: number,
): SignedCommand {
  const id = randomBytes(16).toString('hex');
  const { node, boot } = to;
  const signed = { version: 1 as const, id, node, boot, expiresAt: nowMs + COMMAND_LIFETIME_MS, action };
  return { command: signed, signature: operator.sign(commandBytes(signed)) };
}

/** Throws a KeyRequestError unless the operator has signed the command for this node and it is valid now. */
export function verifyCommand(
  { command: signed, signature }: SignedCommand,
  { operator, node, nowMs }: { operator: string; node: string; nowMs: number },
): void {
  if (!isSignedBy(operator, commandBytes(signed), signature))
    throw new KeyRequestError('the signature of the operator does not hold');
  if (signed.node !== node) throw new KeyRequestError('the command is for another node');
  if (signed.expiresAt <= nowMs) throw new KeyRequestError('the command has expired');
  if (signed.expiresAt > nowMs + MAX_COMMAND_LIFETIME_MS)
    throw new KeyRequestError(
      `the command is valid for longer than ${MAX_COMMAND_LIFETIME_MS} ms: compare the clocks`,
    );
}

const commandBytes = (signed: SignedCommand['command']): Uint8Array =>
  encode('latchkey/operator-command/v1', command.parse(signed));
