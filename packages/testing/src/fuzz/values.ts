/** Values that an attacker can send as a field, a header or a whole body. */
import fc from 'fast-check';

const repeated = (text: string, times: number): string => text.repeat(times);

/** Texts at the limits of the codecs and beyond. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00\ud800',
    '\u202e\u0000\ufeff',
    '__proto__',
    'constructor',
    'toString',
    '-1',
    '0',
    '00',
    '1e3',
    '1.5',
    'NaN',
    'Infinity',
    '0x',
    '0x0',
    '0xg',
    '18446744073709551615',
    '18446744073709551616',
    '0xffffffffffffffff',
    '0x10000000000000000',
    `0x${repeated('0', 40)}`,
    `0x${repeated('f', 40)}`,
    `0x${repeated('0', 64)}`,
    `0x${repeated('f', 64)}`,
    `0x${repeated('f', 65)}`,
    '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    'Qm',
    `Qm${repeated('1', 44)}`,
    `b${repeated('a', 255)}`,
    `z${repeated('1', 300)}`,
    'pi_',
    `pi_${repeated('x', 251)}`,
    `${repeated('A', 43)}=`,
    "'; drop table runs; --",
    '{{7*7}}',
    '../../etc/passwd',
    '\r\nX-Injected: 1',
    repeated('é', 64),
    repeated('é', 65),
    repeated('x', 128),
    repeated('x', 129),
    repeated('x', 1_024),
    repeated('x', 1_025),
    repeated('😀', 5_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

const hostileNumber = fc.oneof(
  fc.constantFrom(
    -1,
    -0,
    0,
    1.5,
    499,
    500,
    99_999_999,
    100_000_000,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 64,
    2 ** 256,
    1e308,
    5e-324,
  ),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
);

const hostileList = fc.oneof(
  fc.constantFrom<unknown[]>(
    [],
    [null],
    [[]],
    Array(11).fill(0),
    Array(51).fill(1),
    Array(1_000).fill('0x'),
    [{}, {}],
    [1, 1, 1],
  ),
  fc.array(fc.oneof(hostileText, hostileNumber), { maxLength: 5 }),
);

/** Objects whose own names are the names of every object's prototype. */
const prototypeNames = fc.constantFrom(
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"toJSON":1,"then":1,"valueOf":null}',
  '{"length":-1,"hasOwnProperty":1}',
);

/** The JSON text of a value of any type. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: hostileNumber.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', '1e400', '-1e400', '1E5', '-0', '{}') },
  { weight: 2, arbitrary: hostileList.map((list) => JSON.stringify(list)) },
  { weight: 1, arbitrary: prototypeNames },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 300 }).map((depth) => repeated('[', depth) + repeated(']', depth)),
  },
);

/** Bodies that are not JSON, or JSON in a form that no client sends. */
export const brokenBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '',
      ' ',
      '{',
      '}',
      '[',
      '{"a":',
      '{"a":1,}',
      '{a:1}',
      "{'a':1}",
      '{"a":1}{"b":2}',
      '{"a":1} trailing',
      '/* comment */ {}',
      '{"a":01}',
      '{"a":.5}',
      '{"a":NaN}',
      '{"a":"\\x41"}',
      '{"a":"\t"}',
      '{"name":"a","name":"b"}',
      '{"name":"a","na\\u006de":"b"}',
      '"\\ud800"',
      '\ufeff{}',
      'a=b&c=d',
      '<a/>',
    )
    .map((text) => Buffer.from(text)),
  fc
    .constantFrom(101, 1_000, 16_000)
    .map((depth) => Buffer.from(repeated('[', depth) + repeated(']', depth))),
  fc
    .constantFrom(101, 3_000)
    .map((depth) => Buffer.from(`${repeated('{"a":', depth)}1${repeated('}', depth)}`)),
  fc.constantFrom(7_000, 100_001).map((members) => Buffer.from(`[${repeated('0,', members)}0]`)),
  fc.constantFrom(16_384, 16_385, 65_537, 300_000).map((size) => Buffer.from(`"${repeated('x', size)}"`)),
  fc.constant(Buffer.from('{}', 'utf16le')),
  fc.constant(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22])),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
