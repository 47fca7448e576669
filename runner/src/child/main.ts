/** The program of an action process: prepares the environment, sends `ready`, waits for one run and runs it. */
import { type Fork, isTemplate, serveForks } from '@latchkey/fork-server/fork';
import { Console, inspectArgs } from '@latchkey/fork-server/internals';
import { MAX_SPECIFIER_CHARS } from '../runs/message-limits.ts';
import type { CallMessage, ImportReply } from '../runs/protocol.ts';
import { encode, listen, post, request } from './channel.ts';
import { startClock } from './clock.ts';
import { compile, type LoadMain } from './code.ts';
import { boundCrypto } from './crypto.ts';
import './curve.ts';
import { hideHostFrames, named, reportedName, stackOf, withHint } from './errors.ts';
import { ethers } from './ethers.ts';
import { createFetch } from './fetch.ts';
import { reduceGlobals } from './globals.ts';
import type { LoadModule } from './modules.ts';
import { releasePending } from './pending.ts';
import { createGetSecret, createSealedCall, privateKeyText } from './private-keys.ts';
import { random, reseed } from './random.ts';
import { createRedaction } from './redaction.ts';
import { rpc } from './rpc.ts';
import { createSigners } from './signers.ts';
import { clearInterval, clearTimeout, setInterval, setTimeout } from './timers.ts';
import { Buffer } from './vm.ts';

const { ErrorEvent, PromiseRejectionEvent } = globalThis;
const { parse, stringify } = JSON;
const { defineProperty } = Reflect;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

let maxResponseBytes = 0;
let maxRequestBodyBytes = 0;
let maxLogChars = Number.POSITIVE_INFINITY;
let settled = false;
let loadMain: LoadMain | undefined;
/** Functions of a fork; undefined in a process that started by itself. */
let readSync: Fork['readSync'] | undefined;
let hasInput: Fork['hasInput'] | undefined;
let endAfter: Fork['endAfter'] | undefined;
/** The runner ends a run at its time limit. A second later the kernel does, also when the runner is stalled. */
const GRACE_SECONDS = 1;
let responseJson: Uint8Array | undefined;
/** Ends the run; set when `main` has settled. */
let finish: (() => void) | undefined;
/** The response is certain: `main` returned it. */
let hasReturned = false;

const redaction = createRedaction();
const log = (text: string): void => {
  const part = redaction.redactPart(text);
  if (part !== '') post({ type: 'log', text: part.slice(0, maxLogChars) });
};
/** Logs what was kept: nothing follows it. */
const endLog = (): void => {
  const text = redaction.rest();
  if (text !== '') post({ type: 'log', text: text.slice(0, maxLogChars) });
};

const fail = (thrown: unknown): void => {
  if (settled) return;
  settled = true;
  let name = 'Error';
  let message = 'the thrown value cannot be shown';
  let stack: string | undefined;
  try {
    if (thrown instanceof Error) {
      name = reportedName(thrown);
      message = withHint(String(thrown.message));
      stack = stackOf(thrown);
    } else {
      message = typeof thrown === 'string' ? thrown : inspectArgs([thrown], { depth: 3 });
    }
  } catch {
    // A getter of the thrown value threw: keep the values read before it.
  }
  const { redact } = redaction;
  name = redact(name).slice(0, 200);
  message = redact(message).slice(0, 8_000);
  endLog();
  post({ type: 'failed', name, message, stack: redact(stack ?? `${name}: ${message}`).slice(0, 16_000) });
};

/** Returns the JSON of a response. Exceeding the limit ends the run, so that no `catch` of the action sees it. */
const toJson = (value: unknown): Uint8Array => {
  let json: string | undefined;
  try {
    json = stringify(value);
  } catch (error) {
    throw named('ResponseError', `the response is not JSON: ${(error as Error).message}`);
  }
  if (json === undefined) throw named('ResponseError', `the response is not JSON: it is a ${typeof value}`);
  const bytes = encoder.encode(json);
  const size = typeof value === 'string' ? encoder.encode(value).length : bytes.length;
  if (size > maxResponseBytes) {
    const error = named(
      'ResponseLimitError',
      `the response has ${size} bytes, more than ${maxResponseBytes}`,
    );
    fail(error);
    throw error;
  }
  return bytes;
};

const redactedResponse = (json: Uint8Array | undefined): Uint8Array | undefined =>
  json && !redaction.isEmpty() ? encoder.encode(redaction.redactJson(decoder.decode(json))) : json;

const call = async (
  operation: CallMessage['operation'],
  args: unknown,
  added?: Promise<{ recipient: string }>,
): Promise<string> => {
  const error = new Error(); // before any await, so that its stack names the call
  const json = stringify(args ?? {}, takesAmounts(operation) ? bigintAsText : undefined);
  if (json === undefined) throw new TypeError(`${operation} takes an object, not a ${typeof args}`);
  const [reply] = await request({ type: 'call', operation, args: { ...parse(json), ...(await added) } });
  if (!reply.ok) throw named(reply.name, reply.message, error);
  return reply.value as string;
};

const takesAmounts = (operation: CallMessage['operation']): boolean =>
  /^(?:sign|send)/.test(operation) || operation === 'takeAllowance';

/** Replaces the bigint amounts of typed data, transactions and limits by decimal text. */
const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

const sealedCall = createSealedCall(call);
const callForKey = async (operation: 'getPrivateKey' | 'getActionPrivateKey', args: unknown) =>
  privateKeyText(await sealedCall(operation, args));
const getSecret = createGetSecret(sealedCall, redaction);
const signing = {
  signMessage: (args: unknown) => call('signMessage', args),
  signTypedData: (args: unknown) => call('signTypedData', args),
  signTransaction: (args: unknown) => call('signTransaction', args),
  signHash: (args: unknown) => call('signHash', args),
};

const actions = Object.freeze({
  getPrivateKey: (args: unknown) => callForKey('getPrivateKey', args),
  ...signing,
  ...createSigners(signing),
  Encrypt: (args: unknown) => call('Encrypt', args),
  Decrypt: (args: unknown) => call('Decrypt', args),
  getSecret,
  getActionPrivateKey: () => callForKey('getActionPrivateKey', {}),
  getActionPublicKey: (args: unknown) => call('getActionPublicKey', args),
  getActionWalletAddress: (args: unknown) => call('getActionWalletAddress', args),
  sign: (args: unknown) => call('sign', args),
  getPublicKey: (args: unknown) => call('getPublicKey', args),
  takeAllowance: async (args: unknown): Promise<unknown> => parse(await call('takeAllowance', args)),
  sendTransaction: async (args: unknown): Promise<unknown> => parse(await call('sendTransaction', args)),
  rpc,
  /** Without the approval, the host ends the run. */
  requireApproval: async (args: unknown): Promise<unknown> => parse(await call('requireApproval', args)),
  setResponse: (args: { response?: unknown } | undefined): void => {
    if (hasReturned) return;
    responseJson = args?.response === undefined ? undefined : toJson(args.response);
  },
  showImportDetails: (): ImportReply[] => [...imported.values()].map((details) => ({ ...details })),
});

/** Replies by URL, in the order of loading. */
const imported = new Map<string, ImportReply>();
/** Loads a module once; later replies have no source. */
const load: LoadModule = async (specifier, referrer) => {
  if (specifier.length > MAX_SPECIFIER_CHARS) {
    const start = specifier.slice(0, 100);
    throw named('ImportError', `the import "${start}…" has more than ${MAX_SPECIFIER_CHARS} characters`);
  }
  const [reply, body] = await request({ type: 'import', specifier, referrer });
  if (!reply.ok) throw named(reply.name, reply.message);
  const { url, hash } = reply.value as ImportReply;
  imported.set(url, { url, hash });
  return { url, source: decoder.decode(body) };
};

/** Blocks until the runner kills the process. Deno would take milliseconds to exit. */
const waitForEnd = (): void => {
  const chunk = new Uint8Array(1024);
  while (readSync?.(chunk));
};

const NO_MAIN =
  'the code does not define a function named main: declare or export it, and build a bundle as an ES module (esbuild: --format=esm)';

const run = async (jsParams: string): Promise<void> => {
  startClock();
  try {
    const main = await loadMain?.(load);
    if (typeof main !== 'function') throw named('NoMainError', NO_MAIN);
    const value: unknown = await main(parse(jsParams));
    const json = value === undefined ? undefined : toJson(value);
    if (settled) return;
    hasReturned = json !== undefined;
    finish = () => {
      if (settled) return;
      settled = true;
      endLog();
      post({ type: 'done' }, redactedResponse(json ?? responseJson));
      waitForEnd();
    };
    const text = releasePending();
    if (text !== undefined) post({ type: 'pending', text: redaction.redact(text) });
    // The action can have replaced it, and would not learn when its work has ended.
    if (!defineProperty(globalThis, 'dispatchEvent', { value: dispatchEvent })) finish();
  } catch (error) {
    fail(error);
  }
};

/** Runs an empty action and encodes its response. */
const rehearse = async (): Promise<void> => {
  await compile('')(load);
  encode({ type: 'done' }, encoder.encode(stringify('')));
};

/** A fork that gets no run for this time signs once. One that is taken as soon as it is ready does not. */
const QUIET_MS = 10;
/** Number of signatures after which V8 compiles no more code for them: it would compile in a fork while the run waits. */
const SIGNATURES = 60;

/** Loads and compiles the code of a run and of a signature, so that every fork has it. */
const prepare = async (): Promise<void> => {
  inspectArgs(['', {}], {});
  await rehearse();
  for (let i = 0; i < SIGNATURES; i++) ethers.utils.verifyMessage('a', await sign());
};

const sign = (): Promise<string> => new ethers.Wallet(ethers.utils.keccak256([1])).signMessage('a');

/** Fails the run, or logs the error of work that `main` did not await before it returned a value. */
const failLate = (thrown: unknown): void => {
  if (!hasReturned) {
    fail(thrown);
    return;
  }
  let text = 'error after main returned';
  try {
    text = inspectArgs([`${text}:`, thrown], {});
  } catch {
    // A getter of the thrown value threw.
  }
  log(`${text.slice(0, maxLogChars - 1)}\n`);
};

/** The only global that Deno itself calls: for an uncaught error, and when the event loop has nothing left to wait for. */
const dispatchEvent = (event: Event): boolean => {
  event.preventDefault();
  if (event instanceof PromiseRejectionEvent) failLate(event.reason);
  else if (event instanceof ErrorEvent) failLate(event.error);
  else if (event.type === 'beforeunload') {
    if (finish) finish();
    else fail(named('NeverSettledError', 'main waits for an event that can no longer happen'));
  }
  // Deno ends the process, unless the event is prevented: the host ends it after a run.
  return finish === undefined;
};

hideHostFrames();
boundCrypto();
reduceGlobals({
  dispatchEvent,
  ethers,
  Svc: Object.freeze({ Actions: actions }),
  SvcActions: actions,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  Buffer,
  fetch: createFetch(() => maxRequestBodyBytes),
  console: new Console(log),
});
Math.random = random;
if (isTemplate) {
  await prepare();
  ({ readSync, hasInput, endAfter } = serveForks());
  reseed();
  // The kernel copies a page of memory when a fork first writes to it. The rehearsal writes to them before the run does.
  await rehearse();
}
post({ type: 'ready' });
// In a timer, so that Deno finishes its start: `listen` can block the event loop.
setTimeout(async () => {
  // Writes to the pages of memory that a signature writes to.
  if (hasInput?.(QUIET_MS) === false) await sign();
  void listen({
    readSync,
    onCode(code) {
      loadMain = compile(code);
    },
    onRun(message) {
      endAfter?.(Math.ceil(message.timeoutMs / 1_000) + GRACE_SECONDS);
      ({ maxResponseBytes, maxRequestBodyBytes } = message);
      // A character takes at most six bytes of a frame, as `\u0000` does.
      maxLogChars = Math.floor(message.maxFrameBytes / 6) - 100;
      void run(message.jsParams);
    },
  });
});
