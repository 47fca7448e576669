/** `Buffer`, which libraries for Node expect. */
import { expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';

const run = await startRuntime();

test.each<[string, unknown]>([
  ['Buffer.from("Grüße 🔑").toString("hex")', Buffer.from('Grüße 🔑').toString('hex')],
  ['Buffer.from("00ff", "hex").toString("base64")', 'AP8='],
  ['Buffer.from("-_8", "base64url").toString("hex")', 'fbff'],
  ['Buffer.from("é", "latin1").length', 1],
  ['Buffer.from([1, 2, 3]) instanceof Uint8Array', true],
  ['Buffer.isBuffer(new Uint8Array(1))', false],
  ['Buffer.concat([Buffer.from("a"), Buffer.alloc(2, "b")]).toString()', 'abb'],
  ['Buffer.from("abc").equals(Buffer.from("abc"))', true],
  ['Buffer.compare(Buffer.from("a"), Buffer.from("b"))', -1],
  ['Buffer.byteLength("ü")', 2],
  ['Buffer.from("a1b2c3d4", "hex").readUInt32BE(0)', 0xa1b2c3d4],
  ['Buffer.from([1, 2])', { type: 'Buffer', data: [1, 2] }],
  ['Buffer.from("abcdef").subarray(1, 3).toString()', 'bc'],
  ['ethers.utils.hexlify(Buffer.from("a"))', '0x61'],
  ['typeof globalThis.Buffer', 'function'],
])('%s', async (expression, value) => {
  expect(await run(`const main = () => ${expression}`)).toMatchObject({ response: value, hasError: false });
});

test('leads to nothing of Node', async () => {
  const code = `const main = () => {
    const names = (of) => [...Reflect.ownKeys(of), ...Reflect.ownKeys(of.prototype)].map(String);
    return [names(Buffer).filter((name) => /process|require|binding|parent$/.test(name)),
      Buffer.constructor('return [typeof process, typeof require, typeof Deno].join()')(),
      typeof Buffer.from('a').parent] }`;
  expect((await run(code)).response).toEqual([['parent'], 'undefined,undefined,undefined', 'object']);
});

test('a new pool of a run has no bytes of another run', async () => {
  const secret = 'a text of an earlier run';
  await run(
    `const main = () => { for (let i = 0; i < 1e3; i++) Buffer.from(${JSON.stringify(secret)} + i); }`,
  );
  const code = `const main = () => {
    const texts = [Buffer.from('x').buffer, ...Array.from({ length: 50 }, () => Buffer.allocUnsafeSlow(65536))];
    return texts.some((bytes) => Buffer.from(bytes.buffer ?? bytes).includes(${JSON.stringify(secret.slice(0, 12))} + ${JSON.stringify(secret.slice(12))})) }`;
  expect((await run(code)).response).toBe(false);
});
