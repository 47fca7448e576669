import type { MessageRequest } from '@latchkey/policy/evaluator';

/** Signs the bytes of a message (EIP-191). */
export async function signMessage({ wallet, bytes }: MessageRequest) {
  return { signature: await Svc.Actions.signMessage({ pkpId: wallet, message: { raw: bytes } }) };
}
