/** The state of the contract as plain maps, sets and lists: the model writes it, events rebuild it. */
import { walletIdentity } from '@latchkey/protocol';
import type { Address } from 'viem';

/** Entries are in the order of creation. A removed entry keeps its position, which is its index in the lists. */
interface Entry {
  removed: boolean;
  name: string;
  description: string;
}

/** The four permission lists of a usage key: group ids, also of removed groups; 0 means all groups. */
export const LISTS = [
  'manageIPFSIdsInGroups',
  'addPkpToGroups',
  'removePkpFromGroups',
  'executeInGroups',
] as const;
export type List = (typeof LISTS)[number];
export type Lists<T> = Record<List, T>;

export interface Flags {
  createGroups: boolean;
  deleteGroups: boolean;
  createPKPs: boolean;
}

export interface UsageKey extends Entry, Flags, Lists<Set<bigint>> {
  hash: bigint;
  /** Unix seconds, 0 for never. */
  expiration: bigint;
  balance: bigint;
}

export interface Group extends Entry {
  /** 0 permits every action. */
  actions: Set<bigint>;
  /** The zero address permits every wallet of the account. */
  wallets: Set<Address>;
}

export interface Action extends Entry {
  hash: bigint;
}

export interface Wallet extends Entry {
  address: Address;
  derivationPath: bigint;
}

export interface Account {
  masterHash: bigint;
  admin: Address;
  managed: boolean;
  /** True when the master hash is the identity of a wallet that chose the account. */
  claimed: boolean;
  /** True when the account key was replaced, so that the master hash names nothing, except in writes by an admin wallet. */
  rotated: boolean;
  /** The wallet that transferred the account, while the admin has not accepted it, otherwise the zero address. */
  giver: Address;
  name: string;
  description: string;
  usageKeys: UsageKey[];
  /** Group `i + 1` is at index `i`. */
  groups: Group[];
  actions: Action[];
  wallets: Wallet[];
}

export interface State {
  /** By master hash. */
  accounts: Map<bigint, Account>;
  /** The master hash by wallet identity of every former or current admin that chose it, 0 when that account has ended. */
  aliases: Map<bigint, bigint>;
  /** Every wallet that chose an account: opened or accepted it, or was the target of a conversion. */
  admins: Set<Address>;
  /** The master hash of the last account that was transferred to a wallet by its identity, also when it does not wait any more. */
  waiting: Map<bigint, bigint>;
  /** The master hash by the hash of a current account key that replaced another, 0 for one of an ended account. */
  accountKeys: Map<bigint, bigint>;
  /**
   * The master hash by the hash of every current or removed usage key, 0 when the account has ended. The account may set a
   * removed one again.
   */
  usageKeys: Map<bigint, bigint>;
  /** The master hash by the hash of every account key or usage key that was replaced, 0 when the account has ended. */
  rotatedKeys: Map<bigint, bigint>;
  /** Master hashes of accounts that a wallet evicted. */
  evicted: Set<bigint>;
  /** Every key hash with which a managed account was opened. */
  openedKeyHashes: Set<bigint>;
  /** The master hash of the account by registered path, 0 when that account was evicted. */
  pathOwners: Map<bigint, bigint>;
  /** Number of accounts ever opened. */
  accountCount: bigint;
  /** Number of wallets ever registered. */
  pkpCount: bigint;
  owner: Address;
  pendingOwner: Address;
  apiPayers: Address[];
  payersFrozen: boolean;
  guardian: Address;
  /** Conversions per caller and UTC day, the largest number without a limit. */
  conversionLimit: bigint;
  /** True when an account converts only with the consent of its account key. */
  consentRequired: boolean;
  /** The counted conversions: the caller, a space, the UTC day. No event tells them. */
  conversions: Map<string, bigint>;
  adminApiPayer: Address;
  pricingOperator: Address;
  configOperator: Address;
  prices: Map<bigint, bigint>;
  nodeConfiguration: Map<string, string>;
  /** Used nonces of signed writes: the master hash or the identity of a wallet without an account, a space, the nonce. */
  nonces: Set<string>;
  /** The same with the holder of the nonces: the account under a key, or the wallet. */
  nonceHolders: Set<string>;
}

export const NOBODY: Address = '0x0000000000000000000000000000000000000000';

export const NO_LIMIT = 2n ** 256n - 1n;

const identities = new Map<Address, bigint>();

/** Returns the hash that names the account of a wallet. Cached: hashing takes longer than the rest of a call. */
export function identityOf(wallet: Address): bigint {
  const identity = identities.get(wallet) ?? walletIdentity(wallet);
  identities.set(wallet, identity);
  return identity;
}

export function emptyState(owner: Address): State {
  return {
    accounts: new Map(),
    aliases: new Map(),
    admins: new Set(),
    waiting: new Map(),
    accountKeys: new Map(),
    usageKeys: new Map(),
    rotatedKeys: new Map(),
    evicted: new Set(),
    openedKeyHashes: new Set(),
    pathOwners: new Map(),
    accountCount: 0n,
    pkpCount: 0n,
    owner,
    pendingOwner: NOBODY,
    apiPayers: [],
    payersFrozen: false,
    guardian: NOBODY,
    conversionLimit: NO_LIMIT,
    consentRequired: false,
    conversions: new Map(),
    adminApiPayer: NOBODY,
    pricingOperator: NOBODY,
    configOperator: NOBODY,
    prices: new Map(),
    nodeConfiguration: new Map(),
    nonces: new Set(),
    nonceHolders: new Set(),
  };
}

/** True for a hash that was ever one of an account, a chosen identity or a key. */
export function isKnown(state: State, hash: bigint): boolean {
  const { accounts, aliases, accountKeys, usageKeys, rotatedKeys, evicted } = state;
  return [accounts, aliases, accountKeys, usageKeys, rotatedKeys, evicted].some((names) => names.has(hash));
}

/** Frees the identity of a wallet from what was put under it without the wallet. */
export function freeIdentity(state: State, wallet: Address): void {
  const { aliases, accountKeys, usageKeys, rotatedKeys, waiting, evicted } = state;
  for (const names of [aliases, accountKeys, usageKeys, rotatedKeys, waiting, evicted]) {
    names.delete(identityOf(wallet));
  }
}

/** Ends an account: its names stay and name nothing. */
export function endAccount(state: State, masterHash: bigint): void {
  state.accounts.delete(masterHash);
  const { aliases, accountKeys, usageKeys, rotatedKeys, waiting, pathOwners } = state;
  for (const names of [aliases, accountKeys, usageKeys, rotatedKeys, waiting, pathOwners]) {
    for (const [name, master] of names) if (master === masterHash) names.set(name, 0n);
  }
}

/** Returns the entries that are not removed. */
export function live<T extends Entry>(entries: T[]): T[] {
  return entries.filter(({ removed }) => !removed);
}

/** Returns a deep copy (structuredClone takes ten times as long). */
export function copy<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Map) return new Map([...value].map(([key, entry]) => [key, copyOf(entry)]));
  if (value instanceof Set) return new Set(value);
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = copyOf((value as Record<string, unknown>)[key]);
  return result;
}

/** Returns where and how two values of plain data first differ, or undefined. Maps and sets have no order. */
export function difference(expected: unknown, found: unknown, path = ''): string | undefined {
  if (Object.is(expected, found)) return undefined;
  if (expected instanceof Set && found instanceof Set) {
    const missing = [...expected].find((value) => !found.has(value));
    const extra = [...found].find((value) => !expected.has(value));
    if (missing !== undefined) return `${path}: ${show(missing)} is missing`;
    return extra === undefined ? undefined : `${path}: ${show(extra)} is unexpected`;
  }
  if (expected instanceof Map && found instanceof Map) {
    for (const [key, value] of expected) {
      if (!found.has(key)) return `${path}: ${show(key)} is missing`;
      const inside = difference(value, found.get(key), `${path}[${show(key)}]`);
      if (inside !== undefined) return inside;
    }
    const extra = [...found.keys()].find((key) => !expected.has(key));
    return extra === undefined ? undefined : `${path}: ${show(extra)} is unexpected`;
  }
  if (typeof expected !== 'object' || typeof found !== 'object' || expected === null || found === null) {
    return `${path}: expected ${show(expected)}, found ${show(found)}`;
  }
  const [left, right] = [expected as Record<string, unknown>, found as Record<string, unknown>];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inside = difference(left[key], right[key], path === '' ? key : `${path}.${key}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Returns a value on one line, large numbers in hexadecimal. */
export function show(value: unknown): string {
  if (typeof value === 'bigint') return value > 0xffffffffn ? `0x${value.toString(16)}` : value.toString();
  if (typeof value === 'string') {
    if (value.startsWith('0x')) return value;
    return value.length > 50 ? `"${value.slice(0, 10)}…" of ${value.length}` : JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, entry]) => `${key}: ${show(entry)}`)
      .join(', ')} }`;
  }
  return String(value);
}
