import { describe, expect, it } from 'vitest';
import { parse, readSources, solidityFiles } from './compiler.ts';
import { findMutants } from './mutants.ts';
import { findProbes } from './probes.ts';
import type { Mutant } from './recorder.ts';
import { withMutant, withSwitches } from './switches.ts';

const FILE = 'contracts/A.sol';

/** Returns the trees of a contract with this body; the comment has characters of several bytes. */
function trees(body: string) {
  const source = `// SPDX-License-Identifier: MIT\npragma solidity 0.8.37;\n// · 256 ·\ncontract A {\n${body}\n}\n`;
  const sources = { [FILE]: Buffer.from(source, 'utf8').toString('latin1') };
  return { asts: parse(sources), sources };
}

/** Returns the mutants of a function without the name of the place. */
function mutations(body: string): string[] {
  return findMutants(trees(body)).map(({ id }) => id.slice(id.indexOf(': ') + 2));
}

describe('mutants', () => {
  it.each([
    ['comparison: a < b → a <= b', 'a < b ? a : b'],
    ['comparison: a < b → a >= b', 'a < b ? a : b'],
    ['comparison: a == b → a != b', 'a == b ? a : b'],
    ['branches swapped: a < b ? a : b → a < b ? b : a', 'a < b ? a : b'],
    ['logic: a < b && b < 9 → a < b || b < 9', 'a < b && b < 9 ? a : b'],
    ['arithmetic: a + b → a - b', 'a + b'],
    ['arithmetic: a & b → a | b', 'a & b'],
    ['arithmetic: a << b → a >> b', 'a << b'],
    ['shift amount: a << b → a << 1 + b', 'a << b'],
    ['complement removed: ~a → a', '~a'],
    ['constant: a + 0x0f → a + 0x10', 'a + 0x0f'],
    ['constant: a + 0x0f → a + 0x00', 'a + 0x0f'],
    ['constant: a + 2 → a + 1', 'a + 2'],
    ['constant: 1 << 4 → 1 << 5', 'a + (1 << 4)'],
    ['arguments swapped: f(a, b) → f(b, a)', 'f(a, b)'],
    ['value returned: return a + b → return uint256(0)', 'a + b'],
  ])('%s', (expected, expression) => {
    const body = `function f(uint256 a, uint256 b) external pure returns (uint256) { return ${expression}; }`;
    expect(mutations(body.replace('external', 'public'))).toContain(expected);
  });

  it.each([
    ['statement removed: x = 1 → ', 'x = 1;'],
    ['statement removed: ++x → ', '++x;'],
    ['step turned: ++x → --x;', '++x;'],
    ['operator of assignment: x |= 4 → x &= 4;', 'x |= 4;'],
    ['statement removed: emit E(x, y) → ', 'emit E(x, y);'],
    ['arguments swapped: E(x, y) → E(y, x)', 'emit E(x, y);'],
    ['statement removed: if (x == 0) revert F() → if (x == 0)', 'if (x == 0) revert F();'],
    ['statement removed: if (x == 0) return; → if (x == 0)', 'if (x == 0) return; x = 1;'],
    [
      'statement removed: if (i == x) continue → if (i == x)',
      'for (uint256 i; i < 3; ++i) { if (i == x) continue; y = i; }',
    ],
    ['negation removed: !b → b', 'if (!b) x = 1;'],
    ['condition negated: b → !(b)', 'if (b) x = 1;'],
    ['value dropped: uint256 z = x → uint256 z = uint256(0)', 'uint256 z = x; y = z;'],
    ['constant: 7 → (7) + 1', 'x = C;'],
    ['iszero removed: iszero(z) → z', 'uint256 z = x; assembly { z := iszero(z) } y = z;'],
    ['arithmetic: shl(2, z) → shr(2, z)', 'uint256 z = x; assembly { z := shl(2, z) } y = z;'],
    ['comparison: lt(z, 9) → iszero(gt(z, 9))', 'uint256 z = x; assembly { z := lt(z, 9) } y = z;'],
    ['constant: mstore(0, 32) → mstore(0, 33)', 'assembly { mstore(0, 32) }'],
    ['statement removed: z := 3 → ', 'uint256 z = x; assembly { z := 3 } y = z;'],
  ])('%s', (expected, statements) => {
    const found = mutations(`uint256 x; uint256 y; bool b; uint256 constant C = 7;
      event E(uint256 a, uint256 b); error F();
      function f() external { ${statements} }`);
    expect(found).toContain(expected);
  });

  const sample = trees(`
    uint256 private constant SIZE = 1 << 4;
    uint256 private constant TWICE = 2 * SIZE;
    mapping(uint256 => uint256) private words;
    event Written(uint256 indexed at, uint256 word);
    error Full(uint256 at, uint256 count);
    function key(uint256 a, uint256 b) private pure returns (uint256) { return (a << 128) | (b & 255); }
    function write(uint256[] calldata values, address who) external returns (bool) {
        if (who == address(0) || values.length == 0) return false;
        for (uint256 i; i < values.length; ++i) {
            if (values[i] & 1 == 0) continue;
            if (i > SIZE - 1) revert Full(values[i], i);
            words[key(i, values[i] >> 8)] |= 1 << (values[i] & 31);
            uint256 word;
            assembly ("memory-safe") {
                let at := add(values.offset, shl(5, i))
                word := and(calldataload(at), not(SIZE))
                if iszero(lt(word, 3)) { word := 3 }
                for { let j := 0 } lt(j, 2) { j := add(j, 1) } { log1(0, 32, j) }
            }
            emit Written(i, word);
        }
        unchecked { words[TWICE]++; }
        return true;
    }`);
  const mutants = findMutants(sample);

  it('have unique ids', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThan(80);
  });

  it('compile alone', () => {
    for (const mutant of mutants) parse(withMutant(sample.sources, mutant));
  }, 60_000);

  it('compile as switches, also several at one place', () => {
    const numbered = mutants
      .map((mutant, i): [number, Mutant] => [i + 1, mutant])
      .filter(([, { switches }]) => switches);
    const place = ([, { switches }]: [number, Mutant]) =>
      JSON.stringify(switches?.map(({ start, end }) => [start, end]));
    for (const together of Map.groupBy(numbered, place).values())
      parse(withSwitches(sample, new Map(together)));
  }, 60_000);

  // The switches of one batch are in one file; all others only change from `pure` to `view`.
  it('compile as switches with every contract of the project', () => {
    const sources = readSources(solidityFiles('contracts'));
    parse(withSwitches({ asts: parse(sources), sources }, new Map()));
  }, 120_000);

  it('have probes at the end of blocks and on both branches of conditions', () => {
    const { probes, switched } = findProbes(sample);
    parse(switched);
    const ids = probes.map(({ id }) => id.slice(id.indexOf(': ') + 2));
    expect(ids).toContain('true: values[i] & 1 == 0');
    expect(ids).toContain('false: i > SIZE - 1');
    expect(ids).toContain('false: iszero(lt(word, 3))');
    expect(ids).toContain('end of block: word := 3');
    expect(ids).toContain('end of block: return true');
  });
});
