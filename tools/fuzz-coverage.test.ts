import { readdirSync, readFileSync } from 'node:fs';
import { accountConfigAbi } from '@latchkey/protocol';
import { expect, it } from 'vitest';

/** Functions that the tests call through a helper of AccountConfigTest, as a pattern. */
const helpers: Record<string, string> = {
  setUsageApiKey: '\\bsetKey',
  canExecuteActionAndUseWallet: '\\bassertCan',
};

/** Random calls reach every function (test/fuzz/calldata.t.sol); properties must be written per function. */
it('every function of the interface is in a property of the fuzz tests', () => {
  const dir = new URL('../test/fuzz/', import.meta.url);
  const sources = readdirSync(dir)
    .filter((file) => file.endsWith('.t.sol') && file !== 'calldata.t.sol')
    .map((file) => readFileSync(new URL(file, dir), 'utf8'))
    .join('\n');
  const missing = accountConfigAbi
    .filter((item) => item.type === 'function')
    // A call, or the function in abi.encodeCall.
    .filter(({ name }) => !new RegExp(`${helpers[name] ?? `\\.${name}`}[(,]`).test(sources));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
