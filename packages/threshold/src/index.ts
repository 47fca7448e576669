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
export { type Rng, type Suite, suites } from './group.ts';
export {
  decodeJointSetup,
  encodeJointSetup,
  type JointSetup,
  type JointState,
  jointAdvance,
  jointFaults,
  jointGeneration,
  jointMissing,
  jointOutcome,
  jointOutgoing,
  jointReceive,
  jointRefresh,
  jointResharing,
  jointResult,
  jointRound,
  rejectJointSubshare,
  startJoint,
  withoutShares,
} from './joint.ts';
export { type Round, rounds } from './messages.ts';
export {
  checkGroupParameters,
  checkSigningParameters,
  decodeGroupParameters,
  encodeGroupParameters,
  type GroupParameters,
  publishedParameters,
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
export {
  aggregate,
  type Commitment,
  createNonces,
  isCommitment,
  type KeyType,
  keyTypes,
  type Nonces,
  type SigningKey,
  type SigningSuite,
  signersOf,
  signingKey,
  signShare,
  suiteOf,
} from './signing.ts';
export type { DealingState, Party } from './state.ts';
