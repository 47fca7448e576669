/** Callers with missing, wrong and right credentials, in every header for credentials. */

import { addUsageKey, client, expectWritten, newKeyText, post, testClient } from '@latchkey/testing/stack';
import {
  type AdminWallet,
  eoa,
  proofOf,
  seconds,
  signerOf,
  walletAuth,
} from '@latchkey/testing/wallet-proof';
import { expect, vi } from 'vitest';
import { type AccountName, type Accounts, everyPermission } from './accounts.ts';
import type { Permissions } from './permissions.ts';

/** The meaning of the key headers of a request by the specification. */
type KeyCredential =
  /** No key, or malformed text. */
  | { kind: 'none' }
  /** A key that is unknown now. */
  | { kind: 'unknown' }
  /** An unknown text in a form that the relayer does not mint. */
  | { kind: 'foreign' }
  | { kind: 'expired' }
  | { kind: 'account'; account: AccountName }
  | { kind: 'usage'; account: AccountName; permissions: Permissions; ownsRun?: true };

/** The meaning of X-Wallet-Auth; absent when it is malformed. */
type WalletCredential = { kind: 'admin'; account: AccountName } | { kind: 'refused' };

export type Caller = {
  name: string;
  headers: Record<string, string>;
  key: KeyCredential;
  wallet?: WalletCredential;
};

const none = { kind: 'none' } as const;
const unknown = { kind: 'unknown' } as const;

const key = (text: string) => ({ 'X-Api-Key': text });
const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });

/** Headers without a valid key. */
function strangers(): Caller[] {
  return [
    { name: 'no key', headers: {}, key: none },
    { name: 'empty key', headers: key(''), key: none },
    { name: 'hash as key', headers: key(`0x${'ab'.repeat(32)}`), key: none },
    { name: 'hash as bearer', headers: bearer(`0x${'AB'.repeat(32)}`), key: none },
    { name: 'key of 513 characters', headers: key('k'.repeat(513)), key: none },
    { name: 'key outside of ASCII', headers: key('\u00e4'.repeat(44)), key: none },
    { name: 'another scheme', headers: { Authorization: 'Basic dXNlcjpwYXNz' }, key: none },
    { name: 'text of another product', headers: key('secret'), key: { kind: 'foreign' } },
    { name: 'unknown key', headers: key(newKeyText()), key: unknown },
    { name: 'unknown bearer', headers: bearer(newKeyText()), key: unknown },
  ];
}

/** The account key of the target account, of others, and next to other headers. */
function accountKeys({ home, other, converted }: Accounts): Caller[] {
  const own = { kind: 'account', account: 'home' } as const;
  return [
    { name: 'account key', headers: key(home.key), key: own },
    { name: 'account key as bearer', headers: { Authorization: `bEARER  ${home.key}` }, key: own },
    { name: 'account key before another', headers: { ...bearer(home.key), ...key(newKeyText()) }, key: own },
    {
      name: 'unknown bearer before account key',
      headers: { ...bearer(newKeyText()), ...key(home.key) },
      key: unknown,
    },
    {
      name: 'another scheme beside account key',
      headers: { Authorization: 'Basic eDp5', ...key(home.key) },
      key: own,
    },
    { name: 'other account key', headers: key(other.key), key: { kind: 'account', account: 'other' } },
    {
      name: 'converted account key',
      headers: key(converted.key),
      key: { kind: 'account', account: 'converted' },
    },
  ];
}

/** Usage keys with one permission each, for the group and for all groups, and usage keys of other accounts. */
async function usageKeys({ home, other, converted, chainSecured }: Accounts): Promise<Caller[]> {
  const lists = [
    'manage_ipfs_ids_in_groups',
    'add_pkp_to_groups',
    'remove_pkp_from_groups',
    'execute_in_groups',
  ] as const;
  const flags = ['can_create_groups', 'can_delete_groups', 'can_create_pkps'] as const;
  const wanted: [name: string, permissions: Permissions][] = [
    ['usage key without permissions', {}],
    ...flags.map((flag): [string, Permissions] => [`usage key with ${flag}`, { [flag]: true }]),
    ...lists.flatMap((list): [string, Permissions][] => [
      [`usage key with ${list} of the group`, { [list]: [home.groupId] }],
      [`usage key with ${list} of another group`, { [list]: ['1'] }],
      [`usage key with ${list} of all groups`, { [list]: ['0'] }],
    ]),
    ['usage key with every permission', everyPermission as unknown as Permissions],
  ];
  const own = await Promise.all(
    wanted.map(async ([name, permissions]): Promise<Caller> => {
      const text = await addUsageKey(home.key, permissions);
      return { name, headers: key(text), key: { kind: 'usage', account: 'home', permissions } };
    }),
  );
  const foreign = ([account, text]: [AccountName, string]): Caller => ({
    name: `usage key of the account ${account}`,
    headers: key(text),
    key: { kind: 'usage', account, permissions: everyPermission as unknown as Permissions },
  });
  const others: [AccountName, string][] = [
    ['other', other.usageKey],
    ['converted', converted.usageKey],
    ['chainSecured', chainSecured.usageKey],
  ];
  const owner: Caller = {
    name: 'usage key of the run',
    headers: key(home.runKey),
    key: {
      kind: 'usage',
      account: 'home',
      permissions: { execute_in_groups: [home.groupId] },
      ownsRun: true,
    },
  };
  return [...own, owner, ...others.map(foreign)];
}

/** Keys that were valid before. */
async function endedKeys({ home }: Accounts): Promise<Caller[]> {
  const { timestamp } = await client.getBlock();
  const expiration = String(Math.max(Number(timestamp), Number(seconds())) + 2);
  const [expired, removed] = await Promise.all([
    addUsageKey(home.key, { ...everyPermission, expiration }),
    addUsageKey(home.key, everyPermission),
  ]);
  expectWritten(await post('remove_usage_api_key', { usage_api_key: removed }, home.key));
  await vi.waitFor(() => expect(seconds()).toBeGreaterThanOrEqual(BigInt(expiration)), { timeout: 10_000 });
  await testClient.mine({ blocks: 1 });
  return [
    { name: 'expired usage key', headers: key(expired), key: { kind: 'expired' } },
    { name: 'removed usage key', headers: key(removed), key: unknown },
  ];
}

/** Proofs in X-Wallet-Auth, alone and next to keys. */
async function wallets({ home, converted, chainSecured }: Accounts): Promise<Caller[]> {
  const billing = { primaryType: 'BillingAuth' } as const;
  const by = async ({ address, signDigest }: AdminWallet, claim: object = {}) =>
    walletAuth(await proofOf({ ...billing, address, ...claim }, signDigest));
  const { admin, former } = chainSecured;
  const secret = `0x${Buffer.from(home.key, 'base64').toString('hex')}` as const;
  const right = await by(admin);
  const signedByStranger = walletAuth(
    await proofOf({ ...billing, address: admin.address }, (await eoa()).signDigest),
  );
  const wallet = { kind: 'admin', account: 'chainSecured' } as const;
  const refused = { kind: 'refused' } as const;
  const own = { kind: 'account', account: 'home' } as const;
  return [
    { name: 'admin wallet', headers: right, key: none, wallet },
    {
      name: 'admin wallet after conversion',
      headers: await by(converted.admin),
      key: none,
      wallet: { kind: 'admin', account: 'converted' },
    },
    { name: 'admin wallet before account key', headers: { ...right, ...key(home.key) }, key: own, wallet },
    { name: 'former admin wallet', headers: await by(former), key: none, wallet: refused },
    { name: 'wallet without an account', headers: await by(await eoa()), key: none, wallet: refused },
    {
      name: 'wallet of a managed account',
      headers: walletAuth(await proofOf({ ...billing, address: home.wallet }, signerOf(secret))),
      key: none,
      wallet: refused,
    },
    { name: 'proof signed by another', headers: signedByStranger, key: none, wallet: refused },
    {
      name: 'proof for another flow',
      headers: await by(admin, { primaryType: 'CreateWallet' }),
      key: none,
      wallet: refused,
    },
    { name: 'proof of another chain', headers: await by(admin, { chainId: 1n }), key: none, wallet: refused },
    {
      name: 'expired proof',
      headers: await by(admin, { issuedAt: seconds() - 400n }),
      key: none,
      wallet: refused,
    },
    {
      name: 'proof of the future',
      headers: await by(admin, { issuedAt: seconds() + 900n }),
      key: none,
      wallet: refused,
    },
    {
      name: 'expired proof beside account key',
      headers: { ...(await by(admin, { issuedAt: seconds() - 400n })), ...key(home.key) },
      key: own,
      wallet: refused,
    },
    { name: 'garbage as proof', headers: { 'X-Wallet-Auth': 'not a proof' }, key: none },
    {
      name: 'garbage as proof beside account key',
      headers: { 'X-Wallet-Auth': 'bm8gSlNPTg==', ...key(home.key) },
      key: own,
    },
  ];
}

export async function openCallers(accounts: Accounts): Promise<Caller[]> {
  const made = await Promise.all([usageKeys(accounts), endedKeys(accounts), wallets(accounts)]);
  return [...strangers(), ...accountKeys(accounts), ...made.flat()];
}
