import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Names and array indices, separated by dots: `event.order.id`, `event.items.0.sku`, `headers.x-github-event.0`. */
export const KEY_PATH = /^[^.\0]{1,100}(?:\.[^.\0]{1,100}){0,9}$/;
const MAX_TEXT = 200;
/** PostgreSQL stores no NUL. */
const NO_NUL = /^[^\0]*$/;
/** Prefixes of stored keys of the account. No path begins with a dot. */
const ACCOUNT_PATH = '.account.';
const ACCOUNT_VALUE = '.value.';
/** Prefix of the key of a run that is one of the account. Other keys are hashes, without spaces. */
const ACCOUNT = 'account ';

const path = z.string().max(500).regex(KEY_PATH, 'expected up to 10 names separated by dots');

export const concurrencyKey = z.union([
  path,
  z.strictObject({ path, scope: z.enum(['trigger', 'account']) }),
  z.strictObject({ value: z.string().min(1).max(MAX_TEXT).regex(NO_NUL, 'expected text without NUL') }),
]);
export type ConcurrencyKey = z.output<typeof concurrencyKey>;

/** Returns the key of a trigger as it is stored. */
export function toStored(key: ConcurrencyKey): string {
  if (typeof key === 'string') return key;
  if ('value' in key) return ACCOUNT_VALUE + key.value;
  return key.scope === 'account' ? ACCOUNT_PATH + key.path : key.path;
}

export function fromStored(stored: string): ConcurrencyKey {
  if (stored.startsWith(ACCOUNT_VALUE)) return { value: stored.slice(ACCOUNT_VALUE.length) };
  if (stored.startsWith(ACCOUNT_PATH)) return { path: stored.slice(ACCOUNT_PATH.length), scope: 'account' };
  return stored;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the key of a run with this input; null when its trigger has no key, or there is no value at its path. */
export function toConcurrencyKey(stored: string | null, input: Record<string, unknown>): string | null {
  if (stored === null) return null;
  const key = fromStored(stored);
  if (typeof key === 'object' && 'value' in key) return ACCOUNT + key.value;
  const value = valueAt(typeof key === 'string' ? key : key.path, input);
  if (value === undefined || value === null) return null;
  const json = JSON.stringify(value);
  if (typeof key === 'string') return hash(json);
  const text = typeof value === 'string' ? value : json;
  const isPlain = text !== '' && text.length <= MAX_TEXT && NO_NUL.test(text);
  return ACCOUNT + (isPlain ? text : hash(json));
}

/** Returns the `concurrency_key` of the request to the relayer: null unless the key of the run is one of the account. */
export const accountKeyOf = (ofRun: string | null): string | null =>
  ofRun?.startsWith(ACCOUNT) ? ofRun.slice(ACCOUNT.length) : null;

/** Only own properties count, so that no input reaches a prototype. */
function valueAt(path: string, input: unknown): unknown {
  let value = input;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
