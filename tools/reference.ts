/**
 * Writes `docs/reference/`, the pages of the documentation site that are made from sources: the HTTP APIs, the contract, the command
 * line, and pages outside of docs/. `npm run docs` calls it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Program, renderCli } from './reference/cli.ts';
import { renderContract } from './reference/contract.ts';
import { included } from './reference/included.ts';
import { type OpenApi, renderApi } from './reference/openapi.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'docs/reference');

/** Loads a module at run time: a tool must not make the services its dependencies. */
const load = (path: string) => import(join(root, path));

async function renderApis(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const service of ['relayer', 'triggers']) {
    const { servedDocument } = (await load(`${service}/src/openapi.ts`)) as {
      servedDocument: () => unknown;
    };
    const document = (await servedDocument()) as OpenApi;
    for (const [path, text] of renderApi(service, document)) pages.set(path, text);
  }
  return pages;
}

async function renderCommands(): Promise<string> {
  const { createProgram } = (await load('packages/cli/src/program.ts')) as {
    createProgram: (onExit: () => void) => Program;
  };
  return renderCli(createProgram(() => {}));
}

function readInterfaces(): Map<string, string> {
  const folder = join(root, 'contracts/interfaces');
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Returns a page that contains another one, so that the development server sees its changes. */
function include(source: string, path: string): string {
  return `<!--@include: ${relative(dirname(join(target, path)), join(root, source))}-->\n`;
}

const pages = await renderApis();
pages.set('commands.md', await renderCommands());
pages.set('interface.md', renderContract(readInterfaces()));
for (const [source, path] of Object.entries(included)) pages.set(path, include(source, path));
rmSync(target, { recursive: true, force: true });
for (const [path, text] of pages) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}
