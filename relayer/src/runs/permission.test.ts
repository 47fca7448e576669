import { zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { explainRule, findRefusal, ruleNames } from './permission.ts';

const cid = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH';
const run = { hash: 5n, cid, minBlock: 9n };

/** A contract that refuses every run by this rule, and the questions that it got. */
function contract(rule: number) {
  const asked: unknown[][] = [];
  const read = async (name: string, ...rest: unknown[]) => {
    asked.push([name, ...rest]);
    return name === 'canExecuteAction' ? false : { actionRule: rule };
  };
  return { asked, accountConfig: { read: read as never } };
}

test.each(ruleNames.map((rule) => [rule, /^key_(unknown|expired)$/.test(rule) ? 401 : 403] as const))(
  'a run refused by %s is %d',
  async (rule, status) => {
    const { accountConfig } = contract(ruleNames.indexOf(rule));
    expect(await findRefusal(accountConfig, run)).toMatchObject({ status });
  },
);

test('asks about the run at its block, and for the rule without a wallet', async () => {
  const { accountConfig, asked } = contract(5);
  await findRefusal(accountConfig, run);
  const of = [5n, expect.any(BigInt)];
  expect(asked).toEqual([
    ['canExecuteAction', of, 9n],
    ['explainExecution', [...of, zeroAddress]],
  ]);
});

test('throws for a rule of a later contract', () => {
  expect(() => explainRule(ruleNames.length)).toThrow();
});
