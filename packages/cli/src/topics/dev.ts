/** The local stack, which a checkout of the repository has. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Command, command } from '../command.ts';
import { CommandError } from '../errors.ts';

/** Returns the checkout that the current folder is in. */
function findCheckout(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    const isCheckout = existsSync(join(folder, 'stack/src/up.ts')) && existsSync(manifest);
    if (isCheckout && JSON.parse(readFileSync(manifest, 'utf8')).name === 'latchkey') return folder;
    if (folder === dirname(folder))
      throw new CommandError(
        'this folder is not in a checkout of Latchkey',
        'Clone the repository, run npm ci, and run latchkey dev there.',
      );
  }
}

export const dev: Command = command({
  summary: 'starts the local stack of a checkout; options after -- are those of npm run up',
  arguments: { flags: { many: true, help: 'options of npm run up' } },
  options: { reload: { help: 'restarts services when their sources change' } },
  examples: ['dev', 'dev --reload', 'dev -- --fresh'],
  run: async (_session, { flags, reload }) => {
    const child = spawn('npm', ['run', '-s', reload ? 'dev' : 'up', '--', ...flags], {
      cwd: findCheckout(),
      stdio: 'inherit',
    });
    // Ctrl-C reaches the stack as well, which ends by itself.
    process.on('SIGINT', () => {});
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  },
  exitCode: (code) => code,
});
