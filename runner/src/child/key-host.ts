/** The process of `../keys/key-program.ts`: a fork of the template for keys, or a Deno of its own. */
import { isTemplate, serveForks } from '@latchkey/fork-server/fork';
import { reseed } from './random.ts';

const { stdin, stdout } = Deno;

export const host = {
  isTemplate,
  /** Call in the template. Returns in each fork, with the function that reads the input. */
  fork(): (chunk: Uint8Array) => number {
    // Rehearsals use whole blocks of random numbers. This begins a block, so that the test notices a fork that does not `reseed`.
    crypto.getRandomValues(new Uint8Array(32));
    const { readSync } = serveForks();
    reseed();
    return readSync;
  },
  readSync: (chunk: Uint8Array): number => stdin.readSync(chunk) ?? 0,
  writeSync(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) written += stdout.writeSync(bytes.subarray(written));
  },
};
