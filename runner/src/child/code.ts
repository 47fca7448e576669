/** Compiles and runs the code of an action and finds its `main`. */
import { compileFunction, evalContext } from '@latchkey/fork-server/internals';
import { ACTION_FILE, ACTION_URL } from './errors.ts';
import type { LoadModule } from './modules.ts';
import { runWithVm } from './vm-code.ts';

type Evaluated = ReturnType<typeof evalContext>;

const MAIN = `typeof main === 'undefined' ? undefined : main`;

/** Evaluates code in the global scope. The comment names the code in stack traces. */
const evaluate = (script: string): Evaluated =>
  evalContext(`${script}\n//# sourceURL=${ACTION_FILE}`, ACTION_URL);
const unwrap = ([value, failure]: Evaluated): unknown => {
  if (failure) throw failure.thrown;
  return value;
};
const readMain = (): unknown => unwrap(evaluate(MAIN));

/** `await` before one of these can also be a script's call, index or sum of a variable of that name. */
const AMBIGUOUS_AWAIT = /(?<!\bfor\s+)\bawait(?=\s*[([`+/-]|\s*\n)/g;

/** Returns whether code compiles as a script and has every `await` in an async function: elsewhere `await` with an operand does not compile. */
const isPlainScript = (code: string): boolean => {
  const text = code.replace(AMBIGUOUS_AWAIT, 'await 0%');
  return text === code || compileFunction(text, ACTION_URL, undefined, [])[1] === null;
};

/** Deno imports only text for a script that it evaluates itself. */
const IMPORTS = /\bimport\s*\(/;

/** Runs compiled code and returns its `main`, of any type. */
export type LoadMain = (load: LoadModule) => Promise<unknown>;

/**
 * Compiles code as a classic script, or as a module when it parses only as one. A plain script without `import()` does not run in `node:vm`,
 * which takes longer.
 */
export const compile = (code: string): LoadMain => {
  const runInVm: LoadMain = (load) => runWithVm(code, { main: MAIN, readMain, load });
  if (IMPORTS.test(code) || !isPlainScript(code)) return runInVm;
  return async (load) => {
    const outcome = evaluate(code);
    if (outcome[1]?.isCompileError) return runInVm(load);
    unwrap(outcome);
    return readMain();
  };
};
