/** Links every module that an action can import, before any code of the action runs. */
import { createImport, exportsThen, isOwnText, type Targets } from './dynamic-imports.ts';
import { ACTION_FILE, named } from './errors.ts';
import { setTimeout } from './timers.ts';
import { type ImportDynamically, SourceTextModule } from './vm.ts';

/** Returns a module for the action (`referrer` null) or for a module. The source is empty after the first time. */
export type LoadModule = (
  specifier: string,
  referrer: string | null,
) => Promise<{ url: string; source: string }>;

export type Modules = {
  /** Links a module and its static imports. */
  link: (module: SourceTextModule) => Promise<void>;
  /** Returns the `import()` of a text. It imports what `linkDynamicImports` has linked. */
  importOf: (text: string, identifier: string) => ImportDynamically;
  /** Links what the texts import dynamically. A module that cannot be linked is refused when it is imported. */
  linkDynamicImports: () => Promise<void>;
};

/**
 * The texts in `import()`. V8 alone knows which are code: one that this does not find is refused when it is imported, and one in a comment
 * is loaded in vain.
 */
const IMPORTS = /\bimport\s*\(\s*(?:\/\*[^*]{0,200}\*\/\s*)?(["'`])([^"'`\\$\r\n]{1,2000})\1\s*[,)]/g;
/** In all texts together. */
const MAX_DYNAMIC_IMPORTS = 1_000;

const specifiersIn = (text: string): string[] => {
  const found = Array.from(text.matchAll(IMPORTS), ([, , specifier = '']) => specifier);
  return [...new Set(found)].filter((specifier) => !isOwnText(specifier));
};

const compile = async (
  url: string,
  source: string,
  importModuleDynamically: ImportDynamically,
): Promise<SourceTextModule> => {
  try {
    return new SourceTextModule(source, {
      __proto__: null,
      identifier: url,
      initializeImportMeta(meta) {
        meta.url = url;
      },
      importModuleDynamically,
    });
  } catch (error) {
    throw named('ImportError', `${url} is not an ES module: ${(error as Error).message}`);
  }
};

/** Every URL is one module, however often and in whichever way it is imported. */
export const createModules = (load: LoadModule): Modules => {
  const modules = new Map<string, Promise<SourceTextModule>>();
  const searches = new Map<string, Promise<SourceTextModule>>();
  const importers: { identifier: string; specifiers: string[]; targets: Targets }[] = [];

  const importOf: Modules['importOf'] = (text, identifier) => {
    const targets: Targets = new Map();
    importers.push({ identifier, specifiers: specifiersIn(text), targets });
    return createImport(targets);
  };
  const search = async (specifier: string, identifier: string): Promise<SourceTextModule> => {
    const { url, source } = await load(specifier, identifier === ACTION_FILE ? null : identifier);
    // A module that does not compile is no other one when it is imported again: its source comes once.
    const module = modules.get(url) ?? compile(url, source, importOf(source, url));
    modules.set(url, module);
    return module;
  };
  /** A graph that could not be linked is walked again for another `import()`: each of its imports has one answer per run. */
  const find = (specifier: string, identifier: string): Promise<SourceTextModule> => {
    const key = `${identifier} ${specifier}`;
    const searching = searches.get(key) ?? search(specifier, identifier);
    searches.set(key, searching);
    return searching;
  };
  const link: Modules['link'] = (module) =>
    module.link((specifier, { identifier }) => find(specifier, identifier));

  const linkTarget = async (module: SourceTextModule): Promise<SourceTextModule | string> => {
    try {
      if (module.status === 'unlinked') await link(module);
      return 'then' in module.namespace ? exportsThen(module.identifier) : module;
    } catch (error) {
      // `link` has not waited for the other modules, nor for its promises, which must not get a module after code of the action has run.
      await Promise.allSettled(searches.values());
      await new Promise((resolve) => setTimeout(resolve));
      return (error as Error).message;
    }
  };
  const linkDynamicImports = async (): Promise<void> => {
    let left = MAX_DYNAMIC_IMPORTS;
    // Modules that are loaded meanwhile add themselves.
    for (const { identifier, specifiers, targets } of importers) {
      const loading = specifiers.slice(0, left).map(async (specifier) => {
        targets.set(specifier, await find(specifier, identifier).catch(({ message }: Error) => message));
      });
      left -= loading.length;
      await Promise.all(loading);
      // One after another: modules that two imports share cannot be linked twice at a time.
      for (const [specifier, target] of targets)
        if (typeof target === 'object') targets.set(specifier, await linkTarget(target));
    }
  };
  return { link, importOf, linkDynamicImports };
};
