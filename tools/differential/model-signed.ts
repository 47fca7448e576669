/** Signed writes on the model. */
import { buildSignedWrites } from '@latchkey/protocol';
import { type Address, type Hex, hashTypedData } from 'viem';
import { type Call, encodeCall, encodeResult } from './abi.ts';
import { type Model, Revert, type Writes } from './model.ts';
import { CHAIN_ID } from './pools.ts';
import type { Signed } from './signatures.ts';
import { identityOf, NOBODY } from './state.ts';
import type { ViewFunctions } from './views.ts';

/** Every write that takes the hash of an account and is not for api payers, and newChainSecuredAccount. */
const SIGNABLE = new Set([
  ...['newChainSecuredAccount', 'transferChainSecuredAccountOwnership', 'retireAccount'],
  ...['setUsageApiKey', 'updateUsageApiKeyMetadata', 'setUsageApiKeyExpiration', 'rotateUsageApiKey'],
  ...['removeUsageApiKey', 'removeAllUsageApiKeys'],
  ...['addGroup', 'updateGroup', 'updateGroupMetadata', 'removeGroup', 'addToGroup', 'removeFromGroup'],
  ...['addAction', 'removeAction', 'updateActionMetadata', 'addActionToGroup', 'removeActionFromGroup'],
  ...['registerWalletDerivation', 'removeWalletDerivation', 'addPkpToGroup', 'removePkpFromGroup'],
]);
const MAX_CALLS = 16;

/** Returns the digest that the wallet signs, by the typed data that the SDK shows to it. */
export function digestOf(contract: Address, calls: Call[], nonce: bigint, deadline: bigint): Hex {
  const encoded = calls.map(encodeCall);
  const typedData = buildSignedWrites({
    chainId: CHAIN_ID,
    contractAddress: contract,
    calls: encoded,
    nonce,
    deadline,
  });
  return hashTypedData(typedData as never);
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

/** @param run Runs a call of `model.caller`. */
export function signedWrites(model: Model, run: (call: Call) => unknown[]): Writes {
  const use = (wallet: Address, nonce: bigint) => {
    const { nonces } = model.state;
    if (nonces.has(`${wallet} ${nonce}`)) throw new Revert('NonceAlreadyUsed', wallet, nonce);
    nonces.add(`${wallet} ${nonce}`);
  };
  /** Returns the account and its admin, or the wallet that opens one. */
  const verify = (hash: bigint, calls: Call[], { signer = NOBODY }: Signed): [bigint, Address] => {
    if (calls[0]?.name === 'newChainSecuredAccount') {
      if (identityOf(signer) !== hash) throw new Revert('InvalidSignature', signer);
      return [hash, signer];
    }
    const { account } = model.found(hash);
    if (account.managed) throw new Revert('AccountIsManaged', hash);
    if (signer !== account.admin) throw new Revert('InvalidSignature', account.admin);
    return [account.masterHash, signer];
  };
  return {
    executeSigned: (hash: bigint, calls: Call[], nonce: bigint, deadline: bigint, signed: Signed) => {
      if (model.now > deadline) throw new Revert('SignatureExpired', deadline);
      checkCalls(hash, calls);
      const [masterHash, wallet] = verify(hash, calls, signed);
      const submitter = model.caller;
      return model.atomically(() => {
        use(wallet, nonce);
        model.caller = wallet;
        const results = calls.map((call) => encodeResult(call.name, run(call)));
        model.caller = submitter;
        model.emit('SignedWritesExecuted', masterHash, wallet, nonce);
        return [results];
      });
    },
    cancelNonce: (nonce: bigint) => {
      use(model.caller, nonce);
      model.emit('NonceCancelled', model.caller, nonce);
      return [];
    },
  };
}

export function signedWriteViews(model: Model): ViewFunctions {
  return {
    isNonceUsed: (wallet: Address, nonce: bigint) => [model.state.nonces.has(`${wallet} ${nonce}`)],
    hashSignedWrites: (hash: bigint, calls: Call[], nonce: bigint, deadline: bigint) => {
      checkCalls(hash, calls);
      return [digestOf(model.contract, calls, nonce, deadline)];
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
