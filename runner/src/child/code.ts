/** Compiles and runs the code of an action and finds its `main`. */
import { compileFunction, evalContext } from '@latchkey/fork-server/internals';
import { ACTION_FILE, ACTION_URL } from './errors.ts';
import type { LoadModule } from './modules.ts';
import { runWithVm } from './vm-code.ts';

type Evaluated = ReturnType<typeof evalContext>;

const MAIN = `typeof main === 'undefined' ? undefined : main`;

/** The comment gives the code its name in stack traces. */
const evaluate = (script: string): Evaluated =>
  evalContext(`${script}\n//# sourceURL=${ACTION_FILE}`, ACTION_URL);
const unwrap = ([value, failure]: Evaluated): unknown => {
  if (failure) throw failure.thrown;
  return value;
};
const runScript = (code: string): unknown => {
  unwrap(evaluate(code));
  return unwrap(evaluate(MAIN));
};

/** `await` before one of these can also be a script's call, index or sum of a variable of that name. */
const AMBIGUOUS_AWAIT = /(?<!\bfor\s+)\bawait(?=\s*[([`+/-]|\s*\n)/g;

/** Returns true for a script whose every `await` is in an async function: with an operand, it does not compile elsewhere. */
const isPlainScript = (code: string): boolean => {
  const text = code.replace(AMBIGUOUS_AWAIT, 'await 0%');
  return text === code || compileFunction(text, ACTION_URL, undefined, [])[1] === null;
};

/** Runs compiled code and returns its `main`, of any type. */
export type LoadMain = (load: LoadModule) => Promise<unknown>;

/**
 * Compiles code. It is a classic script, or a module when it parses only as one. `node:vm` runs only what is not plainly a script: it would
 * refuse `import()` of the text that a script has.
 */
export const compile = (code: string): LoadMain => {
  const runInVm: LoadMain = (load) => runWithVm(code, { main: MAIN, runScript, load });
  if (!isPlainScript(code)) return runInVm;
  return async (load) => {
    const outcome = evaluate(code);
    if (outcome[1]?.isCompileError) return runInVm(load);
    unwrap(outcome);
    return unwrap(evaluate(MAIN));
  };
};
