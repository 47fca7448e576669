import { describe, expect, test } from 'vitest';
import { createRedaction } from './redaction.ts';

function redactionOf(...values: string[]) {
  const redaction = createRedaction();
  for (const value of values) redaction.add(value);
  return redaction;
}
const value = 'sk_live_"1\n2"';

describe('redact', () => {
  test.each([
    ['the value', value],
    ['the value in JSON', JSON.stringify({ value })],
    ['the value in JSON in JSON', JSON.stringify(JSON.stringify({ value }))],
  ])('replaces %s', (_, text) => {
    const redacted = redactionOf(value).redact(`${text} ${text}`);
    expect(redacted).not.toContain('sk_live');
    expect(redacted.match(/\[secret\]/g)).toHaveLength(2);
  });

  test('replaces the longer of two values that begin alike', () => {
    expect(redactionOf('12345678', '12345678-90').redact('12345678-90 12345678')).toBe('[secret] [secret]');
  });

  test('leaves values of fewer than eight characters', () => {
    expect(redactionOf('1234567').redact('1234567')).toBe('1234567');
    expect(redactionOf('12345678').redact('12345678')).toBe('[secret]');
  });

  test('never makes a text longer', () => {
    expect('[secret]').toHaveLength(8);
  });
});

describe('redactJson', () => {
  test.each([
    [{ value }, { value: '[secret]' }],
    [{ [value]: [value, 1] }, { '[secret]': ['[secret]', 1] }],
    [`a ${value} b`, 'a [secret] b'],
  ])('redacts the strings of %j', (response, expected) => {
    expect(JSON.parse(redactionOf(value).redactJson(JSON.stringify(response)))).toEqual(expected);
  });

  test('redacts numbers, and leaves JSON', () => {
    const json = redactionOf('12345678').redactJson('{"a":12345678,"b":[-0.123456789e2,1234]}');
    expect(JSON.parse(json)).toEqual({ a: '[secret]', b: ['-0.[secret]9e2', 1234] });
  });

  test('leaves JSON whose structure looks like a value', () => {
    const response = { a: 'b', c: 'd' };
    expect(JSON.parse(redactionOf(':"b","c":"').redactJson(JSON.stringify(response)))).toEqual(response);
  });
});

describe('redactPart', () => {
  const parts = (redaction: ReturnType<typeof createRedaction>, ...texts: string[]) =>
    texts.map((text) => redaction.redactPart(text)).join('') + redaction.rest();

  test('redacts a value at every border of two and of many parts', () => {
    const text = `before ${value} after`;
    for (let at = 0; at <= text.length; at++)
      expect(parts(redactionOf(value), text.slice(0, at), text.slice(at))).toBe('before [secret] after');
    expect(parts(redactionOf(value), ...text)).toBe('before [secret] after');
  });

  test('keeps only an end that can become a value, and nothing of it is lost', () => {
    const redaction = redactionOf(value);
    expect(redaction.redactPart('a line\n')).toBe('a line\n');
    expect(redaction.redactPart('the start sk_li')).toBe('the start ');
    expect(redaction.redactPart('ght')).toBe('sk_light');
    expect(redaction.redactPart('sk_')).toBe('');
    expect(redaction.rest()).toBe('sk_');
    expect(redaction.rest()).toBe('');
  });

  test('passes parts on as they are without a value', () => {
    expect(createRedaction().redactPart('sk_live')).toBe('sk_live');
  });
});
