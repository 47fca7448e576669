/** Which requests the page shows: one filter at a time, as the relayer has them, in the search parameters of the page. */
import type { ListRequestsParameters, RequestOutcome } from '@latchkey/sdk';
import { t } from '../../i18n.ts';

export const outcomeNames: { [outcome in RequestOutcome]: string } = {
  success: t('Succeeded'),
  refused: t('Refused'),
  failed: t('Failed'),
  aborted: t('Aborted'),
};

export type Shown = { outcome?: RequestOutcome; key?: string; route?: string };

/** Returns the first filter that the search parameters name. Drops malformed ones. */
export function readShown({ outcome, key, route }: Record<string, unknown>): Shown {
  if (typeof outcome === 'string' && Object.hasOwn(outcomeNames, outcome))
    return { outcome: outcome as RequestOutcome };
  if (typeof key === 'string' && /^0x[0-9a-f]{64}$/i.test(key)) return { key };
  if (typeof route === 'string' && /^\/[\w/:.-]{1,199}$/.test(route)) return { route };
  return {};
}

export const toParameters = ({ outcome, key, route }: Shown): ListRequestsParameters => ({
  outcome,
  key: key === undefined ? undefined : BigInt(key),
  route,
});
