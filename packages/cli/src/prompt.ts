/** Questions to the person at the terminal. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError, EXIT, UsageError } from './errors.ts';

/** Asks on stderr, so that stdout has the result only. */
function ask(question: string, isShown: boolean): Promise<string> {
  process.stderr.write(question);
  const output = isShown ? process.stderr : new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    lines.once('line', (line) => {
      isAnswered = true;
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      if (!isShown) process.stderr.write('\n');
      if (!isAnswered) reject(new CommandError('interrupted', undefined, EXIT.interrupted));
    });
  });
}

/**
 * Reads a secret from an environment variable, from stdin, or from a prompt without echo. Never from an argument, which other users of
 * the machine can see.
 */
export async function readSecret(name: string, variable: string): Promise<string> {
  const value =
    process.env[variable] ??
    (process.stdin.isTTY ? await ask(`${name}: `, false) : (await text(process.stdin)).replace(/\r?\n$/, ''));
  if (value !== '') return value;
  throw new UsageError(`no ${name} was given`, `Type it at the prompt, or pass it by stdin or ${variable}.`);
}

/** Rejects unless the person agrees to the changes. */
export async function confirm(changes: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('this change asks for a confirmation, and there is no terminal', 'Add --yes.');
  process.stderr.write(`${changes}\n`);
  if (!/^y(?:es)?$/i.test(await ask('Continue? [y/N] ', true))) throw new CommandError('nothing was changed');
}
