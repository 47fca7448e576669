import { defineWrite } from '../define-write.ts';
import { exampleGroupMembers, groupMembers } from './group-members.ts';

export const addToGroup = defineWrite({
  path: 'add_to_group',
  tag: 'groups',
  summary: 'Adds actions and wallets to a group',
  description:
    'Adds all of them or none. A usage key needs the group in manage_ipfs_ids_in_groups for actions, and in add_pkp_to_groups ' +
    'for wallets.',
  auth: 'key',
  body: groupMembers,
  example: exampleGroupMembers,
  function: 'addToGroup',
  args: (key, body) => [key, body.group_id, body.cid_hashes, body.pkp_ids],
});
