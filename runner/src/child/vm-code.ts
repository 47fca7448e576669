/** Runs code with `node:vm`: modules, and code that does not compile, to find the position of its error. */
import { destructureError } from '@latchkey/fork-server/internals';
import { ACTION_FILE, named } from './errors.ts';
import { createModules, type LoadModule, type Modules } from './modules.ts';
import { Script, SourceTextModule } from './vm.ts';

/** `at` is the position in the code (line and column, 1-based, in characters), when the parser reports one. */
type Refusal = { error: Error; at: { line: number; column: number } | undefined };
type Compiled<T> = { unit: T } | Refusal;

/** An error of the parser has no stack trace; it is described by its position in the code. */
const compile = <T>(toUnit: () => T): Compiled<T> => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return { unit: toUnit() };
  } catch (error) {
    const [frame] = destructureError(error).frames;
    const at = frame && { line: frame.lineNumber, column: frame.columnNumber };
    return { error: error as Error, at };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const isBefore = (a: Refusal['at'], b: Refusal['at']): boolean =>
  a !== undefined && b !== undefined && (a.line < b.line || (a.line === b.line && a.column < b.column));

const syntaxError = ({ error, at }: Refusal): Error => {
  if (!at) return error;
  const position = `${ACTION_FILE}:${at.line}:${at.column}`;
  const text = `${error.message} (${position})`;
  Object.defineProperty(error, 'stack', { value: `${error.name}: ${text}\n    at ${position}` });
  return named(error.name, text, error);
};

/** Code outside a module cannot read its declarations. */
const MAIN_EXPORT = '__latchkeyMain';

const runModule = async (module: SourceTextModule, modules: Modules): Promise<unknown> => {
  await modules.link(module);
  await modules.linkDynamicImports();
  await module.evaluate();
  const { namespace } = module;
  return namespace[MAIN_EXPORT] ?? namespace.main ?? namespace.default;
};

type RunOptions = {
  /** An expression for the value of `main`. */
  main: string;
  readMain: () => unknown;
  load: LoadModule;
};

/**
 * Runs code that is not plainly a script, and returns its `main`. Code is a module when it parses only as one, or when
 * it awaits at its top level. When it is neither script nor module, throws the error at the later position: the other
 * parser stopped at a feature of the other kind.
 */
export const runWithVm = async (code: string, { main, readMain, load }: RunOptions): Promise<unknown> => {
  const modules = createModules(load);
  const importModuleDynamically = modules.importOf(code, ACTION_FILE);
  const compileScript = (): Compiled<Script> =>
    compile(() => new Script(code, { __proto__: null, filename: ACTION_FILE, importModuleDynamically }));
  const compileModule = (text: string): Compiled<SourceTextModule> =>
    compile(
      () => new SourceTextModule(text, { __proto__: null, identifier: ACTION_FILE, importModuleDynamically }),
    );

  const withMain = compileModule(`${code}\n;export const ${MAIN_EXPORT} = ${main};`);
  const module = 'unit' in withMain ? withMain : compileModule(code);
  const script = compileScript();
  /** A script that awaits at its top level parses as a module, but not inside a function. */
  const awaits = () => !('unit' in compileModule(`function inside() {${code.replace(/^#!/, '//')}\n}`));
  if ('unit' in script && !('unit' in module && awaits())) {
    await modules.linkDynamicImports();
    script.unit.runInThisContext({ __proto__: null, displayErrors: false });
    return readMain();
  }
  if ('unit' in module) return runModule(module.unit, modules);
  throw syntaxError('unit' in script || isBefore(script.at, module.at) ? module : script);
};
