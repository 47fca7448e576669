import { readdirSync } from 'node:fs';
import { readKernelFile } from '@latchkey/fork-server/kernel-file';
import { descendants, eventually } from '@latchkey/fork-server/testing';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { createRuntime } from '../runtime.ts';
import { runner } from '../testing.ts';

const runtime = disposeAfterAll(await createRuntime({ poolSize: 2 }));
const run = runner(runtime);

const deriveBits = (count: number, iterations: number) => `async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'PBKDF2', false, ['deriveBits']);
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(16), iterations: ${iterations} };
  const all = await Promise.all(
    Array.from({ length: ${count} }, () => crypto.subtle.deriveBits(parameters, key, 256)));
  return [all.length, new Set(all.map((bits) => String(new Uint8Array(bits)))).size];
}`;

test('many concurrent operations all end with the correct results', async () => {
  expect((await run(deriveBits(400, 10))).response).toEqual([400, 1]);
});

test('many concurrent operations use two threads at a time', async () => {
  const stop = new AbortController();
  const running = run(deriveBits(400, 5_000_000), { signal: stop.signal });
  // The process that replaces the one of the run has busy threads too while it starts.
  await eventually(() => runtime.stats().starting === 0 && mostBusyThreads() >= 2);
  const seen: number[] = [];
  await eventually(() => seen.push(mostBusyThreads()) >= 50);
  stop.abort();
  await running;
  // The median: for a moment, one thread ends while the next one begins.
  expect(seen.toSorted((a, b) => a - b)[25]).toBe(2);
});

/** Returns the number of threads that run or wait for a processor, in the process that has the most. */
const mostBusyThreads = (): number =>
  Math.max(...descendants(process.pid).map((pid) => threadsOf(pid).filter(isBusy).length));

/** Returns the directories of the threads of a process except its main thread. */
const threadsOf = (pid: number): string[] => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.filter((id) => id !== String(pid)).map((id) => `/proc/${pid}/task/${id}`);
  } catch {
    return [];
  }
};

const isBusy = (directory: string): boolean => {
  try {
    return /\) R /.test(readKernelFile(`${directory}/stat`));
  } catch {
    return false;
  }
};

test('a waiting operation uses the bytes of its call', async () => {
  const code = `async function main() {
    const bytes = new Uint8Array([1]);
    const digests = [1, 2, 3, 4].map(() => crypto.subtle.digest('SHA-256', bytes));
    bytes[0] = 2;
    return (await Promise.all(digests)).map((digest) => new Uint8Array(digest)[0]);
  }`;
  expect((await run(code)).response).toEqual(Array(4).fill(0x4b));
});

test('a waiting operation uses the algorithm of its call', async () => {
  const code = `async function main() {
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    const iv = new Uint8Array(12);
    const sent = [0, 1, 2, 3, 4].map((message) => {
      crypto.getRandomValues(iv);
      const text = crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new Uint8Array([message]));
      return { iv: iv.slice(), text };
    });
    return Promise.all(sent.map(async ({ iv, text }) =>
      new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, await text))[0]));
  }`;
  expect((await run(code)).response).toEqual([0, 1, 2, 3, 4]);
});

test('a waiting operation uses the JWK and the usages of its call', async () => {
  const code = `async function main() {
    const jwk = { kty: 'oct' };
    const usages = [];
    const keys = ['AA', 'AQ', 'Ag', 'Aw', 'BA'].map((k) => {
      jwk.k = k;
      usages[0] = 'sign';
      const key = crypto.subtle.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-256' }, true, usages);
      usages[0] = 'verify';
      return key;
    });
    return Promise.all(keys.map(async (key) =>
      [(await crypto.subtle.exportKey('jwk', await key)).k, ...(await key).usages].join()));
  }`;
  expect((await run(code)).response).toEqual(['AA,sign', 'AQ,sign', 'Ag,sign', 'Aw,sign', 'BA,sign']);
});

test('a waiting operation generates an RSA key', async () => {
  const code = `async function main() {
    const waiting = [1, 2].map(() => crypto.subtle.digest('SHA-256', new Uint8Array()));
    const parameters = {
      name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]),
    };
    const { publicKey } = await crypto.subtle.generateKey(parameters, false, ['sign', 'verify']);
    await Promise.all(waiting);
    return publicKey.algorithm.modulusLength;
  }`;
  expect((await run(code)).response).toBe(1024);
});

test('a failed operation frees its slot', async () => {
  const code = `async function main() {
    for (let i = 0; i < 10; i++) await crypto.subtle.digest('none', new Uint8Array()).catch(() => {});
    return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array()))[0];
  }`;
  expect((await run(code)).response).toBe(0xe3);
});

test('the functions keep their names and lengths', async () => {
  const code =
    'const main = () => [crypto.subtle.digest.name, crypto.subtle.digest.length, crypto.subtle.sign.length]';
  expect((await run(code)).response).toEqual(['digest', 2, 3]);
});
