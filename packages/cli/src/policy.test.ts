/** The commands of policies. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '@latchkey/bundle';
import { cidOf } from '@latchkey/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const program = await bundle('packages/cli/src/main.ts');
const directory = mkdtempSync(join(tmpdir(), 'latchkey-policy-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = (name: string) => join(directory, name);
const write = (name: string, value: unknown) => {
  writeFileSync(path(name), typeof value === 'string' ? value : JSON.stringify(value));
  return path(name);
};
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'policy', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const ALICE = `0x${'a1'.repeat(20)}`;
const rule = {
  name: 'pay',
  effect: 'allow',
  kind: 'transaction',
  chains: [1],
  to: [ALICE],
  value: { max: 10 },
  fee: 'any',
  limits: [{ name: 'daily', of: 'value', max: 15, window: '1d' }],
};
const policy = { version: 1, rules: [rule] };
const request = (value: number, more: object = {}) => ({
  kind: 'send_transaction',
  pkpId: ALICE,
  transaction: { chainId: 1, to: ALICE, value },
  ...more,
});

let policyPath: string;
beforeAll(() => {
  policyPath = write('policy.json', policy);
});

describe('build', () => {
  test('writes the code and prints its CID, which is the same for the same policy', async () => {
    const built = run('build', policyPath);
    expect(built).toMatchObject({ status: 0, stderr: `wrote ${path('policy.js')}\n` });
    expect(built.stdout.trim()).toBe(await cidOf(readFileSync(path('policy.js'), 'utf8')));
    const same = write(
      'same.json',
      JSON.stringify({ rules: [Object.fromEntries(Object.entries(rule).reverse())], version: 1 }, null, 7),
    );
    expect(run('build', same, '--out', path('same.js')).stdout).toBe(built.stdout);
  });

  test('replaces no other code without --force', () => {
    const out = write('taken.js', 'other code');
    expect(run('build', policyPath, '--out', out)).toMatchObject({ status: 2, stdout: '' });
    expect(readFileSync(out, 'utf8')).toBe('other code');
    expect(run('build', policyPath, '--out', out, '--force').status).toBe(0);
    expect(run('build', policyPath, '--out', out).status).toBe(0);
  });

  test('names each wrong field, and writes nothing', () => {
    const wrong = write('wrong.json', {
      version: 1,
      rules: [{ ...rule, effect: 'permit', value: { max: 'x' } }],
    });
    const { status, stderr } = run('build', wrong);
    expect(status).toBe(2);
    expect(stderr).toContain('wrong.json: rules.0.effect: ');
    expect(stderr).toContain('wrong.json: rules.0.value.max: expected an integer');
    expect(existsSync(path('wrong.js'))).toBe(false);
  });

  test('refuses a field that is there twice', () => {
    expect(run('build', write('twice.json', '{"version":1,"version":1,"rules":[]}'))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('duplicate name'),
    });
  });
});

describe('explain', () => {
  test('says the same of the policy and of its code', () => {
    run('build', policyPath);
    const explained = run('explain', policyPath);
    expect(explained.stdout).toContain('"pay": Allows signing or sending a transaction:');
    expect(run('explain', path('policy.js'))).toEqual(explained);
  });

  test('refuses code that was changed', () => {
    const changed = write(
      'changed.js',
      readFileSync(path('policy.js'), 'utf8').replace('"max":"10"', '"max":"010"'),
    );
    expect(run('explain', changed)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed by hand'),
    });
    expect(run('explain', write('other.js', 'async function main() {}'))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('not that of a policy'),
    });
  });
});

describe('simulate', () => {
  const simulate = (value: object, ...args: string[]) =>
    run('simulate', policyPath, write('request.json', value), ...args);
  test('names the rule that allows, and what it takes of its limits', () => {
    expect(simulate(request(10))).toMatchObject({
      status: 0,
      stdout: 'allowed by the rule "pay"\n  takes 10 of the limit "daily": 10 of 15 used then\n',
    });
    expect(run('simulate', path('policy.js'), path('request.json')).status).toBe(0);
  });

  test('ends with 1 for a request that is refused', () => {
    expect(simulate(request(11))).toMatchObject({
      status: 1,
      stdout: 'refused: no rule allows it: "pay": value 11 is more than 10\n',
    });
    expect(simulate(request(10, { used: { daily: 6 } }))).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('its limit "daily" of 15 is reached'),
    });
    expect(simulate({ kind: 'message' })).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('refused: pkpId is not an address'),
    });
  });

  test('takes a time', () => {
    policyPath = write('timed.json', {
      version: 1,
      rules: [{ ...rule, time: { until: '2027-01-01T00:00:00Z' } }],
    });
    expect(simulate(request(1), '--time', '2026-12-31T23:00:00Z').status).toBe(0);
    expect(simulate(request(1), '--time', '2027-01-01T00:00:00Z').status).toBe(1);
    expect(simulate(request(1), '--time', 'tomorrow')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"tomorrow" is not a time'),
    });
  });
});

test.each([
  [['paint'], "unknown command 'paint'"],
  [['build'], "missing required argument 'policy'"],
  [['simulate', 'a'], "missing required argument 'request'"],
  [['build', 'a', '--paint'], "unknown option '--paint'"],
  [['explain', 'missing.json'], 'missing.json: no such file'],
])('%j is a mistake', (args, text) => {
  expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(text) });
});
