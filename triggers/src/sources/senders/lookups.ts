/** Keys and certificates that a request names and a sender returns. */
import { serviceUnavailable } from '@latchkey/http';
import { LRUCache } from 'lru-cache';

const MAX_SCOPES = 200;
const MAX_KNOWN = 10;
const KEEP_MS = 3_600_000;
/** A stranger can send any name, and each costs a request to the sender. */
const MAX_UNKNOWN = 10;
const UNKNOWN_MS = 60_000;

type Scope<Value extends object> = {
  known: LRUCache<string, Value>;
  pending: Map<string, Promise<Value | undefined>>;
  /** Names for which the sender was asked in the last minute, and returned nothing so far. */
  unknown: LRUCache<string, true>;
};

/**
 * Returns a function that finds the value of a name once, and resolves to undefined while the sender does not have it. It rejects with 503 when
 * more unknown names than ten a minute are asked for in a scope, such as the settings of one trigger, so that a stranger who floods one scope
 * ends the lookups of no other.
 */
export function createLookups<Value extends object>(failure: string) {
  const scopes = new LRUCache<string, Scope<Value>>({ max: MAX_SCOPES });
  const scopeOf = (name: string): Scope<Value> => {
    const scope = scopes.get(name) ?? {
      known: new LRUCache({ max: MAX_KNOWN, ttl: KEEP_MS }),
      pending: new Map(),
      unknown: new LRUCache({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS }),
    };
    scopes.set(name, scope);
    return scope;
  };
  return async (
    scopeName: string,
    name: string,
    find: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> => {
    const { known, pending, unknown } = scopeOf(scopeName);
    const found = known.get(name) ?? pending.get(name);
    if (found || unknown.has(name)) return found;
    unknown.purgeStale();
    if (unknown.size >= MAX_UNKNOWN) throw serviceUnavailable(failure);
    // Counts before the reply, so that concurrent requests count.
    unknown.set(name, true);
    const asked = find().then(
      (value) => {
        if (value) {
          known.set(name, value);
          unknown.delete(name);
        }
        return value;
      },
      (error: unknown) => {
        unknown.delete(name);
        throw error;
      },
    );
    const finding = asked.finally(() => pending.delete(name));
    pending.set(name, finding);
    return finding;
  };
}
