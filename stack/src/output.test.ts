import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { format, isForPeople, type OutputLine, readable } from './output.ts';

test.each([
  ['a line of text', 'a line of text'],
  ['\u001b[31mred\u001b[39m', 'red'],
  ['{not JSON', '{not JSON'],
  [
    '{"level":30,"time":"2026-01-01T00:00:00Z","pid":1,"hostname":"h","name":"relayer","msg":"ready"}',
    'ready',
  ],
  [
    '{"level":"warn","name":"indexer","msg":"again","code":75,"signal":null}',
    'warn again code=75 signal=null',
  ],
  [
    '{"level":50,"msg":"failed","err":{"type":"Error","stack":"Error: no\\n    at x"}}',
    'error failed\nError: no\n    at x',
  ],
  ['{"level":30}', ''],
])('%j becomes %j', (line, text) => {
  expect(readable(line)).toBe(text);
});

test('prefixes each line with its part, without colours when the stream is not a terminal', () => {
  expect(format({ part: 'chain', line: 'one\ntwo' }, new PassThrough())).toBe(
    'chain    │ one\nchain    │ two\n',
  );
});

test.each([
  [{ part: 'stack', line: 'services started (3.1 s)' }, true],
  [{ part: 'relayer', line: '{"level":30,"msg":"request"}' }, false],
  [{ part: 'relayer', line: '{"level":40,"msg":"a warning"}' }, true],
  [{ part: 'indexer', line: '{"level":"error","msg":"an error"}' }, true],
  [{ part: 'indexer', line: '(node:1) DeprecationWarning: no JSON' }, false],
] satisfies [OutputLine, boolean][])('%j is for people: %s', (output, isShown) => {
  expect(isForPeople(output)).toBe(isShown);
});
