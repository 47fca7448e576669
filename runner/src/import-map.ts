import { builtinModules } from 'node:module';

/** Modules that Deno has and the Node of this process does not list. */
const MORE_BUILTINS = ['_http_proxy', 'sea', 'sqlite', 'test', 'test/reporters'];

/**
 * Returns the import map of an action process as a URL: `import()` of a file and of a module of Node fails, except of
 * the script itself and of `node:vm` in it. Deno's flags refuse every other module, except those whose text the action
 * has: `data:` and `blob:`.
 */
export const importMapFor = (scriptUrl: string): string => {
  const names = [...builtinModules.filter((name) => !name.startsWith('node:')), ...MORE_BUILTINS];
  const modules = names.map((name) => [`node:${name}`, `not-available:${name}`]);
  const map = {
    imports: { ...Object.fromEntries(modules), 'file:///': 'not-available:///', [scriptUrl]: scriptUrl },
    scopes: { [scriptUrl]: { 'node:vm': 'node:vm' } },
  };
  return `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
};
