/**
 * Pools of accounts, keys and ids for the sequences, small so that calls interact, and initial states near boundaries.
 */
import { walletIdentity } from '@latchkey/protocol';
import { type Address, getAddress, keccak256, numberToHex, stringToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Call } from './abi.ts';
import { CONTRACT_WALLET, CONTRACT_WALLET_OWNER, privateKeyOf } from './signatures.ts';
import { NOBODY } from './state.ts';

const hashOf = (text: string): bigint => BigInt(keccak256(stringToHex(text)));
export const addressOf = (value: bigint): Address => getAddress(numberToHex(value, { size: 20 }));
const names = new Map<Address, string>();
function actor(name: string): Address {
  const { address } = privateKeyToAccount(privateKeyOf(name));
  names.set(address, name);
  return address;
}
/** Returns the name of an actor, which signs by it. */
export const nameOf = (address: Address): string | undefined => names.get(address);

names.set(CONTRACT_WALLET, 'ada');

/** Returns the address of the key that signs for a wallet. */
export const signingKeyOf = (wallet: Address): Address =>
  wallet === CONTRACT_WALLET ? CONTRACT_WALLET_OWNER : wallet;

export const CHAIN_ID = 31_337;
/** Unix seconds of the first block. */
export const START = 1_800_000_000n;

export const SIGNERS = ['ada', 'bob', 'cyd'];
export const OWNER = actor('owner');
const PAYERS = [actor('payer'), actor('other payer')];
const CONFIG_OPERATOR = actor('config operator');
const PRICING_OPERATOR = actor('pricing operator');
/** Wallets that open, receive and transfer accounts. */
export const WALLETS = [...[...SIGNERS, 'dan', 'eve', 'fay'].map(actor), CONTRACT_WALLET];
const [ADA, BOB] = WALLETS as [Address, Address];
export const ACTORS = [OWNER, ...PAYERS, CONFIG_OPERATOR, PRICING_OPERATOR, ...WALLETS];

const HUGE = 2n ** 256n - 1n;
/** Returns a hash with the same lower 127 bits, which key the storage. */
export const twin = (hash: bigint): bigint => hash ^ (1n << 200n);

const MANAGED = hashOf('account 1');
const SQUATTED = WALLETS.slice(2, 6).map(walletIdentity);
export const ACCOUNT_HASHES = [
  MANAGED,
  hashOf('account 2'),
  hashOf('account 3'),
  ...SQUATTED,
  twin(MANAGED),
  twin(walletIdentity(ADA)),
  ...SQUATTED.slice(0, 2).map(twin),
  1n,
  HUGE,
  0n,
];
const USAGE_KEYS = [1, 2, 3, 4, 5].map((i) => hashOf(`usage key ${i}`));
export const USAGE_HASHES = [...USAGE_KEYS, ...USAGE_KEYS, ...SQUATTED, 2n, 1n << 127n, MANAGED, 0n];
export const ALL_HASHES = [
  ...new Set([...ACCOUNT_HASHES, ...USAGE_HASHES, ...WALLETS.map(walletIdentity), hashOf('nothing')]),
];

const CIDS = [1, 2, 3, 4, 5].map((i) => hashOf(`action ${i}`));
export const CID_HASHES = [...CIDS, ...CIDS, 0n, 0n, twin(CIDS[0] ?? 0n), 1n << 127n, HUGE, 3n];
const PKPS = [1, 2, 3, 4, 5].map((i) => addressOf(hashOf(`pkp ${i}`) >> 96n));
export const PKP_IDS = [
  ...PKPS,
  ...PKPS,
  NOBODY,
  NOBODY,
  addressOf(BigInt(PKPS[0] ?? 0) ^ (1n << 130n)),
  addressOf(1n << 127n),
  addressOf(2n ** 160n - 1n),
  ADA,
  // The lower bits of an action that may also exist.
  addressOf(3n),
];
const PATH_TAILS = [1n, 2n, 3n, 4n, 5n, 2n ** 96n - 1n];
/** Paths minted by the server (upper bits 0) and for wallets. */
export const PATHS = [NOBODY, NOBODY, ...WALLETS].flatMap((wallet) =>
  PATH_TAILS.map((tail) => (BigInt(wallet) << 96n) | tail),
);
export const ODD_GROUP_IDS = [0n, 1n, 2n, 64n, 256n, 1n << 30n, (1n << 128n) + 1n, HUGE];
/** Both sides of the boundaries of words of 64 and 256 bits, and of the window of a set. */
export const BORDER_GROUP_IDS = [63, 64, 74, 75, 94, 95, 106, 107, 127, 128, 255, 256, 2047, 2048].map(
  BigInt,
);

export const CONFIGURATION_KEYS = ['limit', 'version', 'a'.repeat(128), 'é'];

// ---------------------------------------------------------------------------------------------- initial states

/** A call that prepares an initial state. */
export interface Preparation {
  caller: Address;
  call: Call;
}

const call = (caller: Address, name: string, ...args: unknown[]): Preparation => ({
  caller,
  call: { name, args },
});

/** Bundles the calls into transactions of 50. */
function inMulticalls(calls: Preparation[]): Preparation[] {
  const result: Preparation[] = [];
  for (let i = 0; i < calls.length; i += 50) {
    const some = calls.slice(i, i + 50);
    if (some[0] !== undefined) {
      result.push(
        call(
          some[0].caller,
          'multicall',
          some.map((one) => one.call),
        ),
      );
    }
  }
  return result;
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const settings: Preparation[] = [
  call(OWNER, 'setApiPayers', PAYERS),
  call(OWNER, 'setAdminApiPayerAccount', PAYERS[0]),
  call(OWNER, 'setConfigOperator', CONFIG_OPERATOR),
  call(OWNER, 'setPricingOperator', PRICING_OPERATOR),
];

/**
 * Returns calls that fill an account with groups, actions and wallets. The first group has 30 of each if there are as
 * many, more than a replacement clears; every tenth group, the last three and those at boundaries have some. Of large
 * accounts a few items are removed again.
 */
function filled(writer: Address, hash: bigint, counts: { groups: number; actions: number; wallets: number }) {
  const mintedFor = writer === PAYERS[0] ? 0n : BigInt(writer);
  const borders = BORDER_GROUP_IDS.filter((id) => id <= BigInt(counts.groups));
  const cid = (i: number) => BigInt(1000 + i);
  const pkp = (i: number) => addressOf(BigInt(5000 + i));
  const actions = times(counts.actions, (i) => call(writer, 'addAction', hash, '', '', cid(i)));
  const wallets = times(counts.wallets, (i) =>
    call(writer, 'registerWalletDerivation', hash, pkp(i), (mintedFor << 96n) | BigInt(5000 + i), '', ''),
  );
  const groups = times(counts.groups, (i) => {
    const holds = i % 10 === 0 || i >= counts.groups - 3 || borders.includes(BigInt(i) + 1n);
    const members = holds ? [i % counts.actions, counts.actions - 1, counts.actions - 2] : [];
    const [cids, pkps] = [members.map(cid), members.map((m) => pkp(m % counts.wallets))];
    return call(writer, 'addGroup', hash, '', '', cids, pkps);
  });
  const stuffed = times(Math.min(30, counts.actions, counts.wallets), (i) => [
    call(writer, 'addActionToGroup', hash, 1n, cid(i)),
    call(writer, 'addPkpToGroup', hash, 1n, pkp(i)),
  ]);
  const ends = [1n, BigInt(counts.groups - 1), BigInt(counts.groups)];
  const usageKeys = writer === PAYERS[0] ? USAGE_KEYS.slice(0, 2) : USAGE_KEYS.slice(2, 4);
  const keys = usageKeys.map((usageHash, i) => {
    const few = i === 0 || borders.length === 0 ? ends.slice(1) : borders;
    const lists = [[0n], ends, few, few];
    return call(writer, 'setUsageApiKey', hash, usageHash, 0n, 7n, 'key', '', true, i === 0, true, ...lists);
  });
  const gone = [
    call(writer, 'removeGroup', hash, 20n),
    call(writer, 'removeGroup', hash, 41n),
    call(writer, 'removeAction', hash, cid(25)),
    call(writer, 'removeWalletDerivation', hash, pkp(2)),
  ];
  const all = [...actions, ...wallets, ...groups, ...stuffed.flat(), ...keys];
  return inMulticalls(counts.groups > 50 ? [...all, ...gone] : all);
}

const openManaged = call(PAYERS[0] ?? NOBODY, 'newAccount', MANAGED, true, 'managed', '', BOB);
const openSecured = call(ADA, 'newChainSecuredAccount', 'secured', '');
const asPayer = (groups: number, actions: number, wallets: number) =>
  filled(PAYERS[0] ?? NOBODY, MANAGED, { groups, actions, wallets });
const asAda = (groups: number, actions: number, wallets: number) =>
  filled(ADA, walletIdentity(ADA), { groups, actions, wallets });

/** Initial states: almost empty ones, and accounts just below the boundaries of groups and items. */
export const INITIAL_STATES: Preparation[][] = [
  settings,
  [...settings, openManaged, openSecured, ...asPayer(3, 3, 3), ...asAda(4, 3, 2)],
  [...settings, openManaged, openSecured, ...asPayer(61, 72, 73)],
  [...settings, openManaged, openSecured, ...asPayer(72, 109, 110)],
  [...settings, openManaged, openSecured, ...asAda(92, 110, 109)],
  [...settings, openManaged, openSecured, ...asPayer(125, 253, 254)],
  [
    ...settings,
    openManaged,
    openSecured,
    ...asAda(253, 254, 253),
    ...inMulticalls(times(100, (i) => call(OWNER, 'setNodeConfiguration', `key ${i}`, 'value'))),
  ],
  [...settings, openManaged, openSecured, ...asAda(2045, 2045, 12)],
];
