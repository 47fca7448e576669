import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Line and column count from 1, in UTF-16 code units. */
export type SyntaxFault = { line: number; column: number; message: string };

const CHILD = fileURLToPath(new URL('./syntax-child.ts', import.meta.url));

let turn: Promise<unknown> = Promise.resolve();

/**
 * Resolves to the syntax error of the code of an action, or to undefined. Parses in a process of its own, one after another.
 * Rejects when the parser fails or `signal` is aborted.
 */
export function findSyntaxFault(code: string, signal: AbortSignal): Promise<SyntaxFault | undefined> {
  const parsed = turn.then(() => parse(code, signal));
  turn = parsed.catch(() => {});
  return parsed;
}

async function parse(code: string, signal: AbortSignal): Promise<SyntaxFault | undefined> {
  signal.throwIfAborted();
  // An empty environment: the process parses foreign code and needs no secret.
  const child = spawn(process.execPath, [CHILD], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
  });
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
  // The process can end before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(code);
  const output = await Promise.race([text(child.stdout), failed]);
  return (JSON.parse(output) as SyntaxFault | null) ?? undefined;
}
