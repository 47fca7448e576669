import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, StackError } from './root.ts';
import { baseEnv, type ServiceSettingsOptions, serviceSettings } from './service-settings.ts';

const services = ['indexer', 'runner', 'relayer', 'triggers'] as const;

/** Settings that the key nodes give later. */
const keys = {
  runner: {
    KEY_GROUP: `${'00'.repeat(32)},${'00'.repeat(32)},02${'00'.repeat(32)}`,
    RUNNER_IDENTITY: '00'.repeat(32),
  },
  relayer: { KEY_NODES: 'http://127.0.0.1', RELAYER_IDENTITY: '00'.repeat(32) },
};

/** Returns true when a variable is a setting of a service. */
function hasSettings(env: Record<string, string | undefined>): boolean {
  const examples = services.map((name) => readFileSync(join(root, name, '.env.example'), 'utf8'));
  const names = examples.flatMap((text) =>
    [...text.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name ?? ''),
  );
  return names.some((name) => env[name]);
}

/** Throws a StackError with every mistake in the settings with which the services would start. */
export async function checkSettings(options: Omit<ServiceSettingsOptions, 'keys'>): Promise<void> {
  if (!hasSettings(options.env)) return;
  const settings = serviceSettings({ ...options, keys });
  const check = promisify(execFile)(process.execPath, [join(root, 'tools/check-settings.ts')], {
    cwd: root,
    env: baseEnv(),
  });
  check.child.stdin?.end(JSON.stringify(Object.fromEntries(services.map((name) => [name, settings[name]]))));
  await check.catch((error: { stderr?: string }) => {
    throw new StackError(`Invalid settings:\n${error.stderr?.trim()}`, { cause: error });
  });
}
