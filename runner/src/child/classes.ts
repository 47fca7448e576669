/** Changes the arguments of the constructors of Deno's classes. */

type Class = new (...args: unknown[]) => object;

/** Makes `new` of the class change its arguments. Its instances, subclasses and name stay. */
export const changeArguments = (Original: Class, change: (args: unknown[]) => unknown[]): Class => {
  const changed = new Proxy(Original, {
    construct: (target, args, newTarget) => Reflect.construct(target, change(args), newTarget),
  });
  const descriptor = Object.getOwnPropertyDescriptor(Original.prototype, 'constructor');
  Object.defineProperty(Original.prototype, 'constructor', { ...descriptor, value: changed });
  return changed;
};
