import type { HashRequest } from '@latchkey/policy/evaluator';

/** Signs a hash, which can be that of any message or transaction. */
export async function signHash({ wallet, hash }: HashRequest) {
  return { signature: await Svc.Actions.signHash({ pkpId: wallet, hash }) };
}
