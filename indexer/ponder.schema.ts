import { index, onchainTable, primaryKey } from 'ponder';

// The state of an account by its events. uint256 values (hashes, ids, paths) are numbers here and hex on the wire.
// `position` is the id of the log that created the row. Ids sort like logs, so lists are in order of creation.

export const accounts = onchainTable('accounts', (t) => ({
  masterHash: t.bigint().primaryKey(),
  adminWallet: t.hex().notNull(),
  managed: t.boolean().notNull(),
  name: t.text().notNull(),
  description: t.text().notNull(),
}));

/** Aliases, former and current account keys, each with the account that it names. A master hash names itself without a row. */
export const names = onchainTable(
  'names',
  (t) => ({
    hash: t.bigint().primaryKey(),
    /** 0 for a hash that names no account. */
    masterHash: t.bigint().notNull(),
  }),
  (table) => ({ ofAccount: index().on(table.masterHash) }),
);

/** The lists are ascending and without duplicates, `[0]` for all groups. Removed groups are filtered on read. */
export const usageKeys = onchainTable(
  'usage_keys',
  (t) => ({
    hash: t.bigint().primaryKey(),
    masterHash: t.bigint().notNull(),
    position: t.text().notNull(),
    name: t.text().notNull(),
    description: t.text().notNull(),
    /** Unix seconds, 0 for never. */
    expiration: t.bigint().notNull(),
    balance: t.bigint().notNull(),
    createGroups: t.boolean().notNull(),
    deleteGroups: t.boolean().notNull(),
    createPkps: t.boolean().notNull(),
    manageIpfsIdsInGroups: t.bigint().array().notNull(),
    addPkpToGroups: t.bigint().array().notNull(),
    removePkpFromGroups: t.bigint().array().notNull(),
    executeInGroups: t.bigint().array().notNull(),
  }),
  (table) => ({ ofAccount: index().on(table.masterHash, table.position) }),
);

/** Group ids increase within an account: they are its order of creation. */
export const groups = onchainTable(
  'groups',
  (t) => ({
    masterHash: t.bigint().notNull(),
    groupId: t.bigint().notNull(),
    name: t.text().notNull(),
    description: t.text().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.masterHash, table.groupId] }) }),
);

/** Actions that a group permits; action hash 0 permits every action. */
export const groupActions = onchainTable(
  'group_actions',
  (t) => ({
    masterHash: t.bigint().notNull(),
    groupId: t.bigint().notNull(),
    actionHash: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.masterHash, table.groupId, table.actionHash] }) }),
);

/** Wallets that a group permits; wallet 0 permits every wallet of the account. */
export const groupWallets = onchainTable(
  'group_wallets',
  (t) => ({
    masterHash: t.bigint().notNull(),
    groupId: t.bigint().notNull(),
    wallet: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.masterHash, table.groupId, table.wallet] }) }),
);

export const actions = onchainTable(
  'actions',
  (t) => ({
    masterHash: t.bigint().notNull(),
    hash: t.bigint().notNull(),
    position: t.text().notNull(),
    name: t.text().notNull(),
    description: t.text().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.masterHash, table.hash] }),
    ofAccount: index().on(table.masterHash, table.position),
    byHash: index().on(table.hash),
  }),
);

export const wallets = onchainTable(
  'wallets',
  (t) => ({
    masterHash: t.bigint().notNull(),
    wallet: t.hex().notNull(),
    position: t.text().notNull(),
    derivationPath: t.bigint().notNull(),
    name: t.text().notNull(),
    description: t.text().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.masterHash, table.wallet] }),
    ofAccount: index().on(table.masterHash, table.position),
  }),
);

/** The logs of accounts, which changed them. Signed writes have one of their own, with the wallet that signed the others of their transaction. */
export const changes = onchainTable(
  'changes',
  (t) => ({
    masterHash: t.bigint().notNull(),
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    /** Unix seconds of the block. */
    at: t.bigint().notNull(),
    transactionHash: t.hex().notNull(),
    event: t.text().notNull(),
    /** The other arguments of the event, as JSON in their wire form. */
    data: t.text().notNull(),
    sender: t.hex().notNull(),
    /** Whether the sender was an api payer then. */
    isPayer: t.boolean().notNull(),
    /** The usage key in whose name an api payer sent it. */
    usageKeyHash: t.bigint(),
    signer: t.hex(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.masterHash, table.blockNumber, table.logIndex] }) }),
);

export const apiPayers = onchainTable('api_payers', (t) => ({
  payer: t.hex().primaryKey(),
}));
