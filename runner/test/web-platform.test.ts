/**
 * Conformance of the environment to the standards of the web. Each file of `web-platform/` is one action.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startRuntime } from './runtime.ts';
import { expectedFailures } from './web-platform/expected-failures.ts';
import { fileOf, runTests } from './web-platform/harness.ts';

const directory = fileURLToPath(new URL('web-platform/', import.meta.url));

/** Specifications in the Web IDL that their editors publish. */
const SPECIFICATIONS = [
  ...[
    'FileAPI',
    'compression',
    'console',
    'dom',
    'encoding',
    'fetch',
    'hr-time',
    'html',
    'performance-timeline',
  ],
  ...['referrer-policy', 'streams', 'url', 'urlpattern', 'user-timing', 'wasm-js-api', 'webcrypto'],
  ...['webcrypto-secure-curves', 'webidl', 'xhr'],
];

/** Code that runs before the tests of an area. */
const preludes: Record<string, () => string> = {
  interfaces: () =>
    [
      fileOf('webidl2'),
      fileOf('wpt-runner/testharness/idlharness.js'),
      `const idls = ${JSON.stringify(SPECIFICATIONS.map((name) => fileOf(`@webref/idl/${name}.idl`)))};`,
    ].join('\n'),
};

const run = await startRuntime();

/** Areas and their least number of tests, so that none is lost unnoticed. */
const areas = {
  clone: 230,
  crypto: 170,
  encoding: 600,
  events: 90,
  fetch: 450,
  interfaces: 1_000,
  language: 90,
  streams: 100,
  url: 560,
};

test.each(Object.entries(areas))('%s', async (area, least) => {
  const { count, failed } = await runTests(
    run,
    readFileSync(`${directory}${area}.js`, 'utf8'),
    preludes[area]?.(),
  );
  const expected = Object.values(expectedFailures[area] ?? {}).flat();
  const unexpected = failed.filter(([name]) => !expected.includes(name));
  expect(unexpected.map(([name, why]) => `${name}: ${why}`)).toEqual([]);
  const failedNames = failed.map(([name]) => name);
  expect(expected.filter((name) => !failedNames.includes(name))).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(least);
});

test('every file and every expected failure belongs to an area', () => {
  const files = readdirSync(directory).filter((name) => name.endsWith('.js'));
  expect(files.toSorted()).toEqual(Object.keys(areas).map((area) => `${area}.js`));
  expect(Object.keys(areas)).toEqual(expect.arrayContaining(Object.keys(expectedFailures)));
});
