/** Filters of the runs, as they are in the search parameters of the page. */
import type { ListRunsParameters, RunStatus } from '@latchkey/sdk';

export const statuses: readonly RunStatus[] = ['running', 'success', 'failed', 'released'];

export type Filters = {
  /** Hash of a usage key: 0x and 64 hex digits. */
  key?: string;
  cid?: string;
  status?: RunStatus;
  /** Name of the error. */
  error?: string;
  /** Local times, as an input of a date and time has them. */
  from?: string;
  to?: string;
};

const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
const checks: { [name in keyof Filters]-?: (text: string) => boolean } = {
  key: isHash,
  cid: (text) => text.length <= 128,
  status: (text) => statuses.some((status) => status === text),
  error: (text) => text.length <= 128,
  from: isTime,
  to: isTime,
};

/** Returns the filters that search parameters name. Drops unknown and malformed ones. */
export function readFilters(search: Record<string, unknown>): Filters {
  return Object.fromEntries(
    Object.entries(checks).flatMap(([name, isValid]) => {
      const text = search[name] === undefined ? '' : String(search[name]);
      return text !== '' && isValid(text) ? [[name, text]] : [];
    }),
  );
}

export function toParameters({ key, cid, status, error, from, to }: Filters): ListRunsParameters {
  return {
    usageKey: key === undefined ? undefined : BigInt(key),
    cid,
    status,
    errorName: error,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}
