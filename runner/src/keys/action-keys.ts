/**
 * Public keys of actions, signed by the key nodes. The public key of an action derives from its private key, which nodes give only to runs
 * of this action. Runs of other actions use the certificate that the relayer stored at the first run of the action. The relayer can withhold
 * a certificate, but not change it: the key nodes signed it.
 */
import { ActionError } from '@latchkey/runner-protocol';
import { compressedPublicKey } from '@latchkey/service/secp256k1';
import { deriveActionKey } from '@latchkey/threshold';
import { verifyGroupSignature } from '@latchkey/threshold/group-signature';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { AskNodes, Releases, RunOfKeys } from './releases.ts';

const certificate = z.strictObject({
  /** Compressed, 66 hexadecimal digits. */
  publicKey: z.string().regex(/^0[23][0-9a-f]{64}$/),
  /** Canonical text of the parameters of the group, of any epoch. */
  parameters: z.string(),
  partials: z.array(z.strictObject({ identifier: z.int(), partial: z.base64() })).max(16),
});

/** Lets the key nodes sign the public key of an action that the usage key may run. Resolves to the text of the certificate. */
export async function certifyAction(
  releases: Releases,
  ask: AskNodes,
  { runId: run, ...action }: RunOfKeys,
): Promise<string> {
  const { output } = await releases({ kind: 'action', ...action }, ask, undefined, run);
  const key = deriveActionKey(output);
  try {
    const publicKey = compressedPublicKey(key).slice(2);
    const { signature } = await releases(
      { kind: 'action-public-key', ...action, publicKey },
      ask,
      undefined,
      run,
    );
    return JSON.stringify(certificate.parse({ publicKey, ...signature }));
  } finally {
    for (const secret of [output, key]) secret.fill(0);
  }
}

/**
 * Returns the compressed public key of an action from its certificate. Throws an ActionError unless at least t nodes of the group
 * have signed it for this CID.
 */
export function publicKeyIn(text: string, cid: string, group: string): Hex {
  try {
    const { publicKey, ...signature } = certificate.parse(JSON.parse(text));
    verifyGroupSignature(group, { kind: 'action-public-key', cid, publicKey }, signature);
    return `0x${publicKey}`;
  } catch (error) {
    const reason = (error as Error).message;
    throw new ActionError('ActionKeyError', `the public key of the action ${cid} is not proven: ${reason}`);
  }
}
