import { randomBytes } from 'node:crypto';
import type { Claim } from '@latchkey/http';
import { solveChallenge } from 'altcha-lib/v1';
import { describe, expect, test } from 'vitest';
import { createNewAccounts, type NewAccountsOptions } from './new-accounts.ts';

/** Processes that share one database. */
function world(options: Partial<NewAccountsOptions> = {}) {
  const seeds = new Map<string, Uint8Array>();
  const claims = new Map<string, string>();
  const open = () =>
    createNewAccounts({
      perMinutePerAddress: 1_000,
      gasPerHour: 1e9,
      challengeAbovePerMinute: undefined,
      seeds: {
        seedOf: async (id = '') => {
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

async function solutionOf(challenge: Awaited<ReturnType<ReturnType<typeof createNewAccounts>['challenge']>>) {
  const { promise } = solveChallenge(
    challenge.challenge,
    challenge.salt,
    challenge.algorithm,
    challenge.maxnumber,
  );
  const { number } = (await promise) ?? {};
  const { algorithm, challenge: hash, salt, signature } = challenge;
  const text = JSON.stringify({ algorithm, challenge: hash, number, salt, signature });
  return { text, solution: Buffer.from(text).toString('base64') };
}

const tooMany = expect.objectContaining({ status: 429, retryAfterSec: expect.any(Number) });

test('429 over the accounts a minute of one address; a /64 is one address', async () => {
  const { open, admit } = world({ perMinutePerAddress: 2 });
  const accounts = open();
  await admit(accounts, { ip: '2001:db8::1' });
  await admit(accounts, { ip: '2001:db8::2' });
  await expect(admit(accounts, { ip: '2001:db8::3' })).rejects.toThrow(tooMany);
  await admit(accounts, { ip: '192.0.2.1' });
});

describe('gas of an hour', () => {
  test('429 when it is spent, whatever the address; receipts count, not estimates', async () => {
    const { open, admit } = world({ gasPerHour: 1_000_000 });
    const accounts = open();
    for (let i = 0; i < 8; i++) await (await admit(accounts, { ip: `192.0.2.${i}` })).spent(100_000n);
    await (await admit(accounts, { ip: '192.0.2.8' })).spent(100_000n);
    await expect(admit(accounts, { ip: '192.0.2.9' })).rejects.toThrow(tooMany);
  });

  test('concurrent requests cannot pass together', async () => {
    const { open, admit } = world({ gasPerHour: 2_000_000 });
    const accounts = open();
    const requests = await Promise.allSettled(Array.from({ length: 20 }, () => admit(accounts)));
    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  });
});

describe('the challenge', () => {
  test('is 404 when none is ever asked for', async () => {
    const { open } = world();
    await expect(open().challenge()).rejects.toMatchObject({ status: 404 });
  });

  test('is asked for above the rate of all addresses; its solution admits one request with all its attempts', async () => {
    const { open, admit } = world({ challengeAbovePerMinute: 1 });
    const [a, b] = [open(), open()];
    await admit(a);
    await expect(admit(a, { ip: '192.0.2.2' })).rejects.toMatchObject({
      status: 429,
      retryAfterSec: expect.any(Number),
      fix: expect.stringContaining('new_account_challenge'),
    });
    const { text, solution } = await solutionOf(await a.challenge());
    // Another process takes it too.
    await admit(b, { solution, requestId: 'first' });
    await admit(a, { solution, requestId: 'first' });
    const used = { status: 400, message: expect.stringContaining('used before') };
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
  ])('400: %j is no solution', async (solution) => {
    const { open, admit } = world({ challengeAbovePerMinute: 0 });
    await expect(admit(open(), { solution })).rejects.toMatchObject({ status: 400 });
  });

  test('400: a number that does not solve it, and one whose challenge another service signed', async () => {
    const { open, admit } = world({ challengeAbovePerMinute: 0 });
    const accounts = open();
    const { text } = await solutionOf(await accounts.challenge());
    const wrong = { ...JSON.parse(text), number: JSON.parse(text).number + 1 };
    const other = await solutionOf(await world({ challengeAbovePerMinute: 0 }).open().challenge());
    for (const solution of [Buffer.from(JSON.stringify(wrong)).toString('base64'), other.solution])
      await expect(admit(accounts, { solution })).rejects.toMatchObject({ status: 400 });
  });
});

test('what was not broadcast does not count in the gas of the hour', async () => {
  const { open, admit } = world({ gasPerHour: 1_000_000 });
  const accounts = open();
  for (let i = 0; i < 5; i++) {
    const { unspent } = await admit(accounts);
    await unspent();
  }
  await admit(accounts);
  await admit(accounts);
  await expect(admit(accounts)).rejects.toEqual(tooMany);
});
