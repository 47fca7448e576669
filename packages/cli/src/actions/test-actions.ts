/** Runs the tests of actions: the file `<action>.test.js` has the cases of the action beside it. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ApiClient, RunActionResult } from '@latchkey/sdk';
import { UsageError } from '../errors.ts';
import type { JsonObject } from '../parse.ts';
import type { Session } from '../session.ts';
import { compileFile } from './run.ts';

/** A case of a test file, whose default export is an array of them. */
type Case = {
  name: string;
  params?: JsonObject;
  check: (result: RunActionResult & { pkpId: string }) => unknown;
};

export type TestResult = {
  file: string;
  name: string;
  passed: boolean;
  error?: string | undefined;
  logs?: string;
};

const TEST = /\.test\.m?js$/;

/** Returns the test files of the given files and folders. */
async function findTests(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (TEST.test(path)) {
      found.push(path);
      continue;
    }
    if (!existsSync(path)) throw new UsageError(`${path}: no such file or folder`);
    const names = await readdir(path, { recursive: true }).catch(() => {
      throw new UsageError(`${path}: expected a folder, or a file like sign.test.js`);
    });
    found.push(
      ...names
        .filter((name) => TEST.test(name) && !name.includes('node_modules'))
        .map((name) => join(path, name)),
    );
  }
  if (found.length > 0) return found.sort();
  throw new UsageError(
    'there are no tests',
    'A test of sign.ts is sign.test.js; latchkey init writes an example.',
  );
}

function findAction(test: string): string {
  const base = test.replace(TEST, '');
  const action = ['.ts', '.js', '.mjs', '.mts']
    .map((ending) => base + ending)
    .find((path) => existsSync(path));
  if (action !== undefined) return action;
  throw new UsageError(`${test}: there is no ${base}.ts or ${base}.js beside it`);
}

async function readCases(file: string): Promise<Case[]> {
  const { default: cases } = (await import(pathToFileURL(resolve(file)).href)) as { default: unknown };
  const isCase = (one: Partial<Case> | null): boolean =>
    typeof one?.name === 'string' && typeof one.check === 'function';
  if (Array.isArray(cases) && cases.every(isCase)) return cases as Case[];
  throw new UsageError(`${file}: expected a default export like [{ name, params, check(result) {} }]`);
}

/** Runs one case: the check throws when the result is wrong. */
async function runCase(
  { client, pkpId }: { client: ApiClient; pkpId: string },
  code: string,
  { params, check }: Case,
): Promise<{ error?: string; logs?: string }> {
  const result = await client.runAction({ code, jsParams: { pkpId, ...params } });
  try {
    await check({ ...result, pkpId });
    return {};
  } catch (error) {
    const own = result.error === undefined ? '' : `\n${result.error.stack}`;
    return { error: `${error instanceof Error ? error.message : String(error)}${own}`, logs: result.logs };
  }
}

/** Runs every case, and prints each result. */
export async function testActions(
  session: Session,
  paths: readonly string[],
  open: () => Promise<{ client: ApiClient; pkpId: string }>,
): Promise<TestResult[]> {
  const tests = await findTests(paths);
  const account = await open();
  const results: TestResult[] = [];
  for (const file of tests) {
    const code = await compileFile(findAction(file));
    for (const one of await readCases(file)) {
      const { error, logs } = await runCase(account, code, one);
      results.push({ file, name: one.name, passed: error === undefined, error, ...(logs && { logs }) });
      session.tell(`${error === undefined ? 'ok    ' : 'failed'}  ${file}: ${one.name}`);
      if (error !== undefined) session.tell(`${error}\n${logs ?? ''}`.replaceAll(/^/gm, '        '));
    }
  }
  return results;
}
