/**
 * The classes of `node:vm` that the process uses. No value of an action leads to them: a `Script` takes compiled code (`cachedData`),
 * which V8 trusts. Node's part of Deno is loaded before the global scope loses what it needs, and before any code of an action.
 */
type Named = { __proto__: null };
/** Without a prototype, no option comes from an `Object.prototype` that an action changed. */
type ScriptOptions = Named & { filename: string };
type ModuleOptions = Named & {
  identifier: string;
  initializeImportMeta?: (meta: { url?: string }) => void;
};
export type Script = { readonly sourceMapURL: string | undefined };
export type SourceTextModule = {
  readonly identifier: string;
  readonly namespace: Record<string, unknown>;
  link(
    linker: (specifier: string, referencing: SourceTextModule) => Promise<SourceTextModule>,
  ): Promise<void>;
  evaluate(): Promise<void>;
};
type Vm = {
  Script: new (code: string, options: ScriptOptions) => Script;
  SourceTextModule: new (code: string, options: ModuleOptions) => SourceTextModule;
};
type Process = { getBuiltinModule(name: 'vm'): Vm };
const { process } = globalThis as unknown as { process: Process };

export const { Script, SourceTextModule } = process.getBuiltinModule('vm');
