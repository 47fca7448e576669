/** Hashes of keys, which name them without authority. */
import { apiKeyHash } from '@latchkey/protocol';
import { SealError, type Sealer } from '@latchkey/service/sealer';
import { numberToHex } from 'viem';

export const keyHash = (key: string): string => numberToHex(apiKeyHash(key), { size: 32 });

/** The hash of the usage key of a trigger; null when the stored key cannot be decrypted. */
export function keyHashOf(
  { id, usageApiKey: sealed }: { id: string; usageApiKey: Parameters<Sealer['openText']>[0] },
  { sealer }: { sealer: Pick<Sealer, 'openText'> },
): string | null {
  try {
    return keyHash(sealer.openText(sealed, id));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
