import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, StackError } from './root.ts';

/** Returns true when a variable is a setting of a service. */
function hasSettings(env: Record<string, string | undefined>): boolean {
  const examples = ['indexer', 'runner', 'relayer', 'triggers'].map((name) =>
    readFileSync(join(root, name, '.env.example'), 'utf8'),
  );
  const names = examples.flatMap((text) =>
    [...text.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name ?? ''),
  );
  return names.some((name) => env[name]);
}

/** Throws a StackError with every mistake in the settings of the services. */
export async function checkSettings(env: Record<string, string | undefined>): Promise<void> {
  if (!hasSettings(env)) return;
  await promisify(execFile)(process.execPath, [join(root, 'tools/check-settings.ts')], {
    cwd: root,
    env,
  }).catch((error: { stderr?: string }) => {
    throw new StackError(`Invalid settings:\n${error.stderr?.trim()}`, { cause: error });
  });
}
