/** Cases from the documentation of other wallet services, with the verdict of this language. */
import { describe, expect, test } from 'vitest';
import { peerPolicies } from '../test/peer-cases.ts';
import { evaluate } from './evaluate.ts';
import { parsePolicy } from './parse.ts';
import { readRequest } from './request.ts';
import { RequestError } from './values.ts';

const NOW = '2026-06-01T12:00:00Z';

function verdict(rules: object[], request: object, time: string): string {
  // As an action gets it.
  const { policy, params } = JSON.parse(JSON.stringify({ policy: { version: 1, rules }, params: request }));
  try {
    return evaluate(parsePolicy(policy), readRequest(params), Date.parse(time)).allowed
      ? 'allowed'
      : 'refused';
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return 'refused';
  }
}

test('there are at least 200 cases, of each service at least 50', () => {
  const count = (peer: string) =>
    peerPolicies.filter((policy) => policy.peer === peer).flatMap(({ cases }) => cases).length;
  const counts = ['Turnkey', 'Privy', 'CDP'].map(count);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(50);
  expect(counts.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(200);
});

describe.each(peerPolicies)('$peer: $topic', ({ rules, cases }) => {
  test.each(cases)('%s', (_what, request, expected, time = NOW) => {
    expect(verdict(rules, request, time)).toBe(expected);
  });
});
