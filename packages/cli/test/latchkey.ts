/** Runs the command as a child process. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '@latchkey/bundle';
import { stack } from '@latchkey/testing/stack';
import { onTestFinished } from 'vitest';

export type Ended = { code: number | null; stdout: string; stderr: string };

type Options = {
  /** A variable that is undefined is not set. */
  env?: Record<string, string | undefined>;
  stdin?: string;
  cwd?: string;
  /** Called with all of its output until now, and a function that sends Ctrl-C. */
  onOutput?: (text: string, interrupt: () => void) => void;
};

/** Returns a function that runs `latchkey` with profiles in a folder of its own. */
export function inHome(home: string) {
  return async (args: string[], { env, stdin, cwd, onOutput }: Options = {}): Promise<Ended> => {
    const child = spawn(process.execPath, [await bundle('packages/cli/src/main.ts'), ...args], {
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        LATCHKEY_URL: stack.url,
        LATCHKEY_TRIGGERS_URL: stack.triggersUrl,
        ...env,
      },
      cwd: cwd ?? home,
    });
    child.stdin.end(stdin ?? '');
    let stdout = '';
    let stderr = '';
    const tell = () => onOutput?.(stderr + stdout, () => child.kill('SIGINT'));
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      tell();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
      tell();
    });
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  };
}

/** Returns true for text that no terminal acts on. */
export const isSafe = (text: string): boolean => !/[\p{Cc}\p{Cf}]/u.test(text.replaceAll('\n', ''));

/** Returns a new folder that is removed after the test. */
export async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'latchkey-cli-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}
