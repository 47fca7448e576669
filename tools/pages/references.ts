/** References of the pages (Markdown) to files, headings and npm scripts. */
import { dirname, join } from 'node:path/posix';
import { toAnchor } from '../reference/markdown.ts';

export type Repository = {
  /** The text of each page by its path. */
  pages: Map<string, string>;
  /** Every file that git knows or would add. */
  files: readonly string[];
  /** Names of the npm scripts per folder with a package.json; `.` is the root. */
  npmScripts: Map<string, readonly string[]>;
};

const LINK = /\]\(([^)\s]+)\)/g;
/** A file or folder in code: `relayer/src/main.ts`, `main.ts`, `auth/`. */
const PATH_IN_CODE = /`([\w@][\w@./-]*(?:\.(?:ts|tsx|js|mjs|json|sol|sql|sh|md)|\/))`/g;
/** Files that builds and running services make. */
const MADE =
  /^(action\.js|((relayer|triggers)\/)?openapi\.json|config\.json|(decisions|first-account|node|pins)\.json|root-secret\.json|(chain|stripe)\/state\.json|(broadcast|cache|deployments)\/|docs\/\.vitepress\/dist\/|deployments\/\d+\.|\d+\.safe\.)/;

/** Returns the broken references of all pages, one sentence each. */
export function findBrokenReferences({ pages, files, npmScripts }: Repository): string[] {
  const known = new Set(files.flatMap(withFolders));
  const endings = new Set([...known].flatMap(endingsOf));
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsIn(text)]));
  const isBroken = (page: string, link: string): boolean => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path).replace(/\/$/, '');
    if (!known.has(target)) return true;
    return anchor !== undefined && anchors.get(target)?.has(anchor) === false;
  };
  return [...pages].flatMap(([page, text]) => [
    ...groups(text, LINK)
      .filter((link) => !/^(https?|mailto):/.test(link) && isBroken(page, link))
      .map((link) => `${page} links ${link}`),
    ...groups(text, PATH_IN_CODE)
      .filter((path) => !MADE.test(path) && !endings.has(path.replace(/\/$/, '')))
      .map((path) => `${page} names ${path}`),
    ...groups(text, /npm run (?:-s )?([a-z:-]+)/g)
      .filter((name) => !withFolders(page).some((folder) => npmScripts.get(folder)?.includes(name)))
      .map((name) => `${page} names npm run ${name}`),
  ]);
}

function groups(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

/** Returns a path and the folders above it; `.` is the root. */
function withFolders(path: string): string[] {
  return path === '.' ? [path] : [path, ...withFolders(dirname(path))];
}

/** Returns a path without its first folders: `a/b/c`, `b/c`, `c`. */
function endingsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(index).join('/'));
}

/** Returns the anchors of a page's headings as GitHub makes them. */
function anchorsIn(text: string): Set<string> {
  const headings = groups(text.replaceAll(/^ *```.*?^ *```$/gms, ''), /^#+ (.*)$/gm);
  const counts = new Map<string, number>();
  const anchors = headings.map((heading) => {
    const anchor = toAnchor(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}
