/** The sidebar: the tables of docs/README.md, and the pages of docs/reference/. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { resolveLink } from './links.ts';

type Item = DefaultTheme.SidebarItem;

const docs = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(docs, path), 'utf8');
const titleOf = (path: string): string => /^# (?:.*: )?(.*)$/m.exec(read(path))?.[1] ?? path;

/** Returns a group per section of docs/README.md whose first column links pages. */
function guides(): Item[] {
  return read('README.md')
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [text = ''] = section.split('\n');
      const cells = [...section.matchAll(/^\| (\[.*?) \|/gm)].map(([, cell = '']) => cell);
      const items = cells.flatMap((cell) =>
        [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = '', link = '']) => ({
          text: title.replaceAll('`', ''),
          link: resolveLink('docs/README.md', link).url ?? '',
        })),
      );
      return items.length === 0 ? [] : [{ text, items }];
    });
}

/** Returns the pages of an API: the overview, and below it those per topic. */
function api(name: string, text: string): Item {
  const topics = readdirSync(join(docs, 'reference', name)).map((file) => `reference/${name}/${file}`);
  return {
    text,
    link: `/reference/${name}`,
    collapsed: true,
    items: topics.map((path) => ({ text: titleOf(path), link: `/${path}` })),
  };
}

export function createSidebar(): Item[] {
  const reference = {
    text: 'Reference',
    items: [
      api('relayer', 'HTTP API of the relayer'),
      api('triggers', 'HTTP API of triggers'),
      { text: 'Commands', link: '/reference/commands' },
      { text: 'Contract', link: '/reference/interface' },
      { text: 'Changelog', link: '/reference/changelog' },
    ],
  };
  const [start = {}, use = {}, ...others] = guides();
  return [start, use, reference, ...others];
}
