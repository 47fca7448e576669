export type Flag = 'can_create_groups' | 'can_delete_groups' | 'can_create_pkps';
export type List =
  | 'manage_ipfs_ids_in_groups'
  | 'add_pkp_to_groups'
  | 'remove_pkp_from_groups'
  | 'execute_in_groups';

/** Permissions of a usage key; group ids in their wire form. */
export type Permissions = { [flag in Flag]?: boolean } & { [list in List]?: readonly string[] };
