/** The actions and wallets of a group, in the words of changes and on the wire. */
import type { Address } from 'viem';
import { cidHash, listed } from './values.ts';

/** Actions and wallets of a group. */
export interface GroupContents {
  /**
   * CIDs or their hashes, at most 10; the hash 0 means every action. An unknown action that is added is registered with empty
   * labels.
   */
  cids?: readonly (string | bigint)[] | undefined;
  /** Addresses of wallets, at most 10; the zero address means every wallet of the account. */
  pkpIds?: readonly Address[] | undefined;
}

export const describeContents = ({ cids = [], pkpIds = [] }: GroupContents): string =>
  `${listed(cids, 'action')}; ${listed(pkpIds, 'wallet')}`;
export const hashesOf = ({ cids = [] }: GroupContents): bigint[] => cids.map(cidHash);
