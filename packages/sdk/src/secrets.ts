/** Secrets of the account, which this client encrypts. */
import { isSecretName, MAX_SECRET_BYTES } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { get, post } from './http.ts';
import { readCredential } from './proof.ts';
import { addressOfPublicKey } from './values.ts';
import { defaultDeadline, type WriteOptions } from './write-definition.ts';

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

const misuse = (message: string): LatchkeyError => new LatchkeyError('configuration', message);

/**
 * Encrypts a value to a wallet, and stores it as the newest version of a secret. Earlier versions stay until they are deleted. The service
 * never has the value.
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
  const version = Date.now();
  // Loaded when it is needed: it has a curve.
  const { encryptSecret } = await import('@latchkey/protocol/secret-cipher');
  const ciphertext = await encryptSecret(walletPublicKey, bytes, { name, version }).catch(() => {
    throw misuse('walletPublicKey: not a point of secp256k1');
  });
  await post(client, '/core/v1/set_secret', {
    body: { name, version, wallet_address: walletAddress, ciphertext },
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
  setAt: Date;
  /** When a run asked for it last, exact to a minute. */
  lastReadAt?: Date | undefined;
}

/** Lists the versions of all secrets, by name, newest first. No function returns a value. */
export async function listSecrets(client: BareClient, options: CallOptions = {}): Promise<SecretItem[]> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/list_secrets', {
    ...(await readCredential(client, deadline)),
    deadline,
  });
  return json.map(({ name, version, wallet_address, set_at, last_read_at }) => ({
    name,
    version,
    walletAddress: wallet_address as Address,
    setAt: new Date(set_at),
    lastReadAt: last_read_at === null ? undefined : new Date(last_read_at),
  }));
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
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/list_secret_events', {
    query: { name, page_size: pageSize, before },
    ...(await readCredential(client, deadline)),
    deadline,
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
  const deadline = defaultDeadline(client, options);
  await post(client, '/core/v1/delete_secret', {
    body: { name, ...(version !== undefined && { version }) },
    ...(await readCredential(client, deadline)),
    seesOwnWrites: true,
    idempotencyKey: options.idempotencyKey,
    deadline,
  });
}
