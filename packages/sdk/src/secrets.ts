/** Secrets of the account, which this client encrypts. */
import { isSecretName, MAX_SECRET_BYTES } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import { ownAccount } from './account-state.ts';
import { getAsOwner, postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import { isReading, readContract } from './contract.ts';
import { type CallOptions, type Deadline, defaultDeadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { optionalDate, post } from './http.ts';
import { readCredential } from './proof.ts';
import { addressOfPublicKey, usageKeyHash } from './values.ts';
import type { WriteOptions } from './write-definition.ts';

export interface SetSecretParameters {
  /** At most 64 letters, digits and _, not first a digit. */
  name: string;
  /** At most 64 KiB of UTF-8. */
  value: string;
  /**
   * Uncompressed public key of a wallet of the account, as `createWallet` returns it. The actions of each group that has the wallet can read
   * the secret.
   */
  walletPublicKey: Hex;
}

export interface SetSecretResult {
  /** Unix milliseconds. */
  version: number;
  walletAddress: Address;
}

const unverified = (reason: string): LatchkeyError =>
  new LatchkeyError('unverified_address', reason, {
    fix: 'Take the public key from createWallet, or from a signature of the wallet.',
  });

/** Rejects for a wallet of another account, when the client has a node of the chain: the relayer could name one of its own in a list. */
async function requireOwned(client: BareClient, wallet: Address, deadline: Deadline): Promise<void> {
  if (!isReading(client)) return;
  const { mode, internals } = client;
  const key = mode === 'api' ? internals.apiKey() : undefined;
  if (mode === 'api' && key === undefined) return;
  const account = mode === 'api' ? usageKeyHash(key ?? '') : await ownAccount(client, deadline);
  if ((await readContract(client, 'getWalletDerivation', [account, wallet], deadline)) === 0n)
    throw unverified(`the account does not have the wallet ${wallet}`);
}

const misuse = (message: string): LatchkeyError => new LatchkeyError('configuration', message);

/**
 * Encrypts a value to a wallet, and stores it as the newest version of a secret. Earlier versions stay until they are deleted. The service
 * never has the value. A client with a node of the chain first checks that the contract has the wallet in the account.
 */
export async function setSecret(
  client: BareClient,
  { name, value, walletPublicKey }: SetSecretParameters,
  options: WriteOptions = {},
): Promise<SetSecretResult> {
  const bytes = new TextEncoder().encode(value);
  if (!isSecretName(name)) throw misuse('name: expected at most 64 letters, digits and _, not first a digit');
  if (bytes.length === 0 || bytes.length > MAX_SECRET_BYTES)
    throw misuse(`value: expected 1 to ${MAX_SECRET_BYTES} bytes of UTF-8`);
  const walletAddress = addressOfPublicKey(walletPublicKey);
  const deadline = defaultDeadline(client, options);
  await requireOwned(client, walletAddress, deadline);
  const version = Date.now();
  // Loaded when it is needed: it has a curve.
  const { encryptSecret } = await import('@latchkey/protocol/secret-cipher');
  const ciphertext = await encryptSecret(walletPublicKey, bytes, { name, version }).catch(() => {
    throw misuse('walletPublicKey: not a point of secp256k1');
  });
  await post(client, '/core/v1/set_secret', {
    body: { name, version, wallet_address: walletAddress, wallet_public_key: walletPublicKey, ciphertext },
    ...(await readCredential(client, deadline)),
    seesOwnWrites: true,
    idempotencyKey: options.idempotencyKey,
    deadline,
  });
  return { version, walletAddress };
}

/** A version of a secret. */
export interface SecretItem {
  name: string;
  /** Unix milliseconds. */
  version: number;
  walletAddress: Address;
  /** Uncompressed public key of the wallet. Absent when the client that set it did not send it. */
  walletPublicKey?: Hex | undefined;
  setAt: Date;
  /** When a run asked for it last, exact to a minute. */
  lastReadAt?: Date | undefined;
}

type Listed = { wallet_address: string; wallet_public_key: string | null };

/** Lists the versions of all secrets, by name, newest first. No function returns a value. */
export async function listSecrets(client: BareClient, options: CallOptions = {}): Promise<SecretItem[]> {
  const { json } = await getAsOwner(client, options, '/core/v1/list_secrets');
  return json.map((secret) => ({
    name: secret.name,
    version: secret.version,
    walletAddress: secret.wallet_address as Address,
    walletPublicKey: publicKeyOf(secret),
    setAt: new Date(secret.set_at),
    lastReadAt: optionalDate(secret.last_read_at),
  }));
}

/** Throws for a public key of another wallet. */
function publicKeyOf({ wallet_address, wallet_public_key }: Listed): Hex | undefined {
  if (wallet_public_key === null) return undefined;
  const publicKey = wallet_public_key as Hex;
  if (addressOfPublicKey(publicKey).toLowerCase() !== wallet_address.toLowerCase())
    throw unverified('the relayer returned the public key of another wallet with a secret');
  return publicKey;
}

export interface ListSecretEventsParameters {
  name: string;
  /** 1 to 1,000. Default 100. */
  pageSize?: number | undefined;
  /** Id of the last event of the page before. */
  before?: number | undefined;
}

/** A change or a read of a secret. */
export interface SecretEvent {
  id: number;
  event: 'set' | 'read' | 'delete';
  /** Absent for all versions. */
  version?: number | undefined;
  /** Hash of the account key, admin wallet or usage key. */
  caller: bigint;
  /** CID of the action that read it. */
  cid?: string | undefined;
  /** Id of the run that read it. */
  runId?: string | undefined;
  at: Date;
}

/** Lists who set, read and deleted a secret, newest first. A read is what a run asked for, before the key nodes decided. */
export async function listSecretEvents(
  client: BareClient,
  { name, pageSize, before }: ListSecretEventsParameters,
  options: CallOptions = {},
): Promise<SecretEvent[]> {
  const { json } = await getAsOwner(client, options, '/core/v1/list_secret_events', {
    query: { name, page_size: pageSize, before },
  });
  return json.map(({ id, event, version, caller, cid, run_id, at }) => ({
    id,
    event,
    version: version ?? undefined,
    caller: BigInt(caller),
    cid: cid ?? undefined,
    runId: run_id ?? undefined,
    at: new Date(at),
  }));
}

export interface DeleteSecretParameters {
  name: string;
  /** Without it, all versions. */
  version?: number | undefined;
}

/** Deletes a version of a secret, or all versions. */
export async function deleteSecret(
  client: BareClient,
  { name, version }: DeleteSecretParameters,
  options: WriteOptions = {},
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/delete_secret', {
    name,
    ...(version !== undefined && { version }),
  });
}
