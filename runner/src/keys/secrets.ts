/** Asks the relayer for the ciphertext of a secret. The relayer can give another one: only the right one decrypts. */
import { isSecretName } from '@latchkey/protocol';
import { ActionError } from '@latchkey/runner-protocol';
import { checked } from '@latchkey/runner-protocol/checked';
import type { EncryptedSecret } from '@latchkey/runner-protocol/key-operation';
import { getAddress } from 'viem';
import { z } from 'zod';

/** Asks for a version of a secret, without one for the newest. */
export type SecretOf = (
  name: string,
  version: number | undefined,
) => Promise<{ version: number; wallet: string; ciphertext: string }>;

const version = z.int('is not a version: send the number that list_secrets returns').positive().optional();
const request = z.object({
  name: z
    .string('is not a string')
    .refine(isSecretName, 'is not a name: send at most 64 letters, digits and _, not first a digit'),
  version,
  minVersion: version,
  recipient: z.string(),
});

/** Returns the arguments of a key process. Rejects with an ActionError for wrong arguments and another version than the action accepts. */
export async function askSecret(
  secretOf: SecretOf,
  args: unknown,
): Promise<EncryptedSecret & { recipient: string }> {
  const { name, version, minVersion = 0, recipient } = checked(request, args);
  const found = await secretOf(name, version);
  if ((version !== undefined && found.version !== version) || found.version < minVersion)
    throw new ActionError(
      'SecretError',
      `the secret ${name} has version ${found.version}, not ${version ?? `${minVersion} or later`}`,
    );
  const { wallet, ciphertext } = found;
  return { name, version: found.version, pkpId: getAddress(wallet.toLowerCase()), ciphertext, recipient };
}
