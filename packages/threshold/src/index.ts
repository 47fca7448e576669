export {
  advance,
  type DealingResult,
  dealingResult,
  missing,
  outgoing,
  receive,
  rejectSubshare,
  startDealing,
} from './dealing.ts';
export {
  decodeInput,
  deriveActionKey,
  deriveUsageKeySecret,
  deriveWalletKeys,
  encodeInput,
  type KeyRequest,
  type WalletKeys,
} from './derivation.ts';
export {
  checkShare,
  combine,
  decodePartial,
  elementOf,
  evaluate,
  evaluateUnproven,
  type PartialEvaluation,
  type Share,
  verifyPartial,
} from './evaluation.ts';
export { describeFault, type Fault, FaultError } from './fault.ts';
export type { Rng } from './group.ts';
export { type Round, rounds } from './messages.ts';
export {
  checkGroupParameters,
  decodeGroupParameters,
  encodeGroupParameters,
  type GroupParameters,
} from './parameters.ts';
export {
  checkSetup,
  type DealingSetup,
  decodeSetup,
  encodeSetup,
  generationSetup,
  refreshSetup,
  resharingSetup,
} from './setup.ts';
export type { DealingState, Party } from './state.ts';
