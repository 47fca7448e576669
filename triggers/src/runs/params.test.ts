import { expect, test } from 'vitest';
import { toParams } from './params.ts';

const ofRaw = (event: unknown, raw: string, fields = {}) => ({
  event,
  event_raw: raw,
  headers: {},
  ...fields,
});

test.each([
  ['JSON', ofRaw({ a: [1, null] }, '{"a": [1, null]}')],
  ['JSON after a byte order mark', ofRaw([1], '\ufeff[1]')],
  ['text', ofRaw('hello {', 'hello {')],
  ['JSON with a byte order mark within', ofRaw('a\ufeffb', '"a\ufeffb"')],
])('sends %s once', (_name, input) => {
  const { event: _, ...others } = input;
  expect(toParams({ defaultParams: { a: 1 }, input })).toEqual({
    js_params: { a: 1, ...others },
    json_params: { event: 'event_raw' },
  });
});

test.each<[string, Record<string, unknown>]>([
  ['base64', ofRaw('\ufffd', '/w==', { event_raw_encoding: 'base64' })],
  ['the payload of a form', ofRaw({ a: 1 }, 'payload=%7B%22a%22%3A1%7D')],
  ['another value', ofRaw({ a: 2 }, '{"a":1}')],
  ['a number that JSON rounds to another one', ofRaw({ a: -0 }, '{"a":0}')],
  ['an event without a body', { event: { block: 1 } }],
  ['a body without an event', { event_raw: '{}' }],
  ['a body that is not text', { event: { a: 1 }, event_raw: { a: 1 } }],
])('sends %s as it is', (_name, input) => {
  expect(toParams({ defaultParams: {}, input })).toEqual({ js_params: input });
});

test('the event overrides a default parameter', () => {
  expect(toParams({ defaultParams: { event: 1 }, input: { event_raw: '1' } })).toEqual({
    js_params: { event_raw: '1' },
    json_params: { event: 'event_raw' },
  });
  expect(toParams({ defaultParams: { event: 2 }, input: ofRaw(1, '1') }).js_params).not.toHaveProperty(
    'event',
  );
});
