import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = `
  import { parseCommand, parseCount } from ${JSON.stringify(join(import.meta.dirname, 'parse-command.ts'))};
  const HELP = 'Usage: program [--count N]';
  const { values } = parseCommand(HELP, { count: { type: 'string', default: '3' } });
  console.log(parseCount(HELP, 'count', values.count));
`;

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, '--', ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

test('returns the options and their defaults', () => {
  expect(run()).toEqual({ status: 0, stdout: '3\n', stderr: '' });
  expect(run('--count', '5')).toEqual({ status: 0, stdout: '5\n', stderr: '' });
});

test('prints the help', () => {
  expect(run('--help')).toEqual({ status: 0, stdout: 'Usage: program [--count N]\n', stderr: '' });
});

test.each([
  [['--cuont', '5'], "Unknown option '--cuont'"],
  [['5'], "Unexpected argument '5'"],
  [['--count'], "Option '--count <value>' argument missing"],
  [['--count', '0'], '--count takes a whole number from 1, not "0"'],
  [['--count', 'many'], '--count takes a whole number from 1, not "many"'],
])('exits with 2 for %j, with a message and the help, without a stack trace', (args, message) => {
  const expected = `${message}\n\nUsage: program [--count N]\n`;
  expect(run(...args)).toEqual({ status: 2, stdout: '', stderr: expected });
});
