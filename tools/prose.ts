/** `npm run prose [-- <paths>]`: phrases that the writing guide replaces, per file. Exits with 1 when there are any. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseCommand } from '@latchkey/service/parse-command';
import { lineAt } from './house/sources.ts';
import { findProse } from './prose/find.ts';

const HELP = `npm run prose [-- [--summary] <paths>]

Finds phrases that the writing guide replaces in comments, strings, documents, names of files and identifiers.

  <paths>    files and folders (default: all that git knows)
  --summary  counts per folder and phrase only`;

/** Quotations and names. */
const QUOTED = /It's a Secret to Everybody|What is the hour of the pearl|None: no lists|User id of `nobody`/g;
/** Generated files, and the two files that contain the phrases as data. */
const IGNORED = /^tools\/prose\/(patterns|prose\.test)\.ts$|(^|\/)generated\/|^package-lock\.json$/;

const { values, positionals } = parseCommand(
  HELP,
  { summary: { type: 'boolean', default: false } },
  { allowPositionals: true },
);

function main(): number {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...positionals];
  const paths = spawnSync('git', args, { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => /\.(tsx?|mjs|js|sol|sql|md)$/.test(path) && !IGNORED.test(path) && existsSync(path));
  const counts = new Map<string, number>();
  let total = 0;
  for (const path of paths) {
    const content = readFileSync(path, 'utf8').replace(QUOTED, (quote) => '.'.repeat(quote.length));
    for (const { phrase, excerpt, offset, fix } of findProse(path, content)) {
      const row = `${path
        .split('/')
        .slice(0, path.startsWith('packages/') ? 2 : 1)
        .join('/')}: ${phrase}`;
      counts.set(row, (counts.get(row) ?? 0) + 1);
      total++;
      if (!values.summary) console.log(`${path}:${lineAt(content, offset)} ${phrase}: "${excerpt}" (${fix})`);
    }
  }
  if (values.summary) console.table(Object.fromEntries([...counts].map(([row, count]) => [row, { count }])));
  console.log(`${total} phrases in ${paths.length} files`);
  return total === 0 ? 0 : 1;
}

process.exitCode = main();
