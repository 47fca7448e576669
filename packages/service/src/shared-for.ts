/**
 * Returns a question whose answer is shared: by callers who ask while it is being asked, and for `lifetimeMs` after. A
 * failure is not kept.
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
