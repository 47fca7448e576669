/**
 * The process that starts, feeds and ends action processes, so that their start, output and fetches do not block the
 * relayer, and their limits hold while the relayer is busy. It has no payers, database or chain; the relayer answers
 * its key calls.
 */
import type { RunKeys } from '../keys/release.ts';
import { ActionError } from './errors.ts';
import { createRuntime, type LocalRuntime } from './runtime.ts';
import type { FromSupervisor, ToSupervisor } from './supervisor-protocol.ts';

const send = (message: FromSupervisor): void => {
  process.send?.(message);
};

let runtime: Promise<LocalRuntime> | undefined;
const stops = new Map<number, AbortController>();
const keyCalls = new Map<number, PromiseWithResolvers<string>>();
let lastCall = 0;

/** The key functions of one run, forwarded to the relayer. */
function forwardKeys(run: number): RunKeys {
  const ask = (operation: keyof RunKeys) => (args?: unknown) => {
    lastCall += 1;
    const answer = Promise.withResolvers<string>();
    keyCalls.set(lastCall, answer);
    send({ type: 'key', call: lastCall, run, operation, args });
    return answer.promise;
  };
  return {
    getPrivateKey: ask('getPrivateKey'),
    Encrypt: ask('Encrypt'),
    Decrypt: ask('Decrypt'),
    getActionPrivateKey: ask('getActionPrivateKey'),
    getActionPublicKey: ask('getActionPublicKey'),
    getActionWalletAddress: ask('getActionWalletAddress'),
  } as RunKeys;
}

function settleCall(call: number, settle: (answer: PromiseWithResolvers<string>) => void): void {
  const answer = keyCalls.get(call);
  keyCalls.delete(call);
  if (answer) settle(answer);
}

async function start(options: Extract<ToSupervisor, { type: 'start' }>['options']): Promise<void> {
  const onHostError = (error: unknown, { cid }: { cid: string }): void => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    send({ type: 'host error', message, stack, cid });
  };
  runtime = createRuntime({ ...options, onHostError });
  try {
    send({ type: 'ready', controllers: (await runtime).controllers });
  } catch (error) {
    send({ type: 'failed to start', message: String(error) });
    process.disconnect();
  }
}

async function run({ id, request }: Extract<ToSupervisor, { type: 'run' }>): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  try {
    const result = await (await (runtime as Promise<LocalRuntime>)).run({
      ...request,
      keys: forwardKeys(id),
      signal: stop.signal,
      onStart: () => send({ type: 'started', id }),
    });
    send({ type: 'result', id, result });
  } catch (error) {
    send({ type: 'unavailable', id, message: String((error as Error).message) });
  } finally {
    stops.delete(id);
  }
}

async function close(): Promise<void> {
  await (await runtime)?.close();
  process.disconnect();
}

process.on('message', (message: ToSupervisor) => {
  switch (message.type) {
    case 'start':
      return void start(message.options);
    case 'run':
      return void run(message);
    case 'stop':
      return stops.get(message.id)?.abort(new ActionError(message.error.name, message.error.message));
    case 'key':
      return settleCall(message.call, ({ resolve }) => resolve(message.value));
    case 'key refused':
      return settleCall(message.call, ({ reject }) =>
        reject(new ActionError(message.error.name, message.error.message)),
      );
    case 'stats':
      return void runtime?.then(({ stats }) => send({ type: 'stats', id: message.id, stats: stats() }));
    case 'close':
      return void close();
  }
});
// A terminal sends its signals to the whole process group; the relayer decides when its supervisor ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Without the relayer, no caller waits for a run. The kernel ends the action processes with this one.
process.on('disconnect', () => process.exit());
