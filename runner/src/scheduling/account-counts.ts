/** A number per account. An account whose number is 0 is absent. */
export type AccountCounts = Map<bigint, number>;

export const countFor = (counts: AccountCounts, account: bigint, change: 1 | -1): void => {
  const count = (counts.get(account) ?? 0) + change;
  if (count === 0) counts.delete(account);
  else counts.set(account, count);
};
