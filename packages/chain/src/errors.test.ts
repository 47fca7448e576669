import { inspect } from 'node:util';
import { BaseError, createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import {
  ChainUnavailableError,
  ContractRevertError,
  SignerError,
  toChainError,
  withoutUrl,
} from './errors.ts';

test('logged errors never contain the URL of the node, which can contain a key', async () => {
  const client = createPublicClient({
    transport: http('http://127.0.0.1:9/v2/secret?key=secret', { retryCount: 0 }),
  });
  const thrown = await client.getChainId().catch((error: unknown) => error);
  expect(inspect(thrown)).toContain('secret');
  const error = toChainError(thrown);
  expect(error).toBeInstanceOf(ChainUnavailableError);
  expect(inspect(error)).not.toContain('secret');
  expect(inspect(withoutUrl(thrown))).toMatch(/HTTP request failed/);
  expect(inspect(withoutUrl(thrown))).not.toContain('secret');
});

test('errors of the chain stay as they are', () => {
  for (const error of [
    new ContractRevertError('0x12345678'),
    new ChainUnavailableError('down'),
    new SignerError('no key'),
  ])
    expect(toChainError(error)).toBe(error);
});

test('an error without a revert says that the chain could not be asked, and why', () => {
  const error = toChainError(new Error('the socket is closed'));
  expect(error).toBeInstanceOf(ChainUnavailableError);
  expect(error.cause).toEqual(new Error('the socket is closed'));
  expect(toChainError('no error').cause).toEqual(new Error('connection lost'));
});

test('the logged part of an error has its details when there are some', () => {
  expect(withoutUrl(new BaseError('It failed.'))).toEqual(new Error('BaseError: It failed.'));
  const detailed = new BaseError('It failed.', { details: 'nonce too low' });
  expect(withoutUrl(detailed)).toEqual(new Error('BaseError: It failed. (nonce too low)'));
});
