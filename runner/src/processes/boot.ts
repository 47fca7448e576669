/** How Deno runs a program: its main module, and what it and the code of an action can import. */
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import type { Program } from '@latchkey/fork-server';
import { curvePathOf } from './bundle.ts';
import type { Walls } from './walls.ts';

/** Modules that Deno has and the Node of this process does not list. */
const MORE_BUILTINS = ['_http_proxy', 'sea', 'sqlite', 'test', 'test/reporters'];

/**
 * An import map as a URL: `import()` of a file and of a module of Node fails with an error that names no path of the host. Deno's flags
 * refuse every other module, except those whose text the action has: `data:` and `blob:`.
 */
const importMapUrl = (() => {
  const names = [...builtinModules.filter((name) => !name.startsWith('node:')), ...MORE_BUILTINS];
  const imports = Object.fromEntries(
    ['file:///', ...names.map((name) => `node:${name}`)].map((name) => [name, null]),
  );
  return `data:application/json;base64,${Buffer.from(JSON.stringify({ imports })).toString('base64')}`;
})();

/** The main module. The import map does not apply to `getBuiltinModule`. */
const BOOT = `
const { SourceTextModule } = process.getBuiltinModule('node:vm');
const [path] = Deno.args;
const program = new SourceTextModule(Deno.readTextFileSync(path), {
  identifier: 'runtime.js',
  initializeImportMeta(meta) { meta.dirname = path.slice(0, path.lastIndexOf('/')); },
});
Deno.permissions.revokeSync({ name: 'read', path });
await program.link(() => {});
await program.evaluate();
`;

/**
 * The main module as a URL. Its first argument is the path of the program, which it compiles with `node:vm`. The program thus has no path
 * that an error could show, and cannot import. V8 takes it as the importer of text that one of its functions evaluates, as with
 * `setTimeout(eval, 0, text)`.
 */
const bootUrl = `data:text/javascript;base64,${Buffer.from(BOOT).toString('base64')}`;

/** Directory of the socket to which forks connect. */
export const socketsDirOf = (scriptPath: string): string => join(dirname(scriptPath), 'sockets');

export type ProgramOptions = Pick<Program, 'cwd' | 'memoryLimitMb' | 'timeoutMs' | 'isBackground'> & {
  scriptPath: string;
  /** Deno's own cache, for processes without a wall: one that escaped could change what later ones execute. */
  cacheDir?: string;
  walls: Walls;
};

/** Returns a program that can read its own files only. */
export const programOf = ({ scriptPath, cacheDir, ...options }: ProgramOptions): Program => ({
  ...options,
  args: [
    `--allow-read=${scriptPath},${curvePathOf(scriptPath)}`,
    `--import-map=${importMapUrl}`,
    bootUrl,
    scriptPath,
  ],
  cacheDir: options.walls.standing.length === 0 ? cacheDir : undefined,
  socketsDir: socketsDirOf(scriptPath),
});
