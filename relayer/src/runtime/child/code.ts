/** Compiles and evaluates the code of an action and finds its `main`. */
import { Script, SourceTextModule } from 'node:vm';
import { ACTION_FILE, named } from './errors.ts';

type Internals = {
  core: { destructureError(error: unknown): { frames: { lineNumber: number; columnNumber: number }[] } };
};
const { core } = (Deno as unknown as Record<symbol, Internals>)[Deno.internal] as Internals;

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
    const [frame] = core.destructureError(error).frames;
    const at = frame && { line: frame.lineNumber, column: frame.columnNumber };
    return { error: error as Error, at };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const compileScript = (code: string): Compiled<Script> =>
  compile(() => new Script(code, { filename: ACTION_FILE }));
const compileModule = (code: string): Compiled<SourceTextModule> =>
  compile(() => new SourceTextModule(code, { identifier: ACTION_FILE }));

const MAIN = `typeof main === 'undefined' ? undefined : main`;
/** Code outside a module cannot read its declarations. */
const MAIN_EXPORT = '__latchkeyMain';
const EXPORT_MAIN = `\n;export const ${MAIN_EXPORT} = ${MAIN};`;

const compileModuleWithMain = (code: string): Compiled<SourceTextModule> => {
  const compiled = compileModule(code + EXPORT_MAIN);
  return 'unit' in compiled ? compiled : compileModule(code);
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

/** `await` before one of these can also be a script's call, index or sum of a variable of that name. */
const AMBIGUOUS_AWAIT = /\bawait(?:\s*[([`+/-]|\s*\n)/;

/**
 * Returns true for a script that is a module because of a top-level `await`: it parses as a module, but not inside a
 * function, where that `await` is refused.
 */
const awaitsAtTopLevel = (code: string): boolean =>
  AMBIGUOUS_AWAIT.test(code) &&
  'unit' in compileModule(code) &&
  !('unit' in compileModule(`function inside() {${code}\n}`));

const runScript = (script: Script): unknown => {
  script.runInThisContext({ displayErrors: false });
  return new Script(MAIN, { filename: ACTION_FILE }).runInThisContext({ displayErrors: false });
};

const runModule = async (module: SourceTextModule): Promise<unknown> => {
  await module.link(async (specifier) => {
    throw named(
      'ImportError',
      `static imports are not supported yet: "${specifier}". Bundle it into the code of the action`,
    );
  });
  await module.evaluate();
  const { namespace } = module;
  return namespace[MAIN_EXPORT] ?? namespace.main ?? namespace.default;
};

/**
 * Runs the code and returns its `main`, of any type. Code is a classic script, or a module when it parses only as one.
 * When it is neither, the error of the parser that came further is reported: the other one stopped at a feature of the
 * other kind. Neither has a callback for dynamic imports, so that `import()` fails, also in `eval`.
 */
export const loadMain = async (code: string): Promise<unknown> => {
  const script = compileScript(code);
  if ('unit' in script && !awaitsAtTopLevel(code)) return runScript(script.unit);
  const module = compileModuleWithMain(code);
  if ('unit' in module) return runModule(module.unit);
  if ('unit' in script) return runScript(script.unit);
  throw syntaxError(isBefore(script.at, module.at) ? module : script);
};
