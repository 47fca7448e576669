import { existsSync, readdirSync, readFileSync } from 'node:fs';

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
      // The process has ended, or belongs to another user.
    }
  }
}
