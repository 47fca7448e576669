export type { Signer } from './lanes.ts';
export { withinCeiling } from './market.ts';
export {
  type Call,
  OtherRequestError,
  type Outbox,
  type OutboxOptions,
  openOutbox,
} from './outbox.ts';
export { readExtraFees } from './rollups.ts';
export { createStore, type NewTransaction, type Store, type StoredTransaction } from './store.ts';
export {
  createRescue,
  listPending,
  type PendingTransaction,
  StuckTransactionError,
} from './stuck.ts';
export { payerNonces, transactions } from './tables.ts';
