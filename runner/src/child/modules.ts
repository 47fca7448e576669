/** Links the modules that an action imports. */
import { ACTION_FILE, named } from './errors.ts';
import { SourceTextModule } from './vm.ts';

/** Returns a module for the action (`referrer` null) or for a module. The source is empty after the first time. */
export type LoadModule = (
  specifier: string,
  referrer: string | null,
) => Promise<{ url: string; source: string }>;

type ModuleLinker = Parameters<SourceTextModule['link']>[0];

/** Every URL is one module, however often it is imported. */
export const createLinker = (load: LoadModule): ModuleLinker => {
  const modules = new Map<string, SourceTextModule>();
  const compile = (url: string, source: string): SourceTextModule => {
    try {
      return new SourceTextModule(source, {
        __proto__: null,
        identifier: url,
        initializeImportMeta(meta) {
          meta.url = url;
        },
      });
    } catch (error) {
      throw named('ImportError', `${url} is not an ES module: ${(error as Error).message}`);
    }
  };
  return async (specifier, { identifier }) => {
    const { url, source } = await load(specifier, identifier === ACTION_FILE ? null : identifier);
    const known = modules.get(url);
    if (known) return known;
    const module = compile(url, source);
    modules.set(url, module);
    return module;
  };
};
