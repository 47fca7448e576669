export {
  APPROVED_NODES_CONFIGURATION,
  type ApprovedNodes,
  decodeApprovedNodes,
  encodeApprovedNodes,
} from './approved-nodes.ts';
export {
  type Evidence,
  evidence,
  isRunnerAttestation,
  type QuoteSubject,
  type RunnerAttestation,
  reportData,
  runnerAttestation,
  signRunnerAttestation,
} from './attestation.ts';
export {
  type DealingMessage,
  dealingMessage,
  encryptionKeyOf,
  isDealingMessage,
  openSubshare,
  sealSubshare,
  signDealingMessage,
} from './dealing-message.ts';
export { createIdentity, type Identity, isSignedBy } from './identity.ts';
export {
  type DealingAction,
  MAX_COMMAND_LIFETIME_MS,
  type SignedCommand,
  signCommand,
  signedCommand,
  verifyCommand,
} from './operator-command.ts';
export {
  type Invitation,
  invitation,
  isInvitation,
  type Participant,
  participant,
  sessionOf,
  signInvitation,
} from './participant.ts';
export { createRecipient, type PartialSealer, partialSealerFor, type Recipient } from './recipient.ts';
export {
  hashOfEntry,
  MAX_ENTRIES,
  NO_ENTRY,
  type ReleaseEntry,
  type ReleaseHead,
  type ReleaseQuery,
  releaseEntry,
  type SignedReleaseQuery,
  signedReleaseQuery,
  signHead,
  signReleaseQuery,
  verifyReleaseQuery,
} from './release-log.ts';
export {
  cosign,
  createStatement,
  type EvaluationPurpose,
  GROUP_CONFIGURATION,
  isOfRelayer,
  type KeyPurpose,
  type KeyRequest,
  KeyRequestError,
  KeyRequestUnavailableError,
  type KeyStatement,
  keyRequest,
  LIFETIME_MS,
  MAX_NONCES,
  MAX_SIGNED_BYTES,
  MAX_SKEW_MS,
  NOT_EXPORTABLE,
  type SignedStatement,
  signedStatement,
  signStatement,
  verifyRequest,
  type WalletUse,
} from './request.ts';
