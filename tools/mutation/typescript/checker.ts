/** A checker of Stryker that lets only the mutants of a sample run: those in the file STRYKER_SAMPLE. */
import { readFileSync } from 'node:fs';
import { type Found, place } from './mutants.ts';

class SampleChecker {
  readonly #chosen = new Set<string>(JSON.parse(readFileSync(process.env.STRYKER_SAMPLE as string, 'utf8')));

  async init(): Promise<void> {}

  async check(mutants: Found[]) {
    const failed = { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(
      mutants.map((mutant) => [mutant.id, this.#chosen.has(place(mutant)) ? { status: 'passed' } : failed]),
    );
  }

  /** All that wait, in one message. */
  async group(mutants: Found[]) {
    return [mutants.map(({ id }) => id)];
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }];
