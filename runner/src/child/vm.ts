/**
 * The classes of `node:vm` that the process uses. No value of an action leads to them: a `Script` takes compiled code (`cachedData`),
 * which V8 trusts. Node's part of Deno is loaded before the global scope loses what it needs, and before any code of an action.
 */
type Named = { __proto__: null };
/** Resolves to a namespace. `code` is an object of `node:vm`. */
export type ImportDynamically = (specifier: string, code: object, attributes: object) => Promise<object>;
/** Options without a prototype: an action can change `Object.prototype`. */
type ScriptOptions = Named & { filename: string; importModuleDynamically: ImportDynamically };
type ModuleOptions = Named & {
  identifier: string;
  initializeImportMeta?: (meta: { url?: string }) => void;
  importModuleDynamically: ImportDynamically;
};
export type Script = {
  /** `displayErrors` adds the line of the code to the stack of an error. */
  runInThisContext(options: Named & { displayErrors: boolean }): unknown;
};
export type SourceTextModule = {
  readonly identifier: string;
  readonly namespace: Record<string, unknown>;
  readonly status: string;
  link(
    linker: (specifier: string, referencing: SourceTextModule) => Promise<SourceTextModule>,
  ): Promise<void>;
  evaluate(): Promise<void>;
};
type Vm = {
  Script: new (code: string, options: ScriptOptions) => Script;
  SourceTextModule: new (code: string, options: ModuleOptions) => SourceTextModule;
  runInNewContext(code: string): unknown;
};
type V8 = { setFlagsFromString(flag: string): void };
type Modules = { vm: Vm; v8: V8; buffer: { Buffer: object } };
type Process = { getBuiltinModule<Name extends keyof Modules>(name: Name): Modules[Name] };
const { process } = globalThis as unknown as { process: Process };

const vm = process.getBuiltinModule('vm');
export const { Script, SourceTextModule } = vm;
/** Of Node, in which libraries expect it. */
export const { Buffer } = process.getBuiltinModule('buffer');

const { setFlagsFromString } = process.getBuiltinModule('v8');
setFlagsFromString('--expose-gc');
/** Comes from another global scope: in this one, `gc` could not be deleted. */
export const collectGarbage = vm.runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');
