import { isDeepStrictEqual } from 'node:util';
import type { ClaimedRun } from './claim.ts';

export type Params = { js_params: Record<string, unknown>; json_params?: Record<string, string> };

/**
 * Returns the parameters of a run as the relayer takes them. The body of a webhook is sent once: the relayer makes `event` from
 * `event_raw` where that gives the same value.
 */
export function toParams({ defaultParams, input }: Pick<ClaimedRun, 'defaultParams' | 'input'>): Params {
  const params = { ...defaultParams, ...input };
  const { event, ...others } = params;
  const { event_raw: raw } = others;
  if (typeof raw !== 'string' || !('event' in params) || !isDeepStrictEqual(event, parsed(raw)))
    return { js_params: params };
  return { js_params: others, json_params: { event: 'event_raw' } };
}

/** Returns the value that the relayer makes of a text: its JSON after a byte order mark, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return text;
  }
}
