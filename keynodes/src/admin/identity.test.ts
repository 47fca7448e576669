import { createIdentity } from '@latchkey/key-protocol';
import { afterEach, expect, test, vi } from 'vitest';
import { CommandError } from './errors.ts';
import { printIdentities, printNewIdentity } from './identity.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function printed(command: (print: (line: string) => void) => void): string[] {
  const lines: string[] = [];
  command((line) => lines.push(line));
  return lines;
}

test('each seed in the environment has a setting of key nodes', () => {
  const seeds = { RELAYER_IDENTITY: 'ab'.repeat(32), RUNNER_IDENTITY: 'cd'.repeat(32) };
  for (const [name, seed] of Object.entries(seeds)) vi.stubEnv(name, seed);
  expect(printed(printIdentities)).toEqual([
    `RELAYER_KEYS=${createIdentity(seeds.RELAYER_IDENTITY).publicKey}`,
    `RUNNER_KEYS=${createIdentity(seeds.RUNNER_IDENTITY).publicKey}`,
  ]);
  expect(() => printed(printIdentities)).toThrow(
    new CommandError(
      'set OPERATOR_SEED, RELAYER_IDENTITY, RUNNER_IDENTITY or their _FILE: --new makes a seed',
    ),
  );
});

test('a new seed is random, and has its public key beside it', () => {
  const lines = printed(printNewIdentity).join('\n');
  const [, seed = '', publicKey] = /^SECRET seed: (\w{64})\npublic key: {2}(\w{64})$/.exec(lines) ?? [];
  expect(createIdentity(seed).publicKey).toBe(publicKey);
  expect(printed(printNewIdentity).join('\n')).not.toBe(lines);
});
