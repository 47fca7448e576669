import { expect, test } from 'vitest';
import { parseDeployment } from './deployment.ts';

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const written = { chainId: 31337, address, startBlock: 3, facets: { WritesFacet: address.toLowerCase() } };

test('reads a deployment file with EIP-55 addresses', () => {
  expect(parseDeployment(written)).toEqual({ ...written, facets: { WritesFacet: address } });
});

test.each([
  ['chainId', { ...written, chainId: '31337' }],
  ['address', { ...written, address: address.replace('f3', 'F3') }],
  ['startBlock', { ...written, startBlock: -1 }],
  ['facets', { ...written, facets: { WritesFacet: '0x' } }],
  ['facets', { chainId: 1, address, startBlock: 0 }],
])('refuses a wrong %s and names it', (field, value) => {
  expect(() => parseDeployment(value)).toThrow(field);
});
