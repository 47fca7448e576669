import { createHash } from 'node:crypto';

/** Names and array indices, separated by dots: `event.order.id`, `event.items.0.sku`, `headers.x-github-event.0`. */
export const KEY_PATH = /^[^.\0]{1,100}(?:\.[^.\0]{1,100}){0,9}$/;

/**
 * Returns a hash of the value at `path` in the input of a run; null when there is no path or no value. Only own properties count,
 * so that no input reaches a prototype.
 */
export function toConcurrencyKey(path: string | null, input: Record<string, unknown>): string | null {
  if (path === null) return null;
  let value: unknown = input;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  if (value === undefined || value === null) return null;
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
