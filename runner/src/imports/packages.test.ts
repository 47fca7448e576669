/** Actions that import packages of npm, from a stand-in for the CDN. */
import { describe, expect, test } from 'vitest';
import { versionOf } from '../../test/cdn.ts';
import { startRuntimeWithCdn } from '../../test/runtime.ts';
import { hashOfModule } from './module-store.ts';

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [
      `/npm/chain@1.0.0/${i}.js`,
      { body: i + 1 < length ? `export { default } from './${i + 1}.js'` : 'export default "end"' },
    ]),
  );

const { run, cdn } = await startRuntimeWithCdn({
  '/npm/counter@1.0.0/+esm': { body: 'export let count = 0; export const add = () => { count += 1 }' },
  '/npm/user@1.0.0/+esm': { body: `import { add } from '/npm/counter@1.0.0/+esm'; export const use = add` },
  '/npm/cycle@1.0.0/a.js': { body: `import { b } from './b.js'; export const a = () => b() + 1` },
  '/npm/cycle@1.0.0/b.js': {
    body: `import { a } from './a.js'; export const b = () => typeof a.name.length`,
  },
  '/npm/broken@1.0.0/+esm': { body: 'export const = 1' },
  '/npm/throws@1.0.0/+esm': { body: 'throw new RangeError("at its start")' },
  '/npm/fails@1.0.0/+esm': { body: 'export const fail = () => { throw new Error("in a module") }' },
  '/npm/meta@1.0.0/+esm': { body: 'export default import.meta.url' },
  '/npm/escapes@1.0.0/+esm': { body: 'import "https://evil.example/x.js"' },
  ...chain(101),
});
const outcome = async (code: string) => {
  const { response, error } = await run(code);
  return error ? `${error.name}: ${error.message}` : response;
};

const address = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const key = `0x${'0'.repeat(63)}1`;
test.each<[string, string, unknown]>([
  ['import { getAddress } from "viem"', `getAddress("${address.toLowerCase()}")`, address],
  ['import { privateKeyToAccount } from "viem/accounts"', `privateKeyToAccount("${key}").address`, address],
  ['import { parseEther } from "viem/utils"', 'String(parseEther("1"))', 1_000_000_000_000_000_000],
  ['import { z } from "zod"', 'z.object({ a: z.int() }).safeParse({ a: 1.5 }).success', false],
  ['import { parseAbiItem } from "abitype"', 'parseAbiItem("function f(uint a)").inputs[0].type', 'uint256'],
  [
    'import { secp256k1 } from "@noble/curves/secp256k1.js/+esm"',
    'secp256k1.getPublicKey(new Uint8Array(32).fill(1)).length',
    33,
  ],
  [
    'import { sha256 } from "@noble/hashes/sha2.js/+esm"',
    'sha256(new Uint8Array()).slice(0, 4).join()',
    '227,176,196,66',
  ],
  ['import { base58 } from "@scure/base"', 'base58.encode(new Uint8Array([1, 2, 3]))', 'Ldp'],
  [
    'import { generateMnemonic } from "@scure/bip39"; import { wordlist } from "@scure/bip39/wordlists/english"',
    'generateMnemonic(wordlist).split(" ").length',
    12,
  ],
  [
    'import { HDKey } from "@scure/bip32"',
    "HDKey.fromMasterSeed(new Uint8Array(32).fill(1)).derive(\"m/44'/60'/0'/0/0\").privateKey.length",
    32,
  ],
  [
    'import { CID } from "multiformats"',
    'CID.parse("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD").version',
    0,
  ],
  [
    'import { SignJWT, decodeJwt } from "jose"',
    'decodeJwt(await new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32))).a',
    1,
  ],
  ['import { chunk } from "lodash-es"', 'chunk([1, 2, 3], 2)', [[1, 2], [3]]],
  ['import _ from "lodash"', '_.camelCase("a b c")', 'aBC'],
  ['import bs58 from "bs58"', 'bs58.encode(new Uint8Array([1, 2, 3]))', 'Ldp'],
  ['import dayjs from "dayjs"', 'dayjs("2026-01-31").add(1, "month").format("YYYY-MM-DD")', '2026-02-28'],
  [
    'import { addDays, formatISO } from "date-fns"',
    'formatISO(addDays(new Date(2026, 0, 1), 1), { representation: "date" })',
    '2026-01-02',
  ],
  ['import { v4, validate } from "uuid"', 'validate(v4())', true],
  ['import nacl from "tweetnacl"', 'nacl.sign.keyPair.fromSeed(new Uint8Array(32)).publicKey.length', 32],
  ['import { BigNumber } from "bignumber.js"', 'new BigNumber("0.1").plus("0.2").toString()', 0.3],
  ['import { Decimal } from "decimal.js"', 'new Decimal("0.1").plus("0.2").toString()', 0.3],
  ['import BN from "bn.js"', 'new BN("ff", 16).toString()', 255],
  ['import * as R from "ramda"', 'R.sum([1, 2, 3])', 6],
  ['import { produce } from "immer"', 'produce({ a: 1 }, (draft) => { draft.a = 2 })', { a: 2 }],
  ['import canonicalize from "canonicalize"', 'canonicalize({ b: 1, a: 2 })', { a: 2, b: 1 }],
  ['import { nanoid } from "nanoid"', 'nanoid().length', 21],
  ['import superjson from "superjson"', 'superjson.stringify(new Date(0)).includes("Date")', true],
  ['import { parse } from "yaml"', 'parse("a: [1, 2]")', { a: [1, 2] }],
  ['import semver from "semver"', 'semver.satisfies("1.2.3", "^1.0.0")', true],
  ['import ms from "ms"', 'ms("2 days")', 172_800_000],
  ['import buffer from "buffer"', 'buffer.Buffer.from("ff", "hex")[0]', 255],
  ['import sha3 from "js-sha3"', 'sha3.keccak256("").slice(0, 8)', 'c5d24601'],
  [
    'import elliptic from "elliptic"',
    'new elliptic.ec("secp256k1").keyFromPrivate("01").getPublic(true, "hex").length',
    66,
  ],
  ['import equal from "fast-deep-equal"', 'equal({ a: [1] }, { a: [1] })', true],
  ['import Ajv from "ajv"', 'new Ajv.default().validate({ type: "integer" }, 1.5)', false],
  ['import qs from "qs"', 'qs.parse("a[b]=1").a.b', 1],
])('%s', async (statements, expression, expected) => {
  const imports = statements.replaceAll(/from "((?:@[^/"]+\/)?[^/"]+)([^"]*)"/g, (_, name, rest) => {
    return `from "${name}@${versionOf(name)}${rest}"`;
  });
  expect(await outcome(`${imports}\nexport const main = async () => ${expression}`)).toEqual(expected);
});

describe('a module', () => {
  test('exists once in a run, and anew in each', async () => {
    const code = `import { count, add } from 'counter@1.0.0'; import { use } from 'user@1.0.0';
      export const main = () => { add(); use(); return count }`;
    expect(await outcome(code)).toBe(2);
    expect(await outcome(code)).toBe(2);
  });

  test('can import in a cycle', async () => {
    const code = `import { a } from 'cycle@1.0.0/a.js'; export const main = () => a()`;
    expect(await outcome(code)).toBe('number1');
  });

  test('knows its URL', async () => {
    const code = `import url from 'meta@1.0.0'; export const main = () => url`;
    expect(await outcome(code)).toBe(`${cdn.cdnUrl}/meta@1.0.0/+esm`);
  });

  test('ends the run with what it throws', async () => {
    const code = `import 'throws@1.0.0'; export const main = () => 1`;
    expect(await outcome(code)).toBe('RangeError: at its start');
  });
});

test('showImportDetails has the URL and hash of each module', async () => {
  const code = `import { use } from 'user@1.0.0'; import { count } from 'counter@1.0.0';
    export const main = () => [use(), Svc.Actions.showImportDetails()][1]`;
  const details = (await outcome(code)) as { url: string; hash: string }[];
  expect(details.map(({ url }) => url).sort()).toEqual([
    `${cdn.cdnUrl}/counter@1.0.0/+esm`,
    `${cdn.cdnUrl}/user@1.0.0/+esm`,
  ]);
  const user = cdn.replies['/npm/user@1.0.0/+esm']?.body ?? '';
  expect(details).toContainEqual({
    url: `${cdn.cdnUrl}/user@1.0.0/+esm`,
    hash: hashOfModule(Buffer.from(user)),
  });
});

test.each([
  ['"broken@1.0.0"', /\/broken@1\.0\.0\/\+esm is not an ES module: /],
  ['"escapes@1.0.0"', /^ImportError: the import "https:\/\/evil\.example\/x\.js" in .* is not a module of /],
  ['"missing@1.0.0"', /does not exist on the CDN/],
  ['"chain@1.0.0/0.js"', /^ImportError: the action imports more than 100 modules/],
  ['"zod"', /^ImportError: the import "zod" has no exact version/],
])('ends the run with an ImportError for import %s', async (specifier, message) => {
  expect(await outcome(`import ${specifier}; export const main = () => 1`)).toMatch(message);
});

test('ends the run with an ImportError for an import of more than 2,000 characters', async () => {
  const code = `import '${'a'.repeat(2_001)}'; export const main = () => 1`;
  expect(await outcome(code)).toMatch(/^ImportError: the import "a{100}…" has more than 2000 characters$/);
});

test('ends the run with an ImportError for a hash that differs from an earlier import of the URL', async () => {
  const reply = (body: string) => {
    cdn.replies['/npm/changed@1.0.0/+esm'] = { body };
    return hashOfModule(Buffer.from(body));
  };
  const first = reply('export default 1');
  const main = 'export const main = () => b';
  expect(await outcome(`import b from 'changed@1.0.0'; ${main}`)).toBe(1);
  const second = reply('export default 2');
  expect(await outcome(`import b from 'changed@1.0.0#${second}'; ${main}`)).toBe(2);
  expect(
    await outcome(`import a from 'changed@1.0.0'; import b from 'changed@1.0.0#${first}'; ${main}`),
  ).toBe(1);
  expect(
    await outcome(`import a from 'changed@1.0.0'; import b from 'changed@1.0.0#${second}'; ${main}`),
  ).toMatch(
    /^ImportError: .*\/changed@1\.0\.0\/\+esm has the hash sha384-.*, another import of the run has sha384-/,
  );
});

test('100 modules can be imported', async () => {
  const code = `import end from "chain@1.0.0/1.js"; export const main = () => end`;
  expect(await outcome(code)).toBe('end');
});

test('the stack of an error has the URL of a module and the position in the code of the action', async () => {
  const { error } = await run(`import { fail } from 'fails@1.0.0';\nexport const main = () =>\n  fail()`);
  expect(error?.stack).toMatch(
    /^Error: in a module\n {4}at fail \(http.*\/npm\/fails@1\.0\.0\/\+esm:1:\d+\)\n {4}at main \(action\.js:3:3\)$/,
  );
});

test('errors keep the position in the code of the action', async () => {
  const { error } = await run(
    `import { z } from "zod@${versionOf('zod')}";\nexport const main = () => {\n  z.x.y }`,
  );
  expect(error?.stack).toMatch(/action\.js:3:\d+/);
});
