import { createHash, randomBytes } from 'node:crypto';
import type { Claim } from '@latchkey/http';
import { describe, expect, test, vi } from 'vitest';
import { createNewAccounts, type NewAccountsOptions } from './new-accounts.ts';

/** Processes that share one database. */
function createProcesses({
  gasPerHour = 1_000_000_000n,
  ...options
}: Partial<NewAccountsOptions> & { gasPerHour?: bigint } = {}) {
  let counted = 0n;
  const seeds = new Map<string, Uint8Array>();
  const claims = new Map<string, string>();
  const open = () =>
    createNewAccounts({
      perMinutePerAddress: 1_000,
      gas: {
        async reserve(estimate) {
          if (counted + estimate > gasPerHour) return undefined;
          counted += estimate;
          return {
            async settle(gas) {
              counted += gas - estimate;
            },
          };
        },
      },
      challengeAbovePerMinute: undefined,
      seeds: {
        seedFor: async (id = '') => {
          const seed = seeds.get(id) ?? new Uint8Array(randomBytes(32));
          seeds.set(id, seed);
          return seed;
        },
      },
      used: {
        claim: async (id, { requestHash }): Promise<Claim> => {
          const earlier = claims.get(id);
          if (earlier !== undefined) return { state: 'running', requestHash: earlier };
          claims.set(id, requestHash);
          return { state: 'claimed' };
        },
      },
      ...options,
    });
  let requests = 0;
  const admit = (
    accounts: ReturnType<typeof open>,
    {
      ip = '192.0.2.1',
      solution = undefined as string | undefined,
      requestId = `request ${requests++}`,
    } = {},
  ) => accounts.admit({ ip, solution, requestId });
  return { open, admit };
}

/** Finds the number as the docs of the challenge describe. The library's solver takes ten times as long. */
async function solve(challenge: Awaited<ReturnType<ReturnType<typeof createNewAccounts>['challenge']>>) {
  const { algorithm, challenge: hash, salt, signature } = challenge;
  const hashOf = (number: number) => createHash('sha256').update(`${salt}${number}`).digest('hex');
  let number = 0;
  while (hashOf(number) !== hash) number++;
  const text = JSON.stringify({ algorithm, challenge: hash, number, salt, signature });
  return { text, solution: Buffer.from(text).toString('base64') };
}

const tooMany = expect.objectContaining({ status: 429, retryAfterSec: expect.any(Number) });

test('returns 429 above the accounts per minute of one address; a /64 counts as one address', async () => {
  const { open, admit } = createProcesses({ perMinutePerAddress: 2 });
  const accounts = open();
  await admit(accounts, { ip: '2001:db8::1' });
  await admit(accounts, { ip: '2001:db8::2' });
  await expect(admit(accounts, { ip: '2001:db8::3' })).rejects.toThrow(tooMany);
  await admit(accounts, { ip: '192.0.2.1' });
});

test('admits one concurrent request of an address per quarter of a second; other addresses do not wait', async () => {
  const { open, admit } = createProcesses({ perMinutePerAddress: 20 });
  const accounts = open();
  const startedAt = performance.now();
  const timeOf = async (ip: string) => {
    await admit(accounts, { ip });
    return performance.now() - startedAt;
  };
  const waiting = ['192.0.2.1', '192.0.2.1', '192.0.2.1'].map(timeOf);
  const other = await timeOf('192.0.2.2');
  const times = (await Promise.all(waiting)).sort((a, b) => a - b);
  expect(times[1]).toBeGreaterThan(240);
  expect(times[2]).toBeGreaterThan(490);
  expect(other).toBeLessThan(times[1] as number);
});

describe('gas per hour', () => {
  test('returns 429 from any address when the gas is spent; counts receipts, not estimates', async () => {
    const { open, admit } = createProcesses({ gasPerHour: 1_000_000n });
    const accounts = open();
    for (let i = 0; i < 9; i++) await (await admit(accounts, { ip: `192.0.2.${i}` })).settle(100_000n);
    await expect(admit(accounts, { ip: '192.0.2.9' })).rejects.toThrow(tooMany);
  });

  test('counts the estimate until the receipt, and nothing for a transaction that was not broadcast', async () => {
    const { open, admit } = createProcesses({ gasPerHour: 1_000_000n });
    const accounts = open();
    for (let i = 0; i < 5; i++) await (await admit(accounts)).settle(0n);
    await admit(accounts);
    await admit(accounts);
    await expect(admit(accounts)).rejects.toEqual(tooMany);
  });

  test('waits until the next clock hour', async () => {
    const { open, admit } = createProcesses({ gasPerHour: 0n });
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 10, 59, 30) });
    try {
      await expect(admit(open())).rejects.toMatchObject({ status: 429, retryAfterSec: 30 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('challenge', () => {
  test('returns 404 when challenges are off', async () => {
    const { open } = createProcesses();
    await expect(open().challenge()).rejects.toMatchObject({ status: 404 });
  });

  test('is required above the rate of all addresses; its solution admits one request and its retries', async () => {
    const { open, admit } = createProcesses({ challengeAbovePerMinute: 1 });
    const [a, b] = [open(), open()];
    await admit(a);
    await expect(admit(a, { ip: '192.0.2.2' })).rejects.toMatchObject({
      status: 429,
      retryAfterSec: expect.any(Number),
      fix: expect.stringContaining('new_account_challenge'),
    });
    const { text, solution } = await solve(await a.challenge());
    // Another process accepts it too.
    await admit(b, { solution, requestId: 'first' });
    await admit(a, { solution, requestId: 'first' });
    const used = { status: 400, message: expect.stringContaining('already used') };
    await expect(admit(a, { solution })).rejects.toMatchObject(used);
    const encodedAnew = Buffer.from(`${text} `).toString('base64');
    await expect(admit(b, { solution: encodedAnew })).rejects.toMatchObject(used);
  });

  test.each([
    '',
    'x',
    Buffer.from('{}').toString('base64'),
    Buffer.from('null').toString('base64'),
    'e'.repeat(5_000),
  ])('returns 400 for the malformed solution %j', async (solution) => {
    const { open, admit } = createProcesses({ challengeAbovePerMinute: 0 });
    await expect(admit(open(), { solution })).rejects.toMatchObject({ status: 400 });
  });

  test('returns 400 for a wrong number and for a challenge signed by another relayer', async () => {
    const { open, admit } = createProcesses({ challengeAbovePerMinute: 0 });
    const accounts = open();
    const { text } = await solve(await accounts.challenge());
    const wrong = { ...JSON.parse(text), number: JSON.parse(text).number + 1 };
    const other = await solve(await createProcesses({ challengeAbovePerMinute: 0 }).open().challenge());
    for (const solution of [Buffer.from(JSON.stringify(wrong)).toString('base64'), other.solution])
      await expect(admit(accounts, { solution })).rejects.toMatchObject({ status: 400 });
  });
});
