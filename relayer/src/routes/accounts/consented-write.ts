/** Writes that carry the consent of the account key in the request. */
import type { ConsentType } from '@latchkey/protocol';
import type { Hex } from 'viem';
import type { ConsentingCaller } from '../../auth/authenticators.ts';
import type { ConsentFields } from '../../auth/consent.ts';
import type { Context } from '../../context.ts';

/**
 * Longer than a transaction waits for its block, with all repricing. Only api payers can send a consent, and a consent ends the hash or
 * the mode that it names, so a long validity grants nothing that the holder did not request.
 */
const CONSENT_SEC = 7 * 24 * 3_600;

export type Consented = { deadline: bigint; consent: Hex };

/** Signs the consent of a request. Retries get the same deadline: the outbox refuses a retry with other calldata. */
export async function consentTo<Type extends ConsentType>(
  { requestSeeds }: Pick<Context, 'requestSeeds'>,
  { caller, idempotencyId }: { caller: ConsentingCaller; idempotencyId: string | undefined },
  type: Type,
  fields: ConsentFields<Type>,
): Promise<Consented> {
  await requestSeeds.seedFor(idempotencyId);
  const make = async () => String(Math.floor(Date.now() / 1_000) + CONSENT_SEC);
  const deadline = BigInt(await requestSeeds.once(idempotencyId, make));
  return { deadline, consent: caller.signConsent(type, fields, deadline) };
}
