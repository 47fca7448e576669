/** Draws random values in `FORKS` forks of one template and compares them. */
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { createRuntime } from '../runtime.ts';
import { runner, serve } from '../testing.ts';

const FORKS = Number(process.env.FORKS ?? 30);

const RSA = { hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };

/** Content types of the requests. */
const sent: (string | undefined)[] = [];
const server = await serve((request, response) => {
  sent.push(request.headers['content-type']);
  response.end();
});
disposeAfterAll(server);
const runtime = disposeAfterAll(
  await createRuntime({
    poolSize: 4,
    fetch: { allowedAddresses: [`127.0.0.1:${server.port}`] },
  }),
);
const run = runner(runtime);

/** Returns text of everything that Deno, V8 and ethers draw. */
const DRAW = `const main = async ({ url, keys, isSlow }) => {
  const hex = (bytes) => ethers.utils.hexlify(new Uint8Array(bytes));
  const form = new FormData();
  form.set('a', 'b');
  const { subtle } = crypto;
  const generated = async (algorithm, usages, part) => {
    const made = await subtle.generateKey(algorithm, true, usages);
    return (await subtle.exportKey('jwk', made.privateKey ?? made))[part];
  };
  const imported = (usage, name) => subtle.importKey('jwk', keys[usage], { name, hash: 'SHA-256' }, false, [usage]);
  await fetch(url, { method: 'POST', body: form });
  const view = new DataView(new ArrayBuffer(8));
  const number = (value) => (view.setFloat64(0, value), hex(view.buffer));
  return {
    'boundary of a response': new Response(form).headers.get('content-type'),
    'boundary of a request': new Request(url, { method: 'POST', body: form }).headers.get('content-type'),
    'Math.random': [number(Math.random()), number(Math.random())],
    getRandomValues: hex(crypto.getRandomValues(new Uint8Array(16))),
    randomUUID: crypto.randomUUID(),
    'object URL': [URL.createObjectURL(new Blob(['x'])), URL.createObjectURL(new Blob(['x']))],
    HMAC: await generated({ name: 'HMAC', hash: 'SHA-256' }, ['sign'], 'k'),
    'AES-GCM': await generated({ name: 'AES-GCM', length: 256 }, ['encrypt'], 'k'),
    ECDSA: await generated({ name: 'ECDSA', namedCurve: 'P-256' }, ['sign'], 'd'),
    'ECDSA P-384': await generated({ name: 'ECDSA', namedCurve: 'P-384' }, ['sign'], 'd'),
    Ed25519: await generated('Ed25519', ['sign'], 'd'),
    X25519: await generated('X25519', ['deriveBits'], 'd'),
    'salt of a signature': hex(await subtle.sign({ name: 'RSA-PSS', saltLength: 32 }, await imported('sign', 'RSA-PSS'), new Uint8Array(1))),
    'padding of a ciphertext': hex(await subtle.encrypt('RSA-OAEP', await imported('encrypt', 'RSA-OAEP'), new Uint8Array(1))),
    ...(isSlow && { 'Wallet.createRandom': ethers.Wallet.createRandom().privateKey }),
    'randomBytes of ethers': hex(ethers.utils.randomBytes(16)),
    shuffled: ethers.utils.shuffled(Array.from({ length: 64 }, (_, at) => at)).join(),
  };
}`;

test(
  `${FORKS} forks draw no random value that another one draws`,
  async () => {
    const generate = (name: string, usages: ['sign', 'verify'] | ['encrypt', 'decrypt']) =>
      crypto.subtle.generateKey({ name, ...RSA }, true, usages);
    const [signer, cipher] = await Promise.all([
      generate('RSA-PSS', ['sign', 'verify']),
      generate('RSA-OAEP', ['encrypt', 'decrypt']),
    ]);
    const keys = {
      sign: await crypto.subtle.exportKey('jwk', signer.privateKey),
      encrypt: await crypto.subtle.exportKey('jwk', cipher.publicKey),
    };
    const drawn = new Map<string, { total: number; values: Set<string> }>();
    let left = FORKS;
    const draw = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        // A wallet of ethers takes a third of a second. No account is slowed down, as one with many runs would be.
        const jsParams = { url: server.url, keys, isSlow: left % 10 === 0 };
        const { response, error } = await run(DRAW, { jsParams, account: BigInt(left) });
        expect(error).toBeUndefined();
        for (const [kind, value] of Object.entries(response as Record<string, string | string[]>)) {
          const known = drawn.get(kind) ?? { total: 0, values: new Set() };
          drawn.set(kind, known);
          for (const text of [value].flat()) {
            known.total += 1;
            known.values.add(text);
          }
        }
      }
    };
    await Promise.all([draw(), draw(), draw()]);
    const repeated = [...drawn].filter(([, { total, values }]) => values.size < total).map(([kind]) => kind);
    expect(repeated).toEqual([]);
    expect(drawn.size).toBe(17);
    expect(new Set(sent).size).toBe(FORKS);
    expect(runtime.forkError).toBeUndefined();
  },
  120_000 + FORKS * 1_000,
);
