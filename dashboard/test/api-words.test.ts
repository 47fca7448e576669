import { expect, test } from 'vitest';
import { inPageWords, isMalformedPath, visible } from '../src/components/api-words.ts';

test.each([
  ['execute_in_groups: group 9 does not exist', 'Runs the actions of: group 9 does not exist'],
  ['body.config.cron: malformed', 'cron: malformed'],
  ['Body.max_concurrent_runs: Too big', 'Concurrent runs: Too big'],
  ['query.page_size: expected at most 1000', 'page size: expected at most 1000'],
  [
    'The webhook https://a.example/body.html answered 500',
    'The webhook https://a.example/body.html answered 500',
  ],
  ['This wallet is unknown.', 'This wallet is unknown.'],
])('%s', (message, shown) => {
  expect(inPageWords(message)).toBe(shown);
});

test('recognizes a malformed identifier in a path, and not one in a form', () => {
  expect(isMalformedPath('params.id: Invalid GUID')).toBe(true);
  expect(isMalformedPath('body.id: Invalid GUID')).toBe(false);
});

test('characters that reorder or hide text are visible', () => {
  expect(visible('safe\u202egnihtyna')).toBe('safe\ufffdgnihtyna');
  expect(visible('Zahlungen für Müller ✓')).toBe('Zahlungen für Müller ✓');
});
