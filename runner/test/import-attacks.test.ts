/** No object of `node:vm` reaches an action by `import()`: it leads to the compiler of V8. */
import { expect, test } from 'vitest';
import { attackOf, modules, replacements } from './import-attacks.ts';
import { startRuntimeWithCdn } from './runtime.ts';

const { run } = await startRuntimeWithCdn(modules);

const all = Object.values(replacements).map((each) => `{ ${each} }`);
test.concurrent.each([...Object.entries(replacements), ['all of them', all.join('\n')] as const])(
  'an action that has replaced %s gets no object of the host by import()',
  async (_title, replacement) => {
    for (const suffix of ['', '; export { main }']) {
      const result = await run(attackOf(replacement) + suffix, { limits: { timeoutMs: 20_000 } });
      expect(result.error).toBeUndefined();
      const { found, count } = result.response as { found: string[]; count: number };
      expect(found).toEqual([]);
      expect(count).toBeGreaterThan(20);
    }
  },
);
