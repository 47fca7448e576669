import { expect, test } from 'vitest';
import { resolveImport } from './specifier.ts';

const CDN = 'https://cdn.example/npm';
const HASH = `sha384-${'A'.repeat(64)}`;
const viem = `${CDN}/viem@2.57.1/+esm`;

test.each([
  ['zod@4.6.7', null, `${CDN}/zod@4.6.7/+esm`],
  ['zod@4.6.7/', null, `${CDN}/zod@4.6.7/+esm`],
  ['zod@4.6.7/+esm', null, `${CDN}/zod@4.6.7/+esm`],
  ['viem@2.57.1/accounts', null, `${CDN}/viem@2.57.1/accounts/+esm`],
  ['lodash-es@4.18.1/add.js', null, `${CDN}/lodash-es@4.18.1/add.js`],
  ['@noble/curves@2.4.0/secp256k1.js', null, `${CDN}/@noble/curves@2.4.0/secp256k1.js`],
  ['@scope/a.b@1.0.0-rc.1+build', null, `${CDN}/@scope/a.b@1.0.0-rc.1+build/+esm`],
  [viem, null, viem],
  ['/npm/abitype@1.3.0/+esm', viem, `${CDN}/abitype@1.3.0/+esm`],
  ['./b.js', `${CDN}/lodash-es@4.18.1/a.js`, `${CDN}/lodash-es@4.18.1/b.js`],
  ['../b.js', `${CDN}/lodash-es@4.18.1/x/a.js`, `${CDN}/lodash-es@4.18.1/b.js`],
])('%s in %s is %s', (specifier, referrer, url) => {
  expect(resolveImport(specifier, referrer, CDN)).toEqual({ url, hash: undefined });
  expect(resolveImport(`${specifier}#${HASH}`, referrer, CDN)).toEqual({ url, hash: HASH });
});

test.each([
  ['zod', null, 'has no exact version: write zod@1.2.3'],
  ['zod@^4.6.7', null, 'has no exact version'],
  ['zod@4', null, 'has no exact version'],
  ['zod@latest', null, 'has no exact version'],
  ['zod@4.6.x/+esm', null, 'has no exact version'],
  [`${CDN}/zod/+esm`, null, 'has no exact version'],
  [`${CDN}/zod@4/+esm`, null, 'has no exact version'],
  ['abitype', viem, `in ${viem} names no URL: add /+esm`],
  ['abitype@1', viem, 'has no exact version'],
  ['./a.js', null, 'is a file: an action is one file'],
  ['/npm/zod@4.6.7/+esm', null, 'is a file'],
  ['node:fs', null, 'is a module of Node'],
  ['fs', null, 'is a module of Node'],
  ['node:fs', viem, 'is a module of Node'],
  ['https://evil.example/npm/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['http://cdn.example/npm/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['https://cdn.example:444/npm/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['https://user@cdn.example/npm/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['https://cdn.example/other/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['https://cdn.example/npm/../other/zod@4.6.7/+esm', null, `is not a module of ${CDN}`],
  ['//evil.example/npm/zod@4.6.7/+esm', viem, `is not a module of ${CDN}`],
  ['../../../../zod@4.6.7/+esm', viem, `is not a module of ${CDN}`],
  [`${viem}?target=es2020`, null, 'other hosts and queries'],
  ['zod@4.6.7?x=1', null, 'has no exact version'],
  ['zod@4.6.7/a?x.js', null, 'queries are refused'],
  ['data:text/javascript,1', null, `is not a module of ${CDN}`],
  ['file:///etc/passwd', null, `is not a module of ${CDN}`],
  ['https://', null, 'is not a URL'],
  ['', null, 'is neither a package nor a URL'],
  ['zod@4.6.7#sha256-abc', null, 'has a malformed hash'],
  ['zod@4.6.7#', null, 'has a malformed hash'],
  [`zod@4.6.7#${HASH}#${HASH}`, null, 'has a malformed hash'],
])('refuses %s in %s', (specifier, referrer, reason) => {
  expect(() => resolveImport(specifier, referrer, CDN)).toThrow(reason);
});
