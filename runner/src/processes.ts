import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Returns true while a process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Kills the processes whose command line contains one of the texts. Processes of other users stay. No effect without `/proc`. */
export function killProcessesOf(texts: string[]): void {
  if (texts.length === 0 || !existsSync('/proc')) return;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (texts.some((text) => commandLine.includes(text))) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
