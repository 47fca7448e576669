/** Only one place knows the layout of packed words. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SHIFTS = /<<|>>|\bsh[lr]\(/;
/** Assembly cannot call functions of a library; signed calls are calldata, not storage. */
const OTHERS = /^storage\/|Assembly\.sol$|^libraries\/LibSigned(Types|Writes)\.sol$/;

test('only contracts/storage shifts bits of stored words', () => {
  const files = readdirSync('contracts', { recursive: true, encoding: 'utf8' });
  const shifting = files
    .filter((file) => file.endsWith('.sol') && !OTHERS.test(file))
    .filter((file) => SHIFTS.test(readFileSync(`contracts/${file}`, 'utf8')));
  expect(files).toContain('storage/AccountWord.sol');
  expect(shifting).toEqual([]);
});
