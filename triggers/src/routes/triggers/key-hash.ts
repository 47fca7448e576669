/** Hashes of usage keys, which name them without authority. */
import { apiKeyHash } from '@latchkey/protocol';
import { SealError } from '@latchkey/service/sealer';
import { numberToHex } from 'viem';
import type { Context } from '../../context.ts';
import type { Trigger } from '../../sources/source.ts';

export const keyHash = (key: string): string => numberToHex(apiKeyHash(key), { size: 32 });

/** The hash of the usage key of a trigger; null when the stored key cannot be decrypted. */
export function keyHashOf(
  { id, usageApiKey: sealed }: Trigger,
  { sealer }: Pick<Context, 'sealer'>,
): string | null {
  try {
    return keyHash(sealer.openText(sealed, id));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
