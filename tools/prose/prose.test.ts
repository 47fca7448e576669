import { expect, test } from 'vitest';
import { findProse } from './find.ts';

const found = (path: string, content: string) => findProse(path, content).map(({ phrase }) => phrase);

test.each([
  ['a.ts', `/** What is timed. */`, ['What …']],
  ['a.ts', `/**\n * Returns the account. Whoever\n * calls it pays.\n */`, ['Whoever …']],
  ['a.ts', `// The caller knows\n// What to do.`, []],
  ['a.ts', `throw new Error('This is no key.');`, ['is no …']],
  ['a.ts', `throw new Error(\`\${a} is no longer valid for \${b}\`);`, []],
  ['a.ts', `log('None of them is left');`, ['None …']],
  ['a.ts', `throw new Error('There is no group with this id.');`, []],
  ['a.ts', `const none = 'None';`, []],
  ['a.ts', `test('a run has to wait', () => {});`, ['has to']],
  ['a.ts', `const world = startTestKit(); const outsideWorldwide = 1;`, ['world', 'kit']],
  ['relayer/test/world.ts', `export {};`, ['world']],
  ['a.sol', `/// @notice What a key may do.\n/// Nobody else.`, ['What …', 'Nobody …']],
  ['a.sol', `revert InvalidRequest("the id is no id here");`, ['is no …']],
  ['a.tsx', `const a = <p>The key\nhas to expire.</p>; // Nobody knows.`, ['has to', 'Nobody …']],
  [
    'a.sql',
    `-- What is claimed.\nselect 1; -- Nobody\nraise exception 'this is no key';`,
    ['What …', 'Nobody …', 'is no …'],
  ],
  ['a.md', `# Title\n\nThe relayer\nWhat. It is all done at once.\n`, ['at once']],
  ['a.md', '```sh\n# What to run\n```\n\nRun `What is no key` now.\n', []],
  ['a.md', '| Part | What it is |\n|---|---|\n| a | Those that wait |\n', ['What …', 'Those that …']],
  ['a.md', '- **Nobody** waits.\n- Whatever comes.\n', ['Nobody …', 'What …']],
])('finds in %s %j: %j', (path, content, expected) => {
  expect(found(path, content)).toEqual(expected);
});
