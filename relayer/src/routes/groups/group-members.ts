import { addressOrWildcard, groupId, hashOrWildcard } from '@latchkey/http';
import { z } from 'zod';

/** Body of `add_to_group` and `remove_from_group`. */
export const groupMembers = z
  .object({
    group_id: groupId,
    cid_hashes: z.array(hashOrWildcard).max(10).default([]),
    pkp_ids: z.array(addressOrWildcard).max(10).default([]),
  })
  // The contract asks for a permission per kind of member: without members, every usage key could spend the account's credit.
  .refine(
    ({ cid_hashes, pkp_ids }) => cid_hashes.length + pkp_ids.length > 0,
    'send at least one entry in cid_hashes or pkp_ids',
  );

export const exampleGroupMembers = {
  group_id: '1',
  cid_hashes: ['0xd81a3989ee7bd419c797813dfc27dd567737973eabdc6fd38b72442a7af0b5b5'],
  pkp_ids: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
};
