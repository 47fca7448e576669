/** The parts of the SDK's sources in an application that esbuild bundles for a browser. */
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Returns the bundle of one line of code, and the modules that contribute to it. */
async function bundle(contents: string): Promise<{ text: string; modules: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const inputs = Object.values(metafile.outputs)[0]?.inputs ?? {};
  const modules = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
  return { text: outputFiles[0]?.text ?? '', modules };
}

/** The modules of `@latchkey/protocol` that only services need. */
const ofServices = /\/(ipfs-unixfs-importer|ipfs-unixfs|blockstore-core|@ipld\/dag-pb|zod)\//;
const nodeOnly = /\bnode:[a-z]|\bBuffer\.|\bprocess\.(?!env)/;

test('a bundle of one function contains no other function, and no module that only services need', async () => {
  const { text, modules } = await bundle(
    "import { addGroup, createBareClient } from '@latchkey/sdk'; console.log(addGroup, createBareClient);",
  );
  expect(text).toContain('/core/v1/add_group"');
  const own = modules
    .filter((path) => path.includes('packages/sdk/src/'))
    .map((path) => path.split('/src/')[1]);
  expect(own.sort()).toEqual([
    'account-state.ts',
    'bare-client.ts',
    'base-url.ts',
    'contract.ts',
    'deadline.ts',
    'errors.ts',
    'group-contents.ts',
    'groups.ts',
    'http.ts',
    'values.ts',
    'write-definition.ts',
    'write-request.ts',
    'write-signed.ts',
    'write-transaction.ts',
    'write.ts',
  ]);
  expect(text).not.toContain('BillingAuth');
  for (const other of ['update_group', 'list_groups', 'create_wallet_with_signature', 'svc_action'])
    expect(text).not.toContain(`/core/v1/${other}"`);
  expect(text).not.toMatch(/async function batch|function listPage/);
  expect(modules.filter((path) => ofServices.test(path))).toEqual([]);
});

test('a bundle that reads the credit contains no lists and no transaction code', async () => {
  const { text } = await bundle("export { createBareClient, getBalance } from '@latchkey/sdk';");
  expect(text).toContain('"/core/v1/billing/balance"');
  expect(text).not.toMatch(/function (?:pageQuery|toPage|listLedger|writeByTransaction)\b/);
  expect(text).not.toContain('/core/v1/billing/ledger');
});

test('a bundle of one function of triggers contains no other function and nothing of the chain', async () => {
  const { text, modules } = await bundle(
    "export { createBareTriggersClient, getTrigger } from '@latchkey/sdk';",
  );
  expect(text).toContain('/api/');
  expect(text).not.toMatch(/function (?:createTrigger|listTriggers|writeByTransaction)\b|core\/v1\/[a-z]/);
  const own = modules
    .filter((path) => path.includes('packages/sdk/src/'))
    .map((path) => path.split('/src/')[1]);
  expect(own.sort()).toEqual([
    'bare-client.ts',
    'bare-triggers-client.ts',
    'base-url.ts',
    'deadline.ts',
    'errors.ts',
    'http.ts',
    'trigger-follower.ts',
    'triggers-request.ts',
    'triggers.ts',
  ]);
});

test('a bundle of everything runs in browsers: no module of Node, or that only services need', async () => {
  const { text, modules } = await bundle("export * from '@latchkey/sdk';");
  for (const path of ['add_group', 'svc_action', 'create_wallet_with_signature', 'list_api_keys'])
    expect(text).toContain(`"/core/v1/${path}"`);
  expect(modules.filter((path) => ofServices.test(path))).toEqual([]);
  const own = text
    .split(/^\/\/ /m)
    .filter((part) => /^(?:packages\/sdk|src|\.\.\/protocol|packages\/protocol)/.test(part));
  expect(own.length).toBeGreaterThan(10);
  for (const part of own) expect(part).not.toMatch(nodeOnly);
});

test('a client without functions adds no function to the bundle', async () => {
  const { modules } = await bundle("export { createBareClient } from '@latchkey/sdk';");
  expect(modules.filter((path) => /sdk\/src\/(?:groups|write|contract|pages)\.ts/.test(path))).toEqual([]);
});
