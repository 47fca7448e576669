export { readFees } from './fees.ts';
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
export { payerNonces, transactions, walletNonces, walletTransactions } from './tables.ts';
export { type SignedForms, type ToSign, UnsignedError } from './wallets/forms.ts';
export { type WalletCall, WalletCallError } from './wallets/prepare.ts';
export {
  createWalletStore,
  PendingLimitError,
  type StoredWalletTransaction,
  type WalletLimits,
  type WalletStore,
} from './wallets/store.ts';
export {
  openWalletOutbox,
  type WalletOutbox,
  type WalletOutboxOptions,
} from './wallets/wallet-outbox.ts';
