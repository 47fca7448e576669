/** Accounts with a wallet for secrets, and secrets encrypted as clients do. */
import { apiKeyHash, type SecretVersion } from '@latchkey/protocol';
import { encryptSecret } from '@latchkey/protocol/secret-cipher';
import {
  addGroup,
  addUsageKey,
  call,
  hex,
  newAccount,
  post,
  type Reply,
  stack,
} from '@latchkey/testing/stack';
import type { Address, Hex } from 'viem';
import { expect } from 'vitest';

export type SecretAccount = {
  key: string;
  hash: bigint;
  usageKey: string;
  usageKeyHash: Hex;
  group: string;
  wallet: Address;
  publicKey: Hex;
};

/** Opens an account whose usage key may use its wallet in these actions, by default in every one. */
export async function newSecretAccount(cidHashes: bigint[] = [0n]): Promise<SecretAccount> {
  const { key, hash } = await newAccount();
  const { body } = await post('create_wallet', { exportable: false }, key);
  const { wallet_address: wallet, public_key: publicKey } = body as {
    wallet_address: Address;
    public_key: Hex;
  };
  const contents = { pkp_ids_permitted: [wallet], cid_hashes_permitted: cidHashes.map(hex) };
  const group = await addGroup(key, contents);
  const usageKey = await addUsageKey(key, { execute_in_groups: [group] });
  return {
    key,
    hash,
    usageKey,
    usageKeyHash: `0x${apiKeyHash(usageKey).toString(16)}`,
    group,
    wallet,
    publicKey,
  };
}

let last = 0;
/** A version that is newer than all before. */
export const nextVersion = (): number => {
  last = Math.max(last + 1, Date.now());
  return last;
};

/** Encrypts the value. Resolves to the body of `set_secret`. */
export async function sealedSecret(
  { wallet, publicKey }: Pick<SecretAccount, 'wallet' | 'publicKey'>,
  name: string,
  value: string,
  version = nextVersion(),
) {
  const of: SecretVersion = { name, version };
  const ciphertext = await encryptSecret(publicKey, new TextEncoder().encode(value), of);
  return { ...of, wallet_address: wallet, ciphertext };
}

/** Sets a secret. Resolves to its version. */
export async function setSecret(account: SecretAccount, name: string, value: string, url = stack.url) {
  const body = await sealedSecret(account, name, value);
  const { status } = await call('POST', 'set_secret', { key: account.key, body }, url);
  expect(status).toBe(200);
  return body.version;
}

/** Returns the SHA-256 of a secret, or the error, so that the reply does not have the value. */
export const DIGEST = `async function main({ name, ...options }) {
  try {
    return ethers.utils.sha256(ethers.utils.toUtf8Bytes(await Svc.Actions.getSecret(name, options)));
  } catch (error) {
    return error.name + ': ' + error.message;
  }
}`;

export const runOf = (usageKey: string, js_params: object, code = DIGEST, url = stack.url): Promise<Reply> =>
  call('POST', 'svc_action', { key: usageKey, body: { code, js_params } }, url);

/** Runs `DIGEST` for a secret. Resolves to its response. */
export async function digestOf(
  { usageKey }: SecretAccount,
  name: string,
  options: object = {},
  url = stack.url,
) {
  const { status, body } = await runOf(usageKey, { name, ...options }, DIGEST, url);
  expect([status, body]).toMatchObject([200, { has_error: false }]);
  return (body as { response: string }).response;
}
