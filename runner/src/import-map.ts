import { builtinModules } from 'node:module';

/** Modules that Deno has and the Node of this process does not list. */
const MORE_BUILTINS = ['_http_proxy', 'sea', 'sqlite', 'test', 'test/reporters'];

/**
 * Returns the import map of an action process as a URL: `import()` of a module of Node fails, except of `node:vm` in the
 * script itself. Deno's flags refuse every other module, except those whose text the action has: `data:` and `blob:`.
 */
export const importMapFor = (scriptUrl: string): string => {
  const names = [...builtinModules.filter((name) => !name.startsWith('node:')), ...MORE_BUILTINS];
  const map = {
    imports: Object.fromEntries(names.map((name) => [`node:${name}`, `not-available:${name}`])),
    scopes: { [scriptUrl]: { 'node:vm': 'node:vm' } },
  };
  return `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
};
