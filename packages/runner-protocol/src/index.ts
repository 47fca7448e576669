export {
  type ApprovalProof,
  type ApprovalRequest,
  ApprovalRequiredError,
  approvalProof,
  approvalRequest,
  hasPasskeys,
  LONGEST_APPROVAL_SEC,
  MAX_PROOFS,
} from './approvals.ts';
export { checked } from './checked.ts';
export { ActionError, type RunError, RuntimeUnavailableError, toRunError } from './errors.ts';
export { GOING_AWAY, keepAlive } from './keep-alive.ts';
export { defaultLimits, type RunLimits } from './limits.ts';
export {
  type AllowanceRequest,
  type Failure,
  type FromRunner,
  fromRunner,
  type KeyOperation,
  keyOperations,
  type Load,
  MAX_HOST_CHARS,
  MAX_RPC_METHOD_CHARS,
  MAX_RPC_PARAMS_CHARS,
  type ToRunner,
  toRunner,
} from './messages.ts';
export { abortError, failedResult, noUsage, type RunResult, type RunUsage } from './run-result.ts';
export { socketPath } from './socket-path.ts';
export {
  type FormsToSign,
  formsToSign,
  MAX_SIGNINGS,
  type SendRequest,
  sendRequest,
  unsignedForms,
} from './transactions.ts';
export { MAX_MESSAGE_BYTES, readMessage, writeMessage } from './wire.ts';
