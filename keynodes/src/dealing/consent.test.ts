import { tmpdir } from 'node:os';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../operator-decisions.ts';
import { createConsent } from './consent.ts';

const WAIT_SEC = 86_400;
const at = { number: 7n, hash: '0x07', timestampSec: 1_800_000_000 } as const;

/** Returns what a node does with the group `text`, which the contract has just approved, after these decisions of its operator. */
async function stateOf(text: string, decided: [string, 'accepted' | 'refused'][]): Promise<string> {
  const directory = temporaryDirectory(tmpdir());
  onTestFinished(() => directory[Symbol.dispose]());
  for (const [group, decision] of decided) await decide(directory.path, group, decision);
  const approvals = { lastChangeSec: async () => at.timestampSec };
  const consent = createConsent({ directory: directory.path, approvals, waitSec: WAIT_SEC });
  return (await consent.view(at, text)).state;
}

test('an accepted group waits again when it is approved after its operator has accepted another one', async () => {
  expect(await stateOf('old', [['old', 'accepted']])).toBe('accepted');
  const moved: Parameters<typeof stateOf>[1] = [
    ['old', 'accepted'],
    ['new', 'accepted'],
  ];
  expect(await stateOf('new', moved)).toBe('accepted');
  expect(await stateOf('old', moved)).toBe('waiting');
  expect(await stateOf('old', [...moved, ['old', 'accepted']])).toBe('accepted');
});

test('after a refusal only the group that was accepted last takes part', async () => {
  const decided: Parameters<typeof stateOf>[1] = [
    ['old', 'accepted'],
    ['new', 'accepted'],
    ['foreign', 'refused'],
  ];
  const states = ['new', 'old', 'foreign', 'unknown'].map((group) => stateOf(group, decided));
  expect(await Promise.all(states)).toEqual(['accepted', 'refused', 'refused', 'refused']);
  const later = stateOf('foreign', [...decided, ['newest', 'accepted']]);
  expect(await later).toBe('refused');
});

test('a group that was left stays left when the operator refuses the group that replaced it', async () => {
  const decided: Parameters<typeof stateOf>[1] = [
    ['left', 'accepted'],
    ['new', 'accepted'],
    ['new', 'refused'],
  ];
  expect(await Promise.all(['left', 'new'].map((group) => stateOf(group, decided)))).toEqual([
    'refused',
    'refused',
  ]);
  expect(await stateOf('left', [...decided, ['left', 'accepted']])).toBe('accepted');
});
