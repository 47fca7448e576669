import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSyscallFilter } from '@latchkey/fork-server/syscall-filter';
import { ActionError, fromRunner } from '@latchkey/runner-protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { recoverMessageAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createRuntime } from './runtime.ts';
import { pkpId, privateKey, runner } from './testing.ts';

const hostErrors: unknown[] = [];
const runtime = disposeAfterAll(
  await createRuntime({ poolSize: 2, onHostError: (error) => hostErrors.push(error) }),
);
const run = runner(runtime);
const respond = async (expression: string, jsParams: unknown = { pkpId }) => {
  const result = await run(`const main = async (params) => (${expression})`, { jsParams });
  expect(result.error).toBeUndefined();
  return result.response;
};

describe('main', () => {
  test.each([
    'function main() { return 1 }',
    'async function main() { return 1 }',
    'const main = () => 1',
    'let main = async () => 1;',
    'var main = function () { return 1 } // the end',
    'export const main = () => 1',
    'export function main() { return 1 }',
    'export default function main() { return 1 }',
    'const value = await Promise.resolve(1); const main = () => value',
  ])('is found in: %s', async (code) => {
    expect(await run(code)).toMatchObject({ response: 1, hasError: false, logs: '' });
  });

  test('is called once, with the parameters', async () => {
    const code = 'let calls = 0; const main = (...args) => [++calls, args]';
    expect((await run(code, { jsParams: { a: [1, null, 'ü'] } })).response).toEqual([
      1,
      [{ a: [1, null, 'ü'] }],
    ]);
  });

  test.each(['', 'let x = 1', 'const main = 1', 'const Main = () => 1', '(async () => 1)()'])(
    'returns an error when main is missing: %s',
    async (code) => {
      const result = await run(code);
      expect(result).toMatchObject({ response: null, hasError: true, error: { name: 'NoMainError' } });
    },
  );
});

describe('random numbers', () => {
  const sources = {
    'Math.random': 'Array.from({ length: 70 }, Math.random)',
    getRandomValues:
      'Array.from({ length: 70 }, () => crypto.getRandomValues(new BigUint64Array(1))[0].toString())',
    randomUUID: 'Array.from({ length: 20 }, () => crypto.randomUUID())',
    generateKey: `[(await crypto.subtle.exportKey('jwk', (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])).publicKey)).x,
      (await crypto.subtle.exportKey('jwk',
        await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']))).k]`,
    ethers: '[ethers.Wallet.createRandom().address, ethers.utils.hexlify(ethers.utils.randomBytes(32))]',
  };

  test.each(Object.entries(sources))('%s gives every run other ones', async (_name, source) => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => respond(`(async () => ${source})()`)));
    const all = (runs as unknown[][]).flat();
    expect(new Set(all).size).toBe(all.length);
  });

  test('Math.random returns numbers from 0 to 1, evenly', async () => {
    const counts = (await respond(`(() => {
      const counts = Array(10).fill(0);
      for (let i = 0; i < 10_000; i++) counts[Math.floor(Math.random() * 10)] += 1;
      return counts })()`)) as number[];
    expect(counts).toHaveLength(10);
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe('the response', () => {
  test.each([
    ['null', null],
    ['0', 0],
    ['""', ''],
    ['undefined', ''],
    ['"text"', 'text'],
    ['\'{"a":1}\'', { a: 1 }],
    ['"12"', 12],
    ['{ a: undefined, b: [1] }', { b: [1] }],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['{ "__proto__x": 1 }', { __proto__x: 1 }],
  ])('of %s', async (expression, expected) => {
    expect(await respond(expression)).toEqual(expected);
  });

  test('is the last setResponse, unless main returns a value', async () => {
    const set = (text: string) => `Svc.Actions.setResponse({ response: ${text} })`;
    expect((await run(`function main() { ${set('1')}; ${set('{ a: 2 }')} }`)).response).toEqual({ a: 2 });
    expect((await run(`function main() { ${set('1')}; return 3 }`)).response).toBe(3);
    expect((await run(`function main() { ${set('1')}; return null }`)).response).toBeNull();
    expect((await run(`function main() { ${set('JSON.stringify([1])')} }`)).response).toEqual([1]);
  });

  test.each(['1n', 'Symbol()', '() => 1', '(() => { const a = []; a.push(a); return a })()'])(
    'returns an error for a value that is not JSON: %s',
    async (expression) => {
      const result = await run(`const main = () => (${expression})`);
      expect(result).toMatchObject({ response: null, hasError: true, error: { name: 'ResponseError' } });
    },
  );
});

describe('an action that fails', () => {
  test('reports name, message and stack, and keeps the logs', async () => {
    const result = await run(
      'function main() {\n  console.log("so far", { a: 1 });\n  throw new RangeError("no") }',
    );
    expect(result).toMatchObject({ response: null, hasError: true, logs: 'so far { a: 1 }\n' });
    expect(result.error).toMatchObject({ name: 'RangeError', message: 'no' });
    expect(result.error?.stack).toMatch(/^RangeError: no\n {4}at main \(action\.js:3:9\)/);
  });

  test.each([
    ['"text"', 'text'],
    ['null', 'null'],
    ['{ a: 1 }', '{ a: 1 }'],
    ['{ get name() { throw 1 } }', '{ name: [Getter] }'],
    ['new (class extends Error { get message() { throw 1 } })', 'the thrown value cannot be shown'],
  ])('throws %s', async (value, message) => {
    const result = await run(`const main = () => { throw ${value} }`);
    expect(result).toMatchObject({ hasError: true, error: { name: 'Error', message } });
  });

  test.each([
    ['at load', 'throw new Error("late"); function main() {}'],
    ['in a timer', 'const main = () => new Promise(() => setTimeout(() => { throw new Error("late") }, 1))'],
    [
      'in an unhandled promise',
      'const main = () => { Promise.reject(new Error("late")); return new Promise(() => setTimeout(() => {}, 5000)) }',
    ],
  ])('%s', async (_where, code) => {
    expect((await run(code)).error).toMatchObject({ name: 'Error', message: 'late' });
  });

  test('has a syntax error', async () => {
    expect((await run('function main( {')).error?.name).toBe('SyntaxError');
  });

  test('waits for an event that cannot happen: ends immediately', async () => {
    const result = await run('const main = () => new Promise(() => {})');
    expect(result.error?.name).toBe('NeverSettledError');
    expect(result.durationMs).toBeLessThan(5_000);
  });

  test('shows no path of the host', async () => {
    const codes = [
      'const main = () => ethers.utils.verifyMessage("x", 1)',
      'const main = () => Svc.Actions.getPrivateKey({})',
      'const main = () => fetch("http://127.0.0.1/")',
      'const main = () => new WebAssembly.Module(new Uint8Array(3))',
      'const main = () => [].reduce.call(null)',
    ];
    for (const code of codes) {
      const { error } = await run(code);
      expect(error?.stack).toContain('at ');
      expect(`${error?.message}${error?.stack}`).not.toMatch(
        /file:|\/(tmp|work|home|usr|root)\b|node_modules/,
      );
    }
  });
});

describe('ethers', () => {
  test('is version 5 and signs with the wallet', async () => {
    const response = (await respond(`(async () => {
      const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey(params));
      return [ethers.version, wallet.address, await wallet.signMessage('hello')];
    })()`)) as [string, string, `0x${string}`];
    expect(response.slice(0, 2)).toEqual(['ethers/5.8.0', pkpId]);
    expect(await recoverMessageAddress({ message: 'hello', signature: response[2] })).toBe(pkpId);
    expect(response[2]).toBe(await privateKeyToAccount(privateKey).signMessage({ message: 'hello' }));
  });

  test('signs transactions and typed data as viem does', async () => {
    const account = privateKeyToAccount(privateKey);
    const transaction = {
      chainId: 1,
      nonce: 3,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      value: 5n,
    };
    const domain = { name: 'N', version: '1', chainId: 1 } as const;
    const types = { Mail: [{ name: 'to', type: 'address' }] } as const;
    const [signedTransaction, signedData, recovered, shared] = (await respond(`(async () => {
      const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey(params));
      const signedTransaction = await wallet.signTransaction({ type: 2, chainId: 1, nonce: 3, gasLimit: 21000,
        maxFeePerGas: 2, maxPriorityFeePerGas: 1, value: 5, to: wallet.address });
      const digest = ethers.utils.id('x');
      const key = new ethers.utils.SigningKey(wallet.privateKey);
      const other = new ethers.utils.SigningKey(ethers.utils.id('other'));
      return [signedTransaction,
        await wallet._signTypedData(${JSON.stringify(domain)}, ${JSON.stringify(types)}, { to: wallet.address }),
        ethers.utils.recoverAddress(digest, key.signDigest(digest)),
        key.computeSharedSecret(other.publicKey) === other.computeSharedSecret(key.compressedPublicKey)];
    })()`)) as string[];
    expect(signedTransaction).toBe(
      await account.signTransaction({ ...transaction, type: 'eip1559', to: pkpId }),
    );
    const typedData = { domain, types, primaryType: 'Mail', message: { to: pkpId } } as const;
    expect(signedData).toBe(await account.signTypedData(typedData));
    expect([recovered, shared]).toEqual([pkpId, true]);
  });

  test('has its names, words and encodings', async () => {
    expect(
      await respond(`[ethers.utils.namehash('Vitalik.eth'),
        ethers.utils.defaultAbiCoder.encode(['uint256'], [1]),
        ethers.Wallet.fromMnemonic('test test test test test test test test test test test junk').address]`),
    ).toEqual([
      '0xee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a53475835',
      `0x${'1'.padStart(64, '0')}`,
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    ]);
  });
});

describe('key functions', () => {
  test('Svc.Actions and SvcActions are the same object and cannot be changed', async () => {
    const code = `Svc.Actions === SvcActions && Object.isFrozen(Svc) && Object.keys(SvcActions)`;
    expect(await respond(code)).toEqual([
      'getPrivateKey',
      'signMessage',
      'signTypedData',
      'signTransaction',
      'signHash',
      'getSigner',
      'getAccount',
      'Encrypt',
      'Decrypt',
      'getSecret',
      'getActionPrivateKey',
      'getActionPublicKey',
      'getActionWalletAddress',
      'sign',
      'getPublicKey',
      'takeAllowance',
      'sendTransaction',
      'rpc',
      'requireApproval',
      'setResponse',
      'showImportDetails',
    ]);
    expect(await respond('Svc.Actions.showImportDetails()')).toEqual([]);
  });

  test('call the relayer, whose refusal can be caught', async () => {
    expect(await respond('Svc.Actions.getPrivateKey(params)')).toBe(privateKey);
    for (const call of [
      'getPrivateKey()',
      'Encrypt({})',
      'Decrypt(1)',
      'getActionPublicKey({ ipfsId: "x" })',
    ])
      expect(
        await respond(`Svc.Actions.${call}.catch((error) => [error instanceof Error, error.name])`),
      ).toEqual([true, 'WalletNotPermittedError']);
  });

  test.each(['() => {}', "Symbol('a')"])('reject the argument %s with a TypeError', async (argument) => {
    const code = `const main = () => SvcActions.getPrivateKey(${argument}).catch((error) => String(error))`;
    expect((await run(code)).response).toMatch(
      /^TypeError: getPrivateKey takes an object, not a (function|symbol)$/,
    );
  });

  test('name a refusal that the action does not catch', async () => {
    const callKey = () => Promise.reject(new ActionError('PermissionError', 'not any more'));
    const refused = await run('const main = () => Svc.Actions.getActionPrivateKey()', { callKey });
    expect(refused.error).toMatchObject({ name: 'PermissionError', message: 'not any more' });
    const own = 'const main = () => { throw Object.assign(new Error("mine"), { name: "PermissionError" }) }';
    expect((await run(own)).error?.name).toBe('Error');
  });

  test('returns an InternalError without detail for a failure of the host', async () => {
    const callKey = () => Promise.reject(new Error('password is hunter2'));
    const result = await run('const main = () => Svc.Actions.getActionPrivateKey()', { callKey });
    expect(result.error?.name).toBe('InternalError');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(hostErrors).toHaveLength(1);
  });
});

test('a result with a host that is longer than any name is a valid message', async () => {
  const host = `${'a'.repeat(400)}.example`;
  const result = await run(`const main = () => fetch('http://${host}/').catch(() => 'failed')`);
  expect(result).toMatchObject({ response: 'failed', usage: { fetchHosts: [expect.stringMatching(/^a+/)] } });
  expect(fromRunner.safeParse({ type: 'result', id: 1, result }).error).toBeUndefined();
});

test.skipIf(buildSyscallFilter() === undefined)('forks its processes on Linux', () => {
  expect(runtime.forkError).toBeUndefined();
  expect(runtime.walls).toContain('syscalls');
});

test('runs under a umask that gives other users nothing', async () => {
  const before = process.umask(0o077);
  await using strict = await createRuntime({ poolSize: 1 });
  process.umask(before);
  expect(strict.walls).toEqual(runtime.walls);
  expect(await runner(strict)('export const main = () => 1')).toMatchObject({ response: 1 });
});

test('removes directories and processes that a killed runner left behind, and no other', async () => {
  const ended = spawn('true');
  await once(ended, 'exit');
  const leave = async (pid: number | undefined) => {
    const directory = join(tmpdir(), `latchkey-runtime-${pid}-${randomUUID()}`);
    // Before the directory exists: a runtime of another test removes it, with its processes.
    const child = spawn('sh', ['-c', 'sleep 60; :', directory], { detached: true });
    await mkdir(directory);
    await writeFile(join(directory, 'file'), '');
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    return { directory, child, isRunning, exit: once(child, 'exit') };
  };
  const [left, other] = [await leave(ended.pid), await leave(process.pid)];
  try {
    await using next = await createRuntime({ poolSize: 1 });
    expect(next.stats().idle).toBe(1);
    expect(await left.exit).toEqual([null, 'SIGKILL']);
    expect([existsSync(left.directory), existsSync(other.directory)]).toEqual([false, true]);
    expect(other.isRunning()).toBe(true);
  } finally {
    for (const { child, directory } of [left, other]) {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // No process of the group is left.
      }
      await rm(directory, { recursive: true, force: true });
    }
  }
});
