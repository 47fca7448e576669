/** Signed writes on the model. */
import { buildConsent, buildSignedWrites, type ConsentType } from '@latchkey/protocol';
import { type Address, type Hex, hashTypedData } from 'viem';
import { type Call, encodeCall, encodeResult } from './abi.ts';
import { LOWER_BITS, type Model, Revert, type Writes } from './model.ts';
import { CHAIN_ID, signingKeyOf } from './pools.ts';
import type { Signed } from './signatures.ts';
import { identityOf, NOBODY } from './state.ts';
import type { ViewFunctions } from './views.ts';

/** Every write that takes the hash of an account and is not for api payers, and newChainSecuredAccount. */
const SIGNABLE = new Set([
  ...['newChainSecuredAccount', 'transferChainSecuredAccountOwnership', 'retireAccount'],
  ...['acceptAccount', 'cancelTransfer', 'cancelNonce'],
  ...['setUsageApiKey', 'updateUsageApiKeyMetadata', 'setUsageApiKeyExpiration', 'rotateUsageApiKey'],
  ...['removeUsageApiKey', 'removeAllUsageApiKeys'],
  ...['addGroup', 'updateGroup', 'updateGroupMetadata', 'removeGroup', 'addToGroup', 'removeFromGroup'],
  ...['addAction', 'removeAction', 'updateActionMetadata', 'addActionToGroup', 'removeActionFromGroup'],
  ...['registerWalletDerivation', 'removeWalletDerivation', 'addPkpToGroup', 'removePkpFromGroup'],
]);
const MAX_CALLS = 16;

/** Returns the digest that the wallet signs, by the typed data that the SDK shows to it. */
export function digestOf(
  contract: Address,
  signer: Address,
  calls: Call[],
  nonce: bigint,
  deadline: bigint,
): Hex {
  const encoded = calls.map(encodeCall);
  const typedData = buildSignedWrites({
    chainId: CHAIN_ID,
    contractAddress: contract,
    calls: encoded,
    signer,
    nonce,
    deadline,
  });
  return hashTypedData(typedData as never);
}

/** A message of a consent. */
export type Consented = { apiKeyHash: bigint; deadline: bigint };

/** Returns the digest that the key of an account signs. */
export function consentDigestOf(contract: Address, type: ConsentType, message: Consented): Hex {
  const options = { chainId: CHAIN_ID, contractAddress: contract };
  return hashTypedData(buildConsent(options, type, message as never) as never);
}

function checkCalls(hash: bigint, calls: Call[]): void {
  if (calls.length === 0 || calls.length > MAX_CALLS)
    throw new Revert('SignedCallsOutOfRange', BigInt(calls.length), BigInt(MAX_CALLS));
  for (const [i, call] of calls.entries()) {
    if (!SIGNABLE.has(call.name))
      throw new Revert('NotSignable', BigInt(i), encodeCall(call).slice(0, 10).padEnd(10, '0'));
    if (call.name !== 'newChainSecuredAccount' && call.args[0] !== hash)
      throw new Revert('CallOfAnotherAccount', BigInt(i), call.args[0]);
  }
}

/** A holder of nonces: an account, or a wallet without one by its identity. */
interface Holder {
  masterHash: bigint;
  kind: 'wallet' | 'key';
}

function holderOf(model: Model, hash: bigint): Holder {
  const account = model.namedInWrite(hash)?.account;
  if (account === undefined || account.managed) return { masterHash: hash, kind: 'wallet' };
  const { masterHash } = account;
  return { masterHash, kind: model.state.openedKeyHashes.has(masterHash) ? 'key' : 'wallet' };
}

const showHolder = ({ kind, masterHash }: Holder, nonce: bigint) =>
  `${kind} ${masterHash & LOWER_BITS} ${nonce}`;

/** The nonces that a wallet used under its identity stay used under it. */
function isUsed({ state }: Model, hash: bigint, holder: Holder, nonce: bigint): boolean {
  const byIdentity: Holder = { masterHash: hash, kind: 'wallet' };
  return [holder, byIdentity].some((one) => state.nonceHolders.has(showHolder(one, nonce)));
}

/** @param run Runs a call of `model.caller`. */
export function signedWrites(model: Model, run: (call: Call) => unknown[]): Writes {
  const use = (hash: bigint, holder: Holder, nonce: bigint) => {
    const { nonces, nonceHolders } = model.state;
    if (isUsed(model, hash, holder, nonce)) throw new Revert('NonceAlreadyUsed', hash, nonce);
    nonceHolders.add(showHolder(holder, nonce));
    nonces.add(`${holder.masterHash} ${nonce}`);
  };
  /** Returns the holder of the nonces that the signer uses. */
  const authorise = (hash: bigint, signer: Address, first?: string): Holder => {
    const found = model.namedInWrite(hash);
    const secured = found?.account.managed === false ? found.account : undefined;
    const takesBack = first === 'cancelTransfer' && secured?.giver === signer;
    if (secured?.admin === signer || (signer !== NOBODY && takesBack)) return holderOf(model, hash);
    if (hash === identityOf(signer) && !model.state.admins.has(signer))
      return { masterHash: hash, kind: 'wallet' };
    if (found === undefined) throw new Revert('AccountDoesNotExist', hash);
    if (secured === undefined) throw new Revert('AccountIsManaged', hash);
    throw new Revert('NoAccountAccess', hash, signer);
  };
  return {
    executeSigned: (
      hash: bigint,
      signer: Address,
      calls: Call[],
      nonce: bigint,
      deadline: bigint,
      signed: Signed,
    ) => {
      if (model.now > deadline) throw new Revert('SignatureExpired', deadline);
      checkCalls(hash, calls);
      const holder = authorise(hash, signer, calls[0]?.name);
      if (signer === NOBODY || signed.signer !== signingKeyOf(signer)) {
        throw new Revert('InvalidSignature', signer);
      }
      const submitter = model.caller;
      return model.atomically(() => {
        use(hash, holder, nonce);
        model.caller = signer;
        const results = calls.map((call) => encodeResult(call.name, run(call)));
        model.caller = submitter;
        const digest = digestOf(model.contract, signer, calls, nonce, deadline);
        model.emit('SignedWritesExecuted', holder.masterHash, signer, nonce, digest);
        return [results];
      });
    },
    cancelNonce: (hash: bigint, nonce: bigint) => {
      const holder = authorise(hash, model.caller);
      use(hash, holder, nonce);
      model.emit('NonceCancelled', holder.masterHash, model.caller, nonce);
      return [];
    },
  };
}

export function signedWriteViews(model: Model): ViewFunctions {
  return {
    isNonceUsed: (hash: bigint, nonce: bigint) => [isUsed(model, hash, holderOf(model, hash), nonce)],
    hashSignedWrites: (hash: bigint, signer: Address, calls: Call[], nonce: bigint, deadline: bigint) => {
      checkCalls(hash, calls);
      return [digestOf(model.contract, signer, calls, nonce, deadline)];
    },
    eip712Domain: () => [
      '0x0f',
      'Service ChainSecured',
      '1',
      BigInt(CHAIN_ID),
      model.contract,
      `0x${'00'.repeat(32)}`,
      [],
    ],
  };
}
