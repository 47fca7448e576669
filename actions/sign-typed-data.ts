import type { TypedDataRequest } from '@latchkey/policy/evaluator';

/** Signs typed data (EIP-712), with the values that were compared with the policy. */
export async function signTypedData({ wallet, domain, types, primaryType, message }: TypedDataRequest) {
  return {
    signature: await Svc.Actions.signTypedData({ pkpId: wallet, domain, types, primaryType, message }),
  };
}
