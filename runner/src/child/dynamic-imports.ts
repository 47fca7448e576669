/**
 * `import()` of an action. It runs after code of the action, which can have changed every prototype: it calls captured functions only.
 * No object of `node:vm` is the value of a promise: a promise asks its value for `then`, and a getter on `Object.prototype` would get
 * the object. Nor does `node:vm` get a value of the action: it asks each for a symbol that marks modules, and a proxy would learn it.
 */
import { evalContext, isModuleNamespaceObject } from '@latchkey/fork-server/internals';
import type { ImportDynamically, SourceTextModule } from './vm.ts';

const { apply, defineProperty, ownKeys } = Reflect;
const { get } = Map.prototype;
const { exec } = RegExp.prototype;
const { slice } = String.prototype;

/** Linked modules by specifier. In place of one that cannot be imported, the reason. */
export type Targets = Map<string, SourceTextModule | string>;

const OWN_TEXT = /^(?:data|blob):/i;
/** A URL whose text the action has. Deno runs it, as `eval` does. */
export const isOwnText = (specifier: string): boolean => apply(exec, OWN_TEXT, [specifier]) !== null;

type Import = (url: string, options: { with: object }) => Promise<unknown>;
const importText = evalContext(
  `'use strict'; (url, options) => import(url, options)`,
  'run:import',
)[0] as Import;

const CONSTRUCTOR: PropertyDescriptor & { __proto__: null } = { __proto__: null, value: Promise };
/**
 * Makes `node:vm` take the value of the promise. It would call `then`, which can give another value, of a promise that has another
 * constructor. An async function here returns no promise, because that would also call its `then`.
 */
const withConstructor = (promise: Promise<object>): Promise<object> => {
  defineProperty(promise, 'constructor', CONSTRUCTOR);
  return promise;
};

const MAX_SHOWN_CHARS = 200;
const notLinked = (specifier: string): string =>
  `import("${apply(slice, specifier, [0, MAX_SHOWN_CHARS])}") names no module that was loaded before the run: write the package and its exact version as one text, import("name@1.2.3")`;
export const exportsThen = (name: string): string =>
  `${name} exports then, which import() would call: import it statically`;

const runText = async (url: string, attributes: object): Promise<object> => {
  const value = await importText(url, { with: attributes });
  // A module that exports `then` decides what its import resolves to, also after this line.
  if (!isModuleNamespaceObject(value) || 'then' in value) throw new TypeError(exportsThen('the text'));
  return value;
};

const importTarget = async (targets: Targets, specifier: string, attributes: object): Promise<object> => {
  const target = apply(get, targets, [specifier]) as SourceTextModule | string | undefined;
  if (typeof target !== 'object') throw new TypeError(target ?? notLinked(specifier));
  if (ownKeys(attributes).length > 0)
    throw new TypeError('import() of a package takes no attributes: remove the second argument');
  // The code that imports can be a module that V8 evaluates at this moment, and it evaluates one at a time.
  await undefined;
  await target.evaluate();
  return target.namespace;
};

export const createImport =
  (targets: Targets): ImportDynamically =>
  (specifier, _code, attributes) =>
    withConstructor(
      isOwnText(specifier) ? runText(specifier, attributes) : importTarget(targets, specifier, attributes),
    );
