import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';

const KEY = `0x${'11'.repeat(32)}`;

test('everything has a default; an empty variable is an absent one', () => {
  const config = loadConfig({ PORT: '', DATABASE_URL: '' });
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8_000, chain: { chainId: 31_337 } });
  expect(config.secrets.payerPrivateKeys).toHaveLength(1);
});

test('secrets stay out of JSON, and nothing can be changed', () => {
  const config = loadConfig({ PAYER_PRIVATE_KEYS: KEY, ROOT_SECRET_PASSPHRASE: 'hidden' });
  expect(JSON.stringify(config)).not.toMatch(/11111111|hidden/);
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  expect(() => Object.assign(config.chain, { chainId: 1 })).toThrow(TypeError);
});

describe('mistakes', () => {
  const mistakesOf = (variables: Record<string, string>): string => {
    try {
      loadConfig(variables);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return '';
  };

  test('all are listed at once, without their values', () => {
    const text = mistakesOf({
      PORT: '70000',
      RPC_URL: 'ftp://secret',
      PAYER_PRIVATE_KEYS: 'secret',
      LOG_LEVEL: 'loud',
    });
    expect(text.split('\n').map((line) => line.split(':')[0]?.split('.')[0])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'RPC_URL',
      'PAYER_PRIVATE_KEYS',
    ]);
    expect(text).not.toContain('secret');
  });

  test.each([
    ['a payer twice', { PAYER_PRIVATE_KEYS: `${KEY}, ${KEY}` }, /twice/],
    ['no scalar', { PAYER_PRIVATE_KEYS: `0x${'0'.repeat(64)}` }, /scalar/],
    [
      'the local payer elsewhere',
      { CHAIN_ID: '1', ROOT_SECRET_PASSPHRASE: 'x' },
      /^PAYER_PRIVATE_KEYS: needed/,
    ],
    [
      'the local passphrase elsewhere',
      { CHAIN_ID: '1', PAYER_PRIVATE_KEYS: KEY },
      /^ROOT_SECRET_PASSPHRASE: needed/,
    ],
  ])('%s', (_what, variables, message) => {
    expect(mistakesOf(variables as Record<string, string>)).toMatch(message);
  });
});
