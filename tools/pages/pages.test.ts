/** The pages (Markdown) name only what exists. Tests that run examples of the pages are in docs/. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrokenReferences } from './references.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  return stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

const files = listFiles();
const pages = new Map(files.filter((path) => path.endsWith('.md')).map((path) => [path, read(path)]));

function scriptsOf(manifest: string): string[] {
  const { scripts = {} } = JSON.parse(read(manifest)) as { scripts?: Record<string, string> };
  return Object.keys(scripts);
}

test('every link, heading, path and npm script that a page names exists', () => {
  const manifests = files.filter((path) => /(^|\/)package\.json$/.test(path));
  const npmScripts = new Map(manifests.map((path) => [dirname(path), scriptsOf(path)]));
  expect(findBrokenReferences({ pages, files, npmScripts })).toEqual([]);
});

test('finds what does not exist', () => {
  const text =
    '[a](b.md#two-words) [b](c.md) [c](#none) `src/gone.ts` `src/here.ts` `npm run start` `npm run gone`';
  const broken = findBrokenReferences({
    pages: new Map([
      ['docs/a.md', text],
      ['docs/b.md', '# Two `words`\n\n```sh\n# none\n```'],
    ]),
    files: ['docs/a.md', 'docs/b.md', 'x/src/here.ts'],
    npmScripts: new Map([['.', ['start']]]),
  });
  expect(broken).toEqual([
    'docs/a.md links c.md',
    'docs/a.md links #none',
    'docs/a.md names src/gone.ts',
    'docs/a.md names npm run gone',
  ]);
});

test('docs/README.md links every page of docs', () => {
  const index = pages.get('docs/README.md') ?? '';
  const others = files.filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md');
  expect(others.filter((path) => !index.includes(`](${path.slice('docs/'.length)})`))).toEqual([]);
});

test('there are at most 60 decisions, in order, each one paragraph with its parts', () => {
  const entries = (pages.get('docs/decisions.md') ?? '')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' ').trim())
    .filter((paragraph) => paragraph !== '' && !paragraph.startsWith('#'))
    .slice(1);
  const form =
    /^\*\*D-(\d+) [^*]+\.\*\* \*Context:\* .+ \*Decision:\* .+ \*Consequence:\* .+ \*Status:\* .+\.$/;
  expect(entries.filter((entry) => !form.test(entry))).toEqual([]);
  const ids = entries.map((entry) => Number(form.exec(entry)?.[1]));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.length).toBeLessThanOrEqual(60);
  expect(ids.filter((id, index) => index > 0 && id <= Number(ids[index - 1]))).toEqual([]);
  const cited = files
    .filter((path) => /\.(md|ts|tsx|sol|sql)$/.test(path))
    .flatMap((path) => [...read(path).matchAll(/\bD-(\d+)\b/g)].map(([, id]) => Number(id)));
  expect(cited.filter((id) => !ids.includes(id))).toEqual([]);
});

test('the page on the web layer shows routes of the relayer', () => {
  const shown = [...(pages.get('docs/http.md') ?? '').matchAll(/^```ts\n(.*?)\n```$/gms)].map(
    ([, code = '']) => code,
  );
  expect(read('relayer/src/routes/groups/add_action_to_group.ts')).toContain(shown[0]);
  expect(read('relayer/src/routes/wallets/list_wallets.ts')).toContain(shown[1]);
});
