import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { eventually } from '@latchkey/fork-server/testing';
import { expect, test } from 'vitest';
import { openProcessUsage } from './process-usage.ts';

/** The open files of this process below `/proc/<pid>`. */
const openFiles = (pid: number): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(`/proc/${pid}/`) ? [target] : [];
    } catch {
      return []; // the descriptor of the directory itself
    }
  });

test.runIf(process.platform === 'linux')(
  'returns the memory and processor time of a process, and 0 when it is gone',
  async () => {
    const allocates = 'const held = Buffer.alloc(50e6, 1); for (;;);';
    const child = spawn(process.execPath, ['-e', allocates], { stdio: 'ignore' });
    const pid = child.pid as number;
    const usage = openProcessUsage(pid);
    await eventually(() => usage.anonymousBytes() > 50e6);
    const before = usage.cpuMs();
    await eventually(() => usage.cpuMs() > before + 50);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect([usage.anonymousBytes(), usage.cpuMs()]).toEqual([0, 0]);
    expect(openFiles(pid)).toHaveLength(3);
    usage.close();
    expect(openFiles(pid)).toEqual([]);
  },
);
