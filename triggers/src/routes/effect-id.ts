import { createHash, randomUUID } from 'node:crypto';

/**
 * Returns the id of what a request creates: the same UUID for all attempts of an idempotent request, also when the process of an
 * earlier attempt stopped before it stored the outcome. Random for other requests.
 */
export function effectId(idempotencyId: string | undefined, body: unknown): string {
  if (idempotencyId === undefined) return randomUUID();
  // The body is included, because the key can be used again with another body once its record has expired.
  const hash = createHash('sha256')
    .update(JSON.stringify([idempotencyId, body]))
    .digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(hash) ?? [];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
