/**
 * Every private function of Deno that processes use. They change without notice: when Deno lacks one, a program that loads this file
 * ends immediately and names it.
 */
type Failure = { thrown: unknown; isCompileError: boolean } | null;
type Timer = object;

type Internals = {
  Console: new (print: (text: string, level: number) => void) => Console;
  inspectArgs(args: unknown[], options: object): string;
  core: {
    /** Runs a classic script in the global scope. */
    evalContext(code: string, url: string): [value: unknown, failure: Failure];
    /** Compiles the body of a function, without running it. */
    compileFunction(
      body: string,
      url: string,
      hostOptions: undefined,
      parameters: string[],
    ): [compiled: unknown, failure: Failure];
    /** Returns the stack of an error as data, with the position that the parser reports. */
    destructureError(error: unknown): { frames: { lineNumber: number; columnNumber: number }[] };
    createTimer(
      callback: () => void,
      afterMs: number,
      args: undefined,
      isRepeated: boolean,
      keepsAlive: boolean,
    ): Timer;
    cancelTimer(timer: Timer): void;
    /** Also true for a namespace whose module has an error. No proxy passes, and no code of the value runs. */
    isModuleNamespaceObject(value: unknown): value is object;
    /** Lets the event loop end before the timer fires. */
    unrefTimer(timer: Timer): void;
    /** Lets the event loop end before the promise of a call settles. */
    unrefOpPromise(promise: Promise<unknown>): void;
  };
};

const internals = (Deno as unknown as Record<symbol, Internals>)[Deno.internal] as Internals;
export const { Console, inspectArgs } = internals;
export const {
  evalContext,
  compileFunction,
  destructureError,
  createTimer,
  cancelTimer,
  unrefTimer,
  unrefOpPromise,
  isModuleNamespaceObject,
} = internals.core;

const { stdin } = Deno;
const methodOfStdin = (name: string): (() => void) => {
  const symbols = Object.getOwnPropertySymbols(Object.getPrototypeOf(stdin));
  const symbol = symbols.find(({ description }) => description === name) as symbol;
  return (stdin as unknown as Record<symbol, () => void>)[symbol]?.bind(stdin) as () => void;
};
/** Lets a waiting read keep the event loop alive, or not. */
export const [refStdin, unrefStdin] = [methodOfStdin('REF'), methodOfStdin('UNREF')];

const used = {
  refStdin,
  unrefStdin,
  Console,
  inspectArgs,
  evalContext,
  compileFunction,
  destructureError,
  createTimer,
  cancelTimer,
  unrefTimer,
  unrefOpPromise,
  isModuleNamespaceObject,
};
for (const [name, value] of Object.entries(used))
  if (typeof value !== 'function') throw new Error(`Deno ${Deno.version.deno} has no private ${name}`);
