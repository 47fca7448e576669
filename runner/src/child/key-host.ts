/** The process of `../keys/key-program.ts`: a fork of the template for keys, or a Deno of its own. */
import { isTemplate, serveForks } from '@latchkey/fork-server/fork';
import { reseed } from './random.ts';

const { stdin, stdout } = Deno;

export const host = {
  isTemplate,
  /** Serves the runner as the template. Returns in every fork how it reads its input. */
  fork(): (chunk: Uint8Array) => number {
    // Rehearsals use whole blocks of random numbers. After 32 bytes more, forks without `reseed` draw the same ones, which their test notices.
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
