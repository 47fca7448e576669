/** Operations of the HTTP APIs, and which of them were called. */

/** Paths of OpenAPI descriptions, with their methods. */
export type Operations = Record<string, Record<string, unknown>>;

/** A request in the log of a service. */
type Call = { operation: string; status: unknown };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const namesOf = (operations: Operations): string[] =>
  Object.entries(operations).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

/** Returns the requests in a log, whose routes have parameters as `:id`. */
export const readCalls = (log: string): Call[] =>
  log.split('\n').flatMap((line) => {
    if (!line.startsWith('{') || !line.includes('"msg":"request"')) return [];
    const { method, route, status } = JSON.parse(line) as { method: string; route: string; status: unknown };
    return [{ operation: `${method} ${route.replace(/:(\w+)/g, '{$1}')}`, status }];
  });

/** Returns what an update has broken, and the operations that no call reached. */
export function compareOperations(before: Operations, after: Operations, calls: readonly Call[]) {
  const present = new Set(namesOf(after));
  const called = new Set(calls.map(({ operation }) => operation));
  const removed = namesOf(before).filter((name) => !present.has(name));
  // 503 says that a part is not ready, as at the start.
  const failed = calls.filter(({ status }) => status === 500);
  return {
    faults: [
      ...removed.map((name) => `${name} is gone`),
      ...new Set(failed.map(({ operation }) => `${operation} replied 500`)),
    ],
    unused: namesOf(before).filter((name) => !called.has(name)),
  };
}
