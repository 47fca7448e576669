/** Errors as an action sees them: their stacks contain the action's code and not the process around it. */

import { inspectArgs } from '@latchkey/fork-server/internals';
import { environmentErrorNames, hostErrorNames } from '@latchkey/runner-protocol/error-names';

/** The name of the action's code in stack traces. */
export const ACTION_FILE = 'action.js';
/** The name under which Deno evaluates the code, which must be a URL. */
export const ACTION_URL = `run:${ACTION_FILE}`;

const MAX_FRAMES = 15;
/** Frames of ethers and of the process are removed before `MAX_FRAMES` is applied. */
const CAPTURED_FRAMES = 50;

type CallSite = {
  getFileName(): string | null;
  getScriptNameOrSourceURL(): string | null;
  getLineNumber(): number | null;
  isEval(): boolean;
};
type Prepare = (error: unknown, sites: CallSite[]) => unknown;

const toHeader = Error.prototype.toString;

const isNative = (site: CallSite): boolean => !site.getFileName() && !site.isEval();
const isCode = (site: CallSite): boolean =>
  site.getFileName() === ACTION_URL || site.getFileName() === ACTION_FILE;
const isOfAction = (site: CallSite): boolean =>
  isCode(site) || site.isEval() || /^(?:wasm|https?):/.test(site.getFileName() ?? '');

/** Keeps the frames of the action and its imports, and of built-in functions that the action called. */
const framesOfAction = (sites: CallSite[]): CallSite[] => {
  let calledByAction = false;
  return sites
    .toReversed()
    .filter((site) => {
      if (!isNative(site)) calledByAction = isOfAction(site);
      return calledByAction;
    })
    .toReversed()
    .slice(0, MAX_FRAMES);
};

/** A `//# sourceURL` comment renames the code in V8's text of a frame. */
const toText = (site: CallSite): string => {
  const renamed = site.getScriptNameOrSourceURL();
  const text = String(site).replaceAll(ACTION_URL, ACTION_FILE);
  return isCode(site) && renamed ? text.replace(renamed, ACTION_FILE) : text;
};

const toStack: Prepare = (error, sites) =>
  [toHeader.call(error), ...sites.map((site) => `    at ${toText(site)}`)].join('\n');

/**
 * Limits every stack trace of the process to frames of the action. An `Error.prepareStackTrace` of the action gets
 * those frames too.
 */
export const hideHostFrames = (): void => {
  let chosen: Prepare | undefined;
  const prepare: Prepare = (error, sites) => (chosen ?? toStack)(error, framesOfAction(sites));
  Error.stackTraceLimit = CAPTURED_FRAMES;
  Object.defineProperty(Error, 'prepareStackTrace', {
    get: () => prepare,
    set: (value: unknown) => {
      chosen = typeof value === 'function' && value !== prepare ? (value as Prepare) : undefined;
    },
  });
};

const MAX_CAUSES = 5;
const MAX_ERRORS = 10;

/** Returns the stack of an error, with those of its causes and of the errors of an `AggregateError`. */
export const stackOf = (error: Error, depth = 0): string => {
  const text = [String(error.stack)];
  const add = (label: string, value: unknown): void => {
    if (depth >= MAX_CAUSES) return;
    text.push(
      `${label}: ${value instanceof Error ? stackOf(value, depth + 1) : inspectArgs([value], { depth: 2 })}`,
    );
  };
  if (error instanceof AggregateError)
    for (const [i, each] of [...error.errors].slice(0, MAX_ERRORS).entries()) add(`[errors][${i}]`, each);
  if ('cause' in error) add('[cause]', error.cause);
  return text.join('\n');
};

const COMMON_JS = /^(?:require|module|exports|__dirname|__filename) is not defined$/;
/** Adds what to change to the message of an error that code for CommonJS throws. */
export const withHint = (message: string): string =>
  COMMON_JS.test(message)
    ? `${message}: the code is for CommonJS. Build it as an ES module (esbuild: --bundle --format=esm --platform=browser), and import packages as name@1.2.3`
    : message;

/** The names that the environment gave to errors, regardless of changes by the action. */
const givenNames = new WeakMap<Error, string>();

/** Gives an error of the environment its name and message. */
export const named = (name: string, message: string, error = new Error()): Error => {
  givenNames.set(error, name);
  return Object.defineProperties(error, {
    name: { value: name, writable: true, configurable: true },
    message: { value: message, writable: true, configurable: true },
  });
};

/** Returns the name that the run reports. An error of the action cannot have one of the environment's names. */
export const reportedName = (error: Error): string => {
  const given = givenNames.get(error);
  if (given !== undefined) return given;
  const name = String(error.name);
  return hostErrorNames.has(name) || environmentErrorNames.has(name) ? 'Error' : name;
};
