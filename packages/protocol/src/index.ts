export { parseAddress } from './address.ts';
export { type AllowanceStatement, buildAllowance } from './allowance.ts';
export {
  accountWalletAddress,
  apiKeyFromBytes,
  apiKeyHash,
  apiKeyToBytes,
  isApiKey,
  isApiKeyText,
} from './api-key.ts';
export {
  type ApprovalDecision,
  type ApprovalDeployment,
  type ApprovalStatement,
  approvalDigest,
  buildApproval,
} from './approval.ts';
export { cidHash, cidOf, isCidOf, MAX_CID_LENGTH, parseCid } from './cid.ts';
export { buildConsent, type ConsentMessage, type ConsentType } from './consents.ts';
export { type Deployment, parseDeployment } from './deployment.ts';
export { isExportable, markPath } from './derivation-path.ts';
export {
  buildTypedData,
  MAX_TYPED_DATA_BYTES,
  type PrimaryType,
  primaryTypes,
  TYPED_DATA_WINDOW_SECONDS,
  type TypedDataClaim,
  typedDataDigest,
} from './envelope.ts';
export { accountConfigAbi } from './generated/abi.ts';
export { type HashState, hashStateOf, namesAccount } from './hash-state.ts';
export { LOCAL_CHAIN_ID } from './local-chain.ts';
export { createRunEventReader, type RunEventReader, type RunReply } from './run-events.ts';
export {
  buildRunReceipt,
  paramsHash,
  RECEIPT_SIGNER_CONFIGURATION,
  type RunReceipt,
  responseHash,
  responseText,
  runReceiptType,
} from './run-receipt.ts';
export {
  isSecretName,
  MAX_SECRET_BYTES,
  SECRET_OVERHEAD_BYTES,
  type SecretVersion,
  secretContext,
} from './secret-context.ts';
export { recoverSigner, signatureBytes } from './signature.ts';
export {
  buildSignedWrites,
  decodeCall,
  type SignedWrites,
  type SignedWritesTypedData,
} from './signed-writes.ts';
export { JsonLimitError, parseStrictJson } from './strict-json.ts';
export { TIMELOCK_CODE_HASHES } from './timelock.ts';
export { checkTypedData, TypedDataError } from './typed-data.ts';
export { walletIdentity } from './wallet-identity.ts';
