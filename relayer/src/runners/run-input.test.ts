import { defaultLimits } from '@latchkey/runner-protocol';
import { expect, test } from 'vitest';
import { paramsOf, type RunInput } from './run-input.ts';

const params = (input: Partial<RunInput>, limits = {}) =>
  paramsOf({ code: '', jsParams: {}, jsonParams: {}, ...input }, { ...defaultLimits, ...limits });
const refused = (name: string) => expect.objectContaining({ name });

test.each([null, undefined, {}])('%s becomes an empty object', (jsParams) => {
  expect(params({ jsParams })).toBe('{}');
});

test('counts code in bytes', () => {
  expect(params({ code: 'ü'.repeat(100) }, { maxCodeBytes: 200 })).toBe('{}');
  expect(() => params({ code: 'ü'.repeat(101) }, { maxCodeBytes: 200 })).toThrow(refused('CodeLimitError'));
});

test('counts parameters in bytes of their JSON', () => {
  const a = 'x'.repeat(1_048_576 - 8);
  expect(params({ jsParams: { a } })).toHaveLength(1_048_576);
  expect(() => params({ jsParams: { a: `${a}x` } })).toThrow(refused('ParamsLimitError'));
});

test('refuses parameters that are nested too deeply', () => {
  const jsParams = JSON.parse(`${'['.repeat(500_000)}${']'.repeat(500_000)}`);
  expect(() => params({ jsParams }, { maxParamsBytes: 10_000_000 })).toThrow(refused('ParamsError'));
});

test('adds the JSON in a text, and the text itself when it is not JSON', () => {
  const jsParams = { raw: '\ufeff{"a":1}', text: 'not JSON' };
  const json = params({ jsParams, jsonParams: { value: 'raw', same: 'text' } });
  expect(JSON.parse(json)).toEqual({ ...jsParams, value: { a: 1 }, same: 'not JSON' });
});
