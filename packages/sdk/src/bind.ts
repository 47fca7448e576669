/** The standalone form of a bound function: its first parameter is the client. */
export type Unbound<client, bound> = bound extends (...args: infer Arguments) => infer Result
  ? (client: client, ...args: Arguments) => Result
  : never;
export type AnyUnbound<client> = (client: client, ...args: never[]) => unknown;

export function bindEach<client>(
  client: client,
  functions: readonly (readonly [name: string, AnyUnbound<client>])[],
): object {
  return Object.fromEntries(
    functions.map(([name, unbound]) => [name, (...args: never[]) => unbound(client, ...args)]),
  );
}

/** Binds the functions to the client. */
export function bind<client, bound>(
  client: client,
  functions: { [name in keyof bound]: Unbound<client, bound[name]> },
): bound {
  return bindEach(client, Object.entries<AnyUnbound<client>>(functions)) as bound;
}
