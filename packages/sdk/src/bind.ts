/** A standalone function with its client, which is its first parameter, bound. */
export type Bound<unbound> = unbound extends (client: never, ...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Result
  : never;

/** Every function of a module bound to a client. */
export type BoundEach<functions> = { [name in keyof functions]: Bound<functions[name]> };

export type AnyUnbound = (client: never, ...args: never[]) => unknown;

/** Binds the functions to the client, which must be one that all of them take or refuse by an error. */
export const bindEach = (
  client: object,
  functions: readonly (readonly [name: string, AnyUnbound])[],
): object =>
  Object.fromEntries(
    functions.map(([name, unbound]) => [name, (...args: never[]) => unbound(client as never, ...args)]),
  );
