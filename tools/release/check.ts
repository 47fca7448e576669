/** Packed packages, as publint and arethetypeswrong see them. */
import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import type { Packed } from '@latchkey/bundle/pack';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Resolutions of TypeScript that ES modules with `exports` are not made for: that of Node 10, and `require` before Node 20.19. The profile `esm-only`
 * of arethetypeswrong leaves out the same.
 */
const OLDER = ['node10', 'node16-cjs'];

/** Returns what is wrong with a package, one line per finding, suggestions included. */
export async function findFaults({ manifest, directory, tarball }: Packed): Promise<string[]> {
  const data = await readFile(tarball);
  const { messages, pkg } = await publint({ pkgDir: directory, strict: true });
  const faults = messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
  if (!analysis.types) {
    if (manifest.exports?.['.'] !== undefined) faults.push('arethetypeswrong: no types');
  } else {
    for (const problem of analysis.problems) {
      if ('resolutionKind' in problem && OLDER.includes(problem.resolutionKind)) continue;
      faults.push(`arethetypeswrong: ${JSON.stringify(problem)}`);
    }
  }
  return faults.map((fault) => `${manifest.name}: ${fault}`);
}
