/** States in the order of `HashState` of the contract's `IViewsFacet`, which `accountState` returns by its number. */
const hashStates = ['unused', 'account', 'usageKey', 'waiting', 'rotated', 'removed', 'ended'] as const;

/**
 * - `unused`: the contract does not know the hash.
 * - `account`: it names an account, as an account key or as the identity of a wallet that chose the account.
 * - `usageKey`: it names a usage key.
 * - `waiting`: it is the identity of a wallet that has no account, and an account waits for the wallet to accept it.
 * - `rotated`: the key was replaced by another one. It names nothing.
 * - `removed`: the usage key was removed. It names nothing.
 * - `ended`: its account was retired. It names nothing.
 */
export type HashState = (typeof hashStates)[number];

/** Returns the state with this number of the contract. */
export function hashStateOf(number: number): HashState {
  const state = hashStates[number];
  if (state === undefined)
    throw new Error(`the contract has a state of hashes ${number} that this version does not know`);
  return state;
}

/** True when the hash names an account, or a usage key of one. */
export const namesAccount = (state: HashState): boolean => state === 'account' || state === 'usageKey';
