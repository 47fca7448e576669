/** `HashState` of the contract's `IViewsFacet`, as `accountState` returns it. Hashes in the other states name nothing. */
export const hashState = { account: 1, usageKey: 2, waiting: 3 } as const;

/** True when the hash names an account, or a usage key of one. */
export const namesAccount = (state: number): boolean =>
  state === hashState.account || state === hashState.usageKey;
