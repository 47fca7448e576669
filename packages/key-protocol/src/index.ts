export { createIdentity, type Identity, isSignedBy } from './identity.ts';
export { createRecipient, type Recipient, sealPartial } from './recipient.ts';
export {
  cosign,
  createStatement,
  GROUP_CONFIGURATION,
  type KeyPurpose,
  type KeyRequest,
  KeyRequestError,
  type KeyStatement,
  keyRequest,
  MAX_LIFETIME_MS,
  type SignedStatement,
  signedStatement,
  signStatement,
  verifyRequest,
  verifyStatement,
} from './request.ts';
