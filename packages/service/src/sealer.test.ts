import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSealer, SealError, sealingKey } from './sealer.ts';

const [key, olderKey] = [sealingKey(randomBytes(32)), sealingKey(randomBytes(32))];
const sealer = createSealer([key]);

test('opens sealed text and bytes, also empty ones', () => {
  for (const text of ['', 'grüße', 'x'.repeat(100_000)])
    expect(sealer.openText(sealer.seal(text, 'id'), 'id')).toBe(text);
  const bytes = Uint8Array.of(0, 255, 128);
  expect(sealer.open(sealer.seal(bytes, ''), '')).toEqual(bytes);
});

test('seals the same text to different values', () => {
  expect(sealer.seal('a', 'id')).not.toBe(sealer.seal('a', 'id'));
});

test('refuses another context and another key', () => {
  const sealed = sealer.seal('secret', 'row 1');
  expect(() => sealer.open(sealed, 'row 2')).toThrow(SealError);
  expect(() => createSealer([olderKey]).open(sealed, 'row 1')).toThrow(SealError);
});

test('refuses a value with a changed, missing or added byte', () => {
  const bytes = Buffer.from(sealer.seal('secret', 'id'), 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] as number) ^ 1;
    expect(() => sealer.open(changed.toString('base64url'), 'id')).toThrow(SealError);
  }
  const cut = bytes.subarray(0, -1).toString('base64url');
  const longer = Buffer.concat([bytes, Buffer.of(0)]).toString('base64url');
  for (const text of ['', 'AQ', cut, longer, '%%%']) expect(() => sealer.open(text, 'id')).toThrow(SealError);
});

describe('rotation', () => {
  const sealed = createSealer([olderKey]).seal('secret', 'id');
  const rotated = createSealer([key, olderKey]);

  test('an older key opens, and isCurrent is false', () => {
    expect(rotated.openText(sealed, 'id')).toBe('secret');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('secret', 'id'))).toBe(true);
  });

  test('a value of the first key opens without older keys', () => {
    expect(sealer.openText(rotated.seal('secret', 'id'), 'id')).toBe('secret');
  });
});

test('opens values that earlier versions sealed', () => {
  const sealed = 'dYd7tO9_MyGILTno_oAedwxXWAJykgPlY0lH-WRjusabyydSrj2hIq4';
  const earlier = createSealer([sealingKey(new Uint8Array(32).fill(2))]);
  expect(earlier.openText(sealed, 'trigger 1')).toBe('usage key');
});
