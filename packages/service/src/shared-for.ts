/**
 * Returns a function that shares the result of `ask` among concurrent callers and for `lifetimeMs` after it. Failures
 * are not kept.
 */
export function sharedFor<T>(lifetimeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    if (current) return current;
    const asked = ask();
    current = asked;
    const forget = () => {
      current = undefined;
    };
    asked.then(() => setTimeout(forget, lifetimeMs).unref(), forget);
    return asked;
  };
}
