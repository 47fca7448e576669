import { describe, expect, test } from 'vitest';
import { createConsoleOutput } from './console-output.ts';

describe('console output', () => {
  test('keeps output that fits the limit', () => {
    const output = createConsoleOutput(10);
    expect(output.add('hello\n', 0)).toBe(true);
    expect(output.add('all\n', 0)).toBe(true);
    expect(output.text()).toBe('hello\nall\n');
  });

  test('is cut at the limit and reports it', () => {
    const output = createConsoleOutput(7);
    expect(output.add('hello\n', 0)).toBe(true);
    expect(output.add('all\n', 0)).toBe(false);
    expect(output.text()).toBe('hello\na');
  });

  test('is not cut within a character', () => {
    const output = createConsoleOutput(4);
    expect(output.add('aé漢', 0)).toBe(false);
    expect(output.text()).toBe('aé');
  });

  test('counts frames without text', () => {
    const output = createConsoleOutput(100);
    expect(output.add('', 6_400)).toBe(true);
    expect(output.add('', 64)).toBe(false);
    expect(output.text()).toBe('');
  });
});
