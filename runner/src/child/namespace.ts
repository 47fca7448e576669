/** Returns an object like the namespace of a module, which computes each value at its first use. */
export const namespaceOf = <T extends Record<string, () => unknown>>(
  values: T,
): { [Name in keyof T]: ReturnType<T[Name]> } => {
  const known = new Map<string, unknown>();
  const namespace = Object.create(null);
  for (const name of Object.keys(values)) {
    const get = (): unknown => {
      if (!known.has(name)) known.set(name, values[name]?.());
      return known.get(name);
    };
    Object.defineProperty(namespace, name, { get, enumerable: true });
  }
  return Object.defineProperty(namespace, Symbol.toStringTag, { value: 'Module' });
};
