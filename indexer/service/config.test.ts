import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { environment } from './config.ts';

test('.env.example lists every setting with its default', () => {
  const example = parseEnv(readFileSync(new URL('../.env.example', import.meta.url), 'utf8'));
  expect(Object.keys(example).sort()).toEqual(Object.keys(environment.shape).sort());
  const set = Object.fromEntries(Object.entries(example).filter(([, value]) => value !== ''));
  const required = { RPC_URL: 'http://127.0.0.1:8545' };
  expect(environment.parse({ ...set, ...required })).toEqual(environment.parse(required));
});
