export type { HashState } from '@latchkey/protocol';
export * from './acceptance.ts';
export { type AccountChange, type ComparedExport, diffExport } from './account-difference.ts';
export * from './account-export.ts';
export * from './account-history.ts';
export type { AccountState } from './account-state.ts';
export * from './accounts.ts';
export * from './action-codes.ts';
export {
  type ActionVersionParameters,
  type ApiSeries,
  prepareActionVersion,
} from './action-versions.ts';
export * from './actions.ts';
export * from './allowances.ts';
export * from './approvals.ts';
export * from './auto-top-up.ts';
export {
  type ApiBareClient,
  type ApiParameters,
  type BareClient,
  type ChainSecuredBareClient,
  type ChainSecuredParameters,
  createBareClient,
  type IndexedParameters,
  type SharedParameters,
  type UnindexedParameters,
  type Wallet,
} from './bare-client.ts';
export {
  type BareTriggersClient,
  createBareTriggersClient,
  type TriggersParameters,
} from './bare-triggers-client.ts';
export { type BatchResult, batch, prepareBatch, type ResultsOf } from './batch.ts';
export * from './billing.ts';
export * from './chain-information.ts';
export {
  type ApiClient,
  type ApiWrites,
  type BoundPrepare,
  type BoundWrite,
  type ChainSecuredClient,
  type ChainSecuredWrites,
  createClient,
  type Operations,
  type Preparations,
  type Writes,
} from './client.ts';
export type { CallOptions } from './deadline.ts';
export {
  ContractError,
  type ContractErrorArguments,
  type ContractErrorName,
  type ErrorCode,
  type ErrorDetails,
  HttpError,
  type HttpErrorCode,
  LatchkeyError,
  SignatureRejectedError,
} from './errors.ts';
export * from './explain-execution.ts';
export type { GroupContents } from './group-contents.ts';
export * from './group-members.ts';
export * from './groups.ts';
export {
  type KeyNodeHead,
  type KeyRelease,
  type KeyReleasesEnd,
  type ListKeyReleasesParameters,
  type ListKeyReleasesResult,
  listKeyReleases,
  type VerifyKeyReleasesParameters,
  verifyKeyReleases,
} from './key-releases.ts';
export type { Labels, LabelsBySource, Page, PageParameters } from './pages.ts';
export {
  type RunReceipt,
  type SignedReceipt,
  type VerifyReceiptParameters,
  verifyReceipt,
} from './receipts.ts';
export { isRefusal } from './refusals.ts';
export type { UsageKey } from './run-key.ts';
export * from './run-records.ts';
export * from './runs.ts';
export * from './secrets.ts';
export * from './transactions.ts';
export * from './trigger-alerts.ts';
export * from './trigger-export.ts';
export type { FollowerState } from './trigger-follower.ts';
export * from './trigger-forms.ts';
export * from './trigger-runs.ts';
export * from './triggers.ts';
export * from './triggers-access.ts';
export {
  createTriggersClient,
  type TriggerOperations,
  type TriggersClient,
} from './triggers-client.ts';
export {
  logInToTriggers,
  type TriggersLogin,
  type TriggersLoginParameters,
} from './triggers-login.ts';
export * from './triggers-pairing.ts';
export type { OffsetPageParameters } from './triggers-request.ts';
export type {
  AddUsageApiKeyParameters,
  AllCapsOf,
  Caps,
  CapsOf,
  Permissions,
  UsageApiKeyParameters,
} from './usage-key-fields.ts';
export * from './usage-key-settings.ts';
export * from './usage-keys.ts';
export { cidHash, usageKeyHash } from './values.ts';
export {
  type AddressCertificate,
  type VerifyWalletAddressParameters,
  verifyWalletAddress,
} from './wallet-certificate.ts';
export * from './wallets.ts';
export type { WebhookDelivery, WebhookDeliveryStatus } from './webhook-delivery.ts';
export * from './webhooks.ts';
export { type Preparable, prepare, type WriteFunction } from './write.ts';
export type {
  ApiPrepared,
  ChainSecuredPrepared,
  DecodedCall,
  Estimate,
  Prepared,
  PrepareOptions,
  WriteOptions,
  Written,
} from './write-definition.ts';
