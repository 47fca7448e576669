import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  compare,
  compileLayout,
  declarationsIn,
  type Field,
  type Layout,
  namespaceSlot,
} from './storage-layout.ts';

const ID = 'latchkey.storage.Test';
const snapshot = JSON.parse(readFileSync('snapshots/storage-layout.json', 'utf8')) as Layout;

/** Returns the source of a library with a struct of these fields and further declarations. */
function library(fields: string, others = ''): string {
  return `library Test {
    ${others}
    /// @custom:storage-location erc7201:${ID}
    struct Layout { ${fields} }
    bytes32 internal constant SLOT = ${namespaceSlot(ID)};
  }`;
}

const compile = (fields: string, others?: string): Layout =>
  compileLayout({ 'Test.sol': library(fields, others) });

/** Compares the layouts of a struct before and after a change of its fields. */
function change(before: [fields: string, others?: string], after: [fields: string, others?: string]) {
  return compare(compile(...before), compile(...after));
}

test('the slot of a namespace follows the formula of ERC-7201', () => {
  // The example of the standard.
  expect(namespaceSlot('example.main')).toBe(
    '0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500',
  );
});

test('a layout lists every field with its type and position, also in inner structs', () => {
  const inner: Field = { label: 'f', type: 'bool', slot: 0, offset: 0, bytes: 1 };
  expect(
    compile(
      'uint128 a; uint64 b; Inner c; mapping(address => Inner) d; Inner[] e;',
      'struct Inner { bool f; }',
    ),
  ).toEqual({
    [ID]: {
      struct: 'Test.Layout',
      slot: namespaceSlot(ID),
      fields: [
        { label: 'a', type: 'uint128', slot: 0, offset: 0, bytes: 16 },
        { label: 'b', type: 'uint64', slot: 0, offset: 16, bytes: 8 },
        { label: 'c', type: 'struct Test.Inner', slot: 1, offset: 0, bytes: 32, fields: [inner] },
        {
          label: 'd',
          type: 'mapping(address => struct Test.Inner)',
          slot: 2,
          offset: 0,
          bytes: 32,
          fields: [inner],
        },
        {
          label: 'e',
          type: 'struct Test.Inner[]',
          slot: 3,
          offset: 0,
          bytes: 32,
          elementBytes: 32,
          fields: [inner],
        },
      ],
    },
  });
});

test('refuses a library whose slot differs from its namespace', () => {
  const source = library('uint256 a;').replace('00;', '01;');
  expect(() => compileLayout({ 'Test.sol': source })).toThrow(`but ${ID} is at ${namespaceSlot(ID)}`);
  expect(() => declarationsIn(library('uint256 a;').replace('SLOT', 'PLACE'))).toThrow('constant SLOT');
});

describe('accepts', () => {
  test.each<[string, [string, string?], [string, string?], string[]]>([
    ['the same', ['uint256 a; bool b;'], ['uint256 a; bool b;'], []],
    ['a field at the end', ['uint256 a;'], ['uint256 a; bool b;'], ['b']],
    ['a field at the end within the last slot', ['uint128 a;'], ['uint128 a; bool b;'], ['b']],
    [
      'a field at the end of a struct in a mapping',
      ['mapping(uint256 => S) a; bool b;', 'struct S { bool c; }'],
      ['mapping(uint256 => S) a; bool b;', 'struct S { bool c; uint256 d; }'],
      ['a.d'],
    ],
  ])('%s', (_name, before, after, added) => {
    expect(change(before, after)).toEqual({ refused: [], added: added.map((name) => `${ID}.${name}`) });
  });

  test('another namespace', () => {
    expect(compare({}, snapshot)).toEqual({ refused: [], added: Object.keys(snapshot) });
  });
});

describe('refuses', () => {
  test.each<[string, [string, string?], [string, string?], string[]]>([
    [
      'a field inserted at the start',
      ['uint256 a; bool b;'],
      ['bool z; uint256 a; bool b;'],
      [
        'a moved from slot 0, offset 0 to slot 1, offset 0',
        'b moved from slot 1, offset 0 to slot 2, offset 0',
      ],
    ],
    [
      'fields that swap places',
      ['address a; bool b;'],
      ['bool b; address a;'],
      [
        'a moved from slot 0, offset 0 to slot 0, offset 1',
        'b moved from slot 0, offset 20 to slot 0, offset 0',
      ],
    ],
    [
      'a field inserted into the free bytes of a slot',
      ['uint128 a; uint256 b;'],
      ['uint128 a; bool z; uint256 b;'],
      ['b is no longer field 2 of its struct'],
    ],
    [
      'another type of the same size',
      ['uint256 a;'],
      ['int256 a;'],
      ['a changed its type from uint256 of 32 bytes to int256 of 32 bytes'],
    ],
    [
      'another key of a mapping',
      ['mapping(uint256 => bool) a;'],
      ['mapping(address => bool) a;'],
      [
        'a changed its type from mapping(uint256 => bool) of 32 bytes to mapping(address => bool) of 32 bytes',
      ],
    ],
    ['the last field removed', ['uint256 a; bool b;'], ['uint256 a;'], ['b vanished from slot 1, offset 0']],
    ['another name', ['uint256 a;'], ['uint256 z;'], ['a vanished from slot 0, offset 0']],
    [
      'a change in a struct in a mapping',
      ['mapping(uint256 => S) a;', 'struct S { bool c; bool d; }'],
      ['mapping(uint256 => S) a;', 'struct S { bool d; bool c; }'],
      [
        'a.c moved from slot 0, offset 0 to slot 0, offset 1',
        'a.d moved from slot 0, offset 1 to slot 0, offset 0',
      ],
    ],
    [
      'larger elements of an array',
      ['S[] a;', 'struct S { uint256 c; }'],
      ['S[] a;', 'struct S { uint256 c; uint256 d; }'],
      ['a changed its type from struct Test.S[] of 32 bytes to struct Test.S[] of 64 bytes'],
    ],
    [
      'larger elements of an array in a mapping',
      ['mapping(uint256 => S[]) a;', 'struct S { uint256 c; }'],
      ['mapping(uint256 => S[]) a;', 'struct S { uint256 c; uint256 d; }'],
      [
        'a changed its type from mapping(uint256 => struct Test.S[]) of 32 bytes to mapping(uint256 => struct Test.S[]) of 64 bytes',
      ],
    ],
    [
      'a larger inner struct',
      ['S a;', 'struct S { uint256 c; }'],
      ['S a;', 'struct S { uint256 c; uint256 d; }'],
      ['a changed its type from struct Test.S of 32 bytes to struct Test.S of 64 bytes'],
    ],
  ])('%s', (_name, before, after, refused) => {
    expect(change(before, after).refused).toEqual(refused.map((sentence) => `${ID}.${sentence}`));
  });

  /** Returns every field of the committed snapshot, also in inner structs, with its list. */
  function listFields(layout: Layout): { list: Field[]; index: number; field: Field }[] {
    const all: { list: Field[]; index: number; field: Field }[] = [];
    const walk = (list: Field[]) => {
      for (const [index, field] of list.entries()) {
        all.push({ list, index, field });
        if (field.fields) walk(field.fields);
      }
    };
    for (const { fields } of Object.values(layout)) walk(fields);
    return all;
  }

  test.each<[string, (list: Field[], index: number, field: Field) => void]>([
    ['moves to another slot', (_list, _index, field) => (field.slot += 1)],
    ['moves within its slot', (_list, _index, field) => (field.offset += 1)],
    ['changes its type', (_list, _index, field) => (field.type = 'bytes32[7]')],
    ['changes its size', (_list, _index, field) => (field.bytes += 1)],
    ['vanishes', (list, index) => list.splice(index, 1)],
    ['is preceded by another', (list, index, field) => list.splice(index, 0, { ...field, label: 'new' })],
  ])('refuses a committed field that %s', (_name, alter) => {
    const count = listFields(snapshot).length;
    expect(count).toBeGreaterThan(20);
    for (let i = 0; i < count; ++i) {
      const altered = structuredClone(snapshot);
      const found = listFields(altered)[i];
      if (!found) throw new Error('no such field');
      alter(found.list, found.index, found.field);
      expect(compare(snapshot, altered).refused.join(), found.field.label).toContain(found.field.label);
    }
  });

  test('refuses a namespace that moves or vanishes', () => {
    const layout = compile('uint256 a;');
    const namespace = layout[ID];
    if (!namespace) throw new Error('no namespace');
    expect(compare(layout, { [ID]: { ...namespace, slot: '0x01' } }).refused).toEqual([
      `${ID} moved from ${namespaceSlot(ID)} to 0x01`,
    ]);
    expect(compare(layout, {}).refused).toEqual([`${ID} vanished`]);
  });
});
