import { defineWrite } from '../define-write.ts';
import { exampleGroupMembers, groupMembers } from './group-members.ts';

export const removeFromGroup = defineWrite({
  path: 'remove_from_group',
  tag: 'groups',
  summary: 'Removes actions and wallets from a group',
  description:
    'Removes all of them or none. A usage key needs the group in manage_ipfs_ids_in_groups for actions, and in remove_pkp_from_groups ' +
    'for wallets.',
  auth: 'key',
  body: groupMembers,
  example: exampleGroupMembers,
  function: 'removeFromGroup',
  args: (key, body) => [key, body.group_id, body.cid_hashes, body.pkp_ids],
});
