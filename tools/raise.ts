/** `npm run raise`: raises the version. See HELP. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitWithMistake, parseCommand } from '@latchkey/service/parse-command';
import { raiseChangelog, raiseImages } from './release/versions.ts';

const HELP = `npm run raise -- <version>

Raises the version of all packages and of package-lock.json, of the images in deploy/ and docs/, and of the section at the top of CHANGELOG.md.`;

const { positionals } = parseCommand(HELP, {}, { allowPositionals: true });
const [version = ''] = positionals;
if (positionals.length !== 1 || !/^\d+\.\d+\.\d+$/.test(version))
  exitWithMistake(HELP, 'Give a version of three numbers, such as 0.2.0');

const root = join(import.meta.dirname, '..');
const run = (command: string, args: string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const change = (path: string, raise: (text: string, version: string) => string) =>
  writeFileSync(join(root, path), raise(readFileSync(join(root, path), 'utf8'), version));

const options = ['--workspaces', '--include-workspace-root', '--no-git-tag-version'];
run('npm', ['version', version, ...options, '--no-workspaces-update']);
for (const path of run('git', ['ls-files', 'deploy', 'docs/*.md']).split('\n')) change(path, raiseImages);
change('CHANGELOG.md', raiseChangelog);
run('npm', ['run', 'lock']);
console.log(`The version is ${version}: review the changes, and commit them.`);
