/**
 * Requests to the key nodes. The runner signs a statement of what it needs, the relayer whose run it is adds the block that the
 * nodes must have seen, and signs both. A node decides by the contract; the signatures only say who asks.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { encode, hex } from './encoding.ts';
import { type Identity, isSignedBy } from './identity.ts';

/** Name of the contract's node configuration that has the parameters of the group. */
export const GROUP_CONFIGURATION = 'key-nodes';
/** A statement is valid for this long. A node remembers its id until then, so that it accepts none twice. */
export const LIFETIME_MS = 10_000;
/** How far the clock of a runner may be ahead of a node's clock. */
export const MAX_SKEW_MS = 2_000;

/** Largest difference of clocks with which a request still counts as a relayer's own. */
const RECENT_MS = 600_000;

/** uint256, without leading zeros. */
const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/);
const cid = z.string().regex(/^[A-Za-z0-9]{1,128}$/);
const wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
/** The run that needs the key, by the values that the contract decides about. */
const run = { usageKeyHash: quantity, cid };
/** Gives the private key to the action, or signs, encrypts and decrypts with it outside of the action. */
const walletUse = z.enum(['export', 'inside']);
export type WalletUse = z.infer<typeof walletUse>;
/** The refusal of a key node to export the key of a wallet that is not exportable. */
export const NOT_EXPORTABLE = 'the wallet is not exportable';

/** Bytes of a message to sign: nodes see all of it. */
export const MAX_SIGNED_BYTES = 8_192;
/** Commitments of one node to nonces in one answer. */
export const MAX_NONCES = 16;
/** A point: of ed25519 32 bytes, of secp256k1 33. */
const point = z.string().regex(/^([0-9a-f]{64}|[0-9a-f]{66})$/);

const keyPurpose = z.discriminatedUnion('kind', [
  /** The keys of a wallet, for a run that is permitted to use it. */
  z.strictObject({ kind: z.literal('wallet'), ...run, wallet, use: walletUse }),
  /** The key of the action that runs. */
  z.strictObject({ kind: z.literal('action'), ...run }),
  /** The signature of the nodes that this is the public key of the action that runs. */
  z.strictObject({ kind: z.literal('action-public-key'), ...run, publicKey: hex(33) }),
  /** The signature of the nodes that the wallet at a path that no account has registered has this address. */
  z.strictObject({ kind: z.literal('wallet-address'), path: quantity, address: hex(20) }),
  /** A new wallet or usage key at a path that no account has registered. */
  z.strictObject({ kind: z.enum(['mint-wallet', 'mint-usage-key']), path: quantity }),
  /** Commitments to nonces for later signatures of this runner (RFC 9591, 5.1). */
  z.strictObject({
    kind: z.literal('nonces'),
    suite: z.enum(['ed25519', 'secp256k1']),
    count: z.int().min(1).max(MAX_NONCES),
  }),
  /** A share of the signature of a message by a wallet (RFC 9591, 5.2), for a run that is permitted to use it. */
  z.strictObject({
    kind: z.literal('sign'),
    ...run,
    wallet,
    keyType: z.enum(['ed25519', 'bip340', 'taproot']),
    message: z.base64().max(Math.ceil(MAX_SIGNED_BYTES / 3) * 4),
    /** Of the nodes that sign, ascending. Each node uses its own once. */
    commitments: z
      .array(z.strictObject({ identifier: z.int().min(1).max(255), hiding: point, binding: point }))
      .min(2)
      .max(16),
  }),
]);
export type KeyPurpose = z.infer<typeof keyPurpose>;
/** The purposes that nodes evaluate for. */
export type EvaluationPurpose = Exclude<KeyPurpose, { kind: 'nonces' | 'sign' }>;

const keyStatement = z.strictObject({
  version: z.literal(1),
  /** Random. */
  id: hex(16),
  /** Group public key of the nodes: a statement for one deployment is not valid in another. */
  group: hex(32),
  purpose: keyPurpose,
  /** Id of the run, as the reply and the record of the relayer have it. Null for a mint. */
  run: z.uuid().nullable(),
  /** Whether the answers have proofs, which take most of a node's time. A runner that recognises the key needs none. */
  withProof: z.boolean(),
  /** X25519 public key that the answers are encrypted to, made for this run or mint. */
  recipient: hex(32),
  /** Unix milliseconds. */
  expiresAt: z.int().positive(),
});
export type KeyStatement = z.infer<typeof keyStatement>;

export const signedStatement = z.strictObject({
  statement: keyStatement,
  /** Public key. */
  runner: hex(32),
  runnerSignature: hex(64),
});
export type SignedStatement = z.infer<typeof signedStatement>;

export const keyRequest = z.strictObject({
  ...signedStatement.shape,
  /** A node that has not seen this block does not answer. */
  block: z.int().nonnegative(),
  /** Public key. */
  relayer: hex(32),
  relayerSignature: hex(64),
});
export type KeyRequest = z.infer<typeof keyRequest>;
const unsignedRequest = keyRequest.omit({ relayerSignature: true });

/** A request that no node accepts. */
export class KeyRequestError extends Error {
  override readonly name: string = 'KeyRequestError';
}

/**
 * A request that this node cannot judge because of a clock or a setting of one of the parties. Says nothing about the permission of
 * the run, which can be repeated.
 */
export class KeyRequestUnavailableError extends KeyRequestError {
  override readonly name = 'KeyRequestUnavailableError';
}

/** Returns a new statement that is valid for `LIFETIME_MS`. */
export function createStatement(
  {
    run = null,
    ...fields
  }: Pick<KeyStatement, 'group' | 'purpose' | 'withProof' | 'recipient'> & {
    run?: string | null;
  },
  nowMs: number,
): KeyStatement {
  const id = randomBytes(16).toString('hex');
  return keyStatement.parse({ version: 1, id, run, ...fields, expiresAt: nowMs + LIFETIME_MS });
}

export function signStatement(statement: KeyStatement, runner: Identity): SignedStatement {
  const runnerSignature = runner.sign(statementBytes(statement));
  return { statement, runner: runner.publicKey, runnerSignature };
}

/**
 * Signs for the relayer. Compare the purpose with the run first: nodes do not know which run the relayer executes. The relayer need
 * not verify the statement, because every node does (`verifyRequest`).
 */
export function cosign(signed: SignedStatement, block: number, relayer: Identity): KeyRequest {
  const unsigned = { ...signed, block, relayer: relayer.publicKey };
  return { ...unsigned, relayerSignature: relayer.sign(requestBytes(unsigned)) };
}

/** Throws a KeyRequestError unless one of these runners has signed the statement and it is valid now. */
function verifyStatement(
  { statement, runner, runnerSignature }: SignedStatement,
  { runners, group, nowMs }: { runners: readonly string[]; group: string; nowMs: number },
): void {
  if (statement.group !== group)
    throw new KeyRequestUnavailableError('the request is for another group of key nodes');
  if (statement.expiresAt <= nowMs)
    throw new KeyRequestUnavailableError('the request has expired: compare the clocks');
  if (statement.expiresAt > nowMs + LIFETIME_MS + MAX_SKEW_MS)
    throw new KeyRequestUnavailableError(
      `the request is valid for longer than ${LIFETIME_MS} ms: compare the clocks`,
    );
  if (!runners.includes(runner)) throw new KeyRequestUnavailableError('unknown runner');
  if (!isSignedBy(runner, statementBytes(statement), runnerSignature))
    throw new KeyRequestError('the signature of the runner does not hold');
}

/** Like `verifyStatement`, and one of these relayers has signed the whole. */
export function verifyRequest(
  { relayerSignature, ...unsigned }: KeyRequest,
  {
    relayers,
    ...of
  }: { relayers: readonly string[]; runners: readonly string[]; group: string; nowMs: number },
): void {
  verifyStatement(unsigned, of);
  if (!relayers.includes(unsigned.relayer)) throw new KeyRequestUnavailableError('unknown relayer');
  if (!isSignedBy(unsigned.relayer, requestBytes(unsigned), relayerSignature))
    throw new KeyRequestError('the signature of the relayer does not hold');
}

/**
 * Returns true when one of these relayers signed the request within ten minutes of this time, even if its statement is wrong: a fault
 * of its clock or runner, not a request of a stranger.
 */
export function isOfRelayer(
  { relayerSignature, ...unsigned }: KeyRequest,
  { relayers, nowMs }: { relayers: readonly string[]; nowMs: number },
): boolean {
  const isRecent = Math.abs(unsigned.statement.expiresAt - nowMs) < RECENT_MS;
  const { relayer } = unsigned;
  return (
    isRecent && relayers.includes(relayer) && isSignedBy(relayer, requestBytes(unsigned), relayerSignature)
  );
}

const statementBytes = (statement: KeyStatement): Uint8Array =>
  encode('latchkey/key-statement/v1', keyStatement.parse(statement));
const requestBytes = (request: Omit<KeyRequest, 'relayerSignature'>): Uint8Array =>
  encode('latchkey/key-request/v1', unsignedRequest.parse(request));
