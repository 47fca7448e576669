/**
 * The interface of the `scrypt-js` package that ethers uses, in at most 32 MiB: a keystore of the usual size needs 128 or 256 MiB, more than
 * a run has. Where the table of blocks would be larger, it has only each k-th block, and the others are computed again from the one before
 * them. The result is the same (RFC 7914); the time is up to 1.75 times as long for 128 MiB, and 2.75 times for 256 MiB.
 */
import { utils } from 'ethers';

const MAX_TABLE_BYTES = 32 * 1_024 * 1_024;
const BLOCKS_PER_PAUSE = 4_096;

/** Returns true to stop. */
type OnProgress = (fraction: number) => boolean | undefined;
type Parameters = [
  password: ArrayLike<number>,
  salt: ArrayLike<number>,
  n: number,
  r: number,
  p: number,
  keyBytes: number,
];

function check(n: number, r: number, p: number): void {
  const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0;
  if (!isPositive(n) || n < 2 || n >= 2 ** 32 || !Number.isInteger(Math.log2(n)))
    throw new Error('scrypt: N is not a power of 2 from 2');
  if (!isPositive(r) || !isPositive(p) || r * p >= 2 ** 30) throw new Error('scrypt: r or p is out of range');
}

/** Salsa20/8 of the 16 words of `x`, in place. */
function salsa(x: Int32Array, z: Int32Array): void {
  z.set(x);
  const step = (to: number, a: number, b: number, bits: number): void => {
    const sum = ((z[a] as number) + (z[b] as number)) | 0;
    z[to] = (z[to] as number) ^ ((sum << bits) | (sum >>> (32 - bits)));
  };
  const quarter = (a: number, b: number, c: number, d: number): void => {
    step(b, a, d, 7);
    step(c, b, a, 9);
    step(d, c, b, 13);
    step(a, d, c, 18);
  };
  for (let round = 0; round < 4; round++) {
    quarter(0, 4, 8, 12);
    quarter(5, 9, 13, 1);
    quarter(10, 14, 2, 6);
    quarter(15, 3, 7, 11);
    quarter(0, 1, 2, 3);
    quarter(5, 6, 7, 4);
    quarter(10, 11, 8, 9);
    quarter(15, 12, 13, 14);
  }
  for (let i = 0; i < 16; i++) x[i] = ((x[i] as number) + (z[i] as number)) | 0;
}

/** Mixes the `2r` blocks of 16 words of `from` into `to`. */
function createBlockMix(r: number): (from: Int32Array, to: Int32Array) => void {
  const [x, z] = [new Int32Array(16), new Int32Array(16)];
  return (from, to) => {
    x.set(from.subarray(from.length - 16));
    for (let i = 0; i < 2 * r; i++) {
      for (let j = 0; j < 16; j++) x[j] = (x[j] as number) ^ (from[16 * i + j] as number);
      salsa(x, z);
      to.set(x, 16 * (i % 2 === 0 ? i / 2 : r + (i - 1) / 2));
    }
  };
}

/** Mixes a block of 32 × r words in place, with a table of every k-th of the n blocks. Yields the number of blocks that it has made. */
function* mix(block: Int32Array, n: number, r: number, table: Int32Array, k: number): Generator<number> {
  const words = 32 * r;
  const blockMix = createBlockMix(r);
  let [x, y, v] = [block.slice(), new Int32Array(words), new Int32Array(words)];
  for (let i = 0; i < n; i++) {
    if (i % BLOCKS_PER_PAUSE === 0) yield i;
    if (i % k === 0) table.set(x, (i / k) * words);
    blockMix(x, y);
    [x, y] = [y, x];
  }
  for (let i = 0; i < n; i++) {
    if (i % BLOCKS_PER_PAUSE === 0) yield n + i;
    const index = ((x[words - 16] as number) >>> 0) % n;
    const start = Math.floor(index / k) * words;
    v.set(table.subarray(start, start + words));
    for (let left = index % k; left > 0; left--) {
      blockMix(v, y);
      [v, y] = [y, v];
    }
    for (let j = 0; j < words; j++) x[j] = (x[j] as number) ^ (v[j] as number);
    blockMix(x, y);
    [x, y] = [y, x];
  }
  block.set(x);
}

/** PBKDF2-HMAC-SHA256 with one iteration. */
function pbkdf2(password: Uint8Array, salt: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const key = new Uint8Array(bytes);
  const data = new Uint8Array(salt.length + 4);
  data.set(salt);
  for (let i = 0; 32 * i < bytes; i++) {
    new DataView(data.buffer).setUint32(salt.length, i + 1);
    const hash = utils.arrayify(utils.computeHmac(utils.SupportedAlgorithm.sha256, password, data));
    key.set(hash.subarray(0, bytes - 32 * i), 32 * i);
  }
  return key;
}

/** Yields the fraction that is done. */
function* derive(...[password, salt, n, r, p, keyBytes]: Parameters): Generator<number, Uint8Array> {
  check(n, r, p);
  const secret = Uint8Array.from(password);
  const blocks = pbkdf2(secret, Uint8Array.from(salt), 128 * r * p);
  let k = 1;
  while (k < n && (128 * r * n) / k > MAX_TABLE_BYTES) k *= 2;
  const table = new Int32Array((32 * r * n) / k);
  for (let i = 0; i < p; i++) {
    const block = new Int32Array(blocks.buffer, 128 * r * i, 32 * r);
    for (const made of mix(block, n, r, table, k)) yield (i + made / (2 * n)) / p;
  }
  return pbkdf2(secret, blocks, keyBytes);
}

/** Resolves to the key. Other work of the action goes on meanwhile. */
export async function scrypt(...given: [...Parameters, onProgress?: OnProgress]): Promise<Uint8Array> {
  const [password, salt, n, r, p, keyBytes, onProgress] = given;
  const steps = derive(password, salt, n, r, p, keyBytes);
  for (;;) {
    const { done, value } = steps.next();
    if (onProgress?.(done ? 1 : value)) throw new Error('scrypt: stopped by its progress callback');
    if (done) return value;
    await new Promise<void>((resolve) => {
      setTimeout(resolve);
    });
  }
}

/** Returns the key. */
export function syncScrypt(...parameters: Parameters): Uint8Array {
  const steps = derive(...parameters);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
