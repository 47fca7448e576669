/** Links the modules that an action imports. */
import { evalContext } from '@latchkey/fork-server/internals';
import { ACTION_FILE, ACTION_URL, named } from './errors.ts';
import { type ImportDynamically, SourceTextModule } from './vm.ts';

/** Returns a module for the action (`referrer` null) or for a module. The source is empty after the first time. */
export type LoadModule = (
  specifier: string,
  referrer: string | null,
) => Promise<{ url: string; source: string }>;

type ModuleLinker = Parameters<SourceTextModule['link']>[0];
type Importer = { readonly identifier?: string };

export type Modules = { link: ModuleLinker; importDynamically: ImportDynamically };

/** Text that the action has itself. Deno runs it, as `eval` does. */
const OWN_TEXT = /^(?:data|blob):/i;
const importOwnText = evalContext('(url, options) => import(url, options)', ACTION_URL)[0] as (
  url: string,
  options: object,
) => Promise<object>;

/** Every URL is one module, however often and in whichever way it is imported. */
export const createModules = (load: LoadModule): Modules => {
  const modules = new Map<string, SourceTextModule>();
  const compile = (url: string, source: string): SourceTextModule => {
    try {
      return new SourceTextModule(source, {
        __proto__: null,
        identifier: url,
        initializeImportMeta(meta) {
          meta.url = url;
        },
        importModuleDynamically: importDynamically,
      });
    } catch (error) {
      throw named('ImportError', `${url} is not an ES module: ${(error as Error).message}`);
    }
  };
  const find = async (specifier: string, { identifier = ACTION_FILE }: Importer) => {
    const { url, source } = await load(specifier, identifier === ACTION_FILE ? null : identifier);
    const known = modules.get(url);
    if (known) return known;
    const module = compile(url, source);
    modules.set(url, module);
    return module;
  };
  const link: ModuleLinker = (specifier, importer) => find(specifier, importer);

  /** Modules that two imports share cannot be linked twice at a time. */
  let linking: Promise<unknown> = Promise.resolve();
  const importDynamically: ImportDynamically = async (specifier, importer, attributes) => {
    if (OWN_TEXT.test(specifier)) return importOwnText(specifier, { with: attributes });
    const module = await find(specifier, importer);
    // A module of its own per import: the imported one can be linked and evaluated already, or at this moment.
    const root = new SourceTextModule(`import 'imported';`, {
      __proto__: null,
      identifier: ACTION_FILE,
    });
    const linked = linking.then(() =>
      root.link(async (name, importing) => (importing === root ? module : link(name, importing))),
    );
    linking = linked.catch(() => {});
    await linked;
    await root.evaluate();
    return module;
  };
  return { link, importDynamically };
};
