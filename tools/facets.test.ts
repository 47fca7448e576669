import { toFunctionSelector } from 'viem';
import { describe, expect, test } from 'vitest';
import { type Contract, MAX_CODE_SIZE, oversized, wrongFunctions } from './facets.ts';

/** A contract with functions given as `name(types)`, or `name(types) mutability returns (types)`. */
function contract(name: string, functions: string[], codeSize = 1): Contract {
  const made: Contract = {
    name,
    abi: [],
    methodIdentifiers: {},
    deployedBytecode: { object: `0x${'00'.repeat(codeSize)}` },
  };
  for (const text of functions) {
    const match = /^(\w+)\(([^)]*)\)(?: (\w+) returns \(([^)]*)\))?$/.exec(text);
    if (!match) throw new Error(text);
    const [, functionName = '', inputs = '', stateMutability = 'nonpayable', outputs = ''] = match;
    const types = (list: string) => (list === '' ? [] : list.split(',').map((type) => ({ type })));
    made.abi.push({
      type: 'function',
      name: functionName,
      inputs: types(inputs),
      outputs: types(outputs),
      stateMutability,
    });
    const signature = `${functionName}(${inputs})`;
    made.methodIdentifiers[signature] = toFunctionSelector(signature).slice(2);
  }
  return made;
}

// Two functions that do share a selector.
const BURN = 'burn(uint256)';
const COLLIDING = 'collate_propagate_storage(bytes16)';

test('facets that share the functions of the interface among them are right', () => {
  const declared = contract('I', ['f()', 'g(uint256) view returns (bool,uint256[])', BURN]);
  const facets = [contract('A', ['f()', BURN]), contract('B', ['g(uint256) view returns (bool,uint256[])'])];
  expect(wrongFunctions(declared, facets)).toEqual([]);
});

describe('refuses', () => {
  test.each<[string, Contract, Contract[], string[]]>([
    [
      'two functions of the facets with one selector',
      contract('I', [BURN]),
      [contract('A', [BURN]), contract('B', [COLLIDING])],
      [
        `${COLLIDING} of B and ${BURN} of A share the selector 0x42966c68`,
        `${COLLIDING} of B is missing in I`,
      ],
    ],
    [
      'two functions of the interface with one selector',
      contract('I', [BURN, COLLIDING]),
      [contract('A', [BURN]), contract('B', [])],
      [`${COLLIDING} and ${BURN} of I share the selector 0x42966c68`, `${COLLIDING} of I is in no facet`],
    ],
    [
      'a function of a facet with the selector of another one of the interface',
      contract('I', [BURN]),
      [contract('A', [COLLIDING])],
      [
        `${COLLIDING} of A and ${BURN} of I share the selector 0x42966c68`,
        `${COLLIDING} of A is missing in I`,
        `${BURN} of I is in no facet`,
      ],
    ],
    [
      'a function in two facets',
      contract('I', [BURN]),
      [contract('A', [BURN]), contract('B', [BURN])],
      [`${BURN} (0x42966c68) is in A and in B`],
    ],
    [
      'a function that the interface lacks',
      contract('I', ['f()']),
      [contract('A', ['f()', 'g()'])],
      ['g() of A is missing in I'],
    ],
    [
      'a function that the facets lack',
      contract('I', ['f()', 'g()']),
      [contract('A', ['f()'])],
      ['g() of I is in no facet'],
    ],
    [
      'other return values',
      contract('I', ['f() view returns (uint256)']),
      [contract('A', ['f() view returns (bool)'])],
      ['f() is view returns (bool) in A, but view returns (uint256) in I'],
    ],
    [
      'another mutability',
      contract('I', ['f() view returns (bool)']),
      [contract('A', ['f() nonpayable returns (bool)'])],
      ['f() is nonpayable returns (bool) in A, but view returns (bool) in I'],
    ],
  ])('%s', (_name, declared, facets, wrong) => {
    expect(wrongFunctions(declared, facets)).toEqual(wrong);
  });

  test('return values that differ within a struct', () => {
    const returning = (type: string): Contract => {
      const made = contract('I', ['f()']);
      const components = [{ type: 'uint256' }, { type: 'tuple', components: [{ type }] }];
      for (const item of made.abi) item.outputs = [{ type: 'tuple[]', components }];
      return made;
    };
    expect(wrongFunctions(returning('bool'), [returning('bool')])).toEqual([]);
    expect(wrongFunctions(returning('bool'), [returning('bool[]')])).toEqual([
      'f() is nonpayable returns ((uint256,(bool[]))[]) in I, but nonpayable returns ((uint256,(bool))[]) in I',
    ]);
  });

  test('code over the limit of a contract, not code at the limit', () => {
    expect(oversized([contract('A', [], MAX_CODE_SIZE), contract('B', [], MAX_CODE_SIZE + 1)])).toEqual([
      'B has 24577 bytes, over 24576',
    ]);
  });
});
