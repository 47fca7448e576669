/** Links of the pages, which are written for the repository, as links of the site. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { included } from '../../tools/reference/included.ts';

const root = join(import.meta.dirname, '../..');
const sources = new Map(Object.entries(included).map(([source, page]) => [`docs/reference/${page}`, source]));

/** Returns the page of the site for a file of the repository, as its path in docs/. */
function pageOf(path: string): string | undefined {
  if (path === 'docs/README.md') return 'index.md';
  if (path.startsWith('docs/') && path.endsWith('.md')) return path.slice('docs/'.length);
  return included[path] && `reference/${included[path]}`;
}

/** Returns the file that a page of docs/ links, and its page on the site. Throws when the repository has no such file. */
export function resolveLink(page: string, link: string): { file: string; url: string | undefined } {
  const [path = '', anchor] = link.split('#');
  const source = sources.get(page) ?? page;
  const file = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  if (!existsSync(join(root, file))) throw new Error(`${source} links ${link}, which does not exist`);
  const known = pageOf(file);
  if (known === undefined) return { file, url: undefined };
  return { file, url: `/${known}${anchor === undefined ? '' : `#${anchor}`}` };
}

/** Resolves links. One to a file that is not a page of the site becomes text, with the path of the file unless the text is its name. */
export function useRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env, Token }) => {
    const page = posix.relative(root, env.realPath ?? env.path);
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries()) {
        const link = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
        if (link === '' || /^(#|[a-z]+:)/.test(link)) continue;
        const { file, url } = resolveLink(page, decodeURI(link));
        if (url !== undefined) {
          token.attrSet('href', url);
          continue;
        }
        const rest = (children ?? []).slice(index + 1);
        const end = rest.findIndex(({ type }) => type === 'link_close');
        const text = rest
          .slice(0, end)
          .map(({ content }) => content)
          .join('');
        const path = Object.assign(new Token('html_inline', '', 0), { content: ` (<code>${file}</code>)` });
        children?.splice(index, 1, new Token('html_inline', '', 0));
        children?.splice(index + 1 + end, 1, ...(file.endsWith(text.replace(/\/$/, '')) ? [] : [path]));
      }
  });
}
