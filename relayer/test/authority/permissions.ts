export type Flag = 'can_create_groups' | 'can_delete_groups' | 'can_create_pkps';
export type List =
  | 'manage_ipfs_ids_in_groups'
  | 'add_pkp_to_groups'
  | 'remove_pkp_from_groups'
  | 'execute_in_groups';

/** Of a usage key; group ids as the wire has them. */
export type Permissions = { [flag in Flag]?: boolean } & { [list in List]?: readonly string[] };
