/** Measures of a process from outside. Linux only. */
import { readdirSync, readlinkSync } from 'node:fs';
import { rssMb } from '@latchkey/testing/process-tree';

export type ProcessMeasures = { 'rss MiB': number; handles: number; sockets: number };

/** Returns what the process has, without its children. */
export function measureProcess(pid: number): ProcessMeasures {
  const directory = `/proc/${pid}/fd`;
  const targets = readdirSync(directory).flatMap((descriptor) => {
    try {
      return [readlinkSync(`${directory}/${descriptor}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  const isSocket = (target: string) => target.startsWith('socket:');
  return {
    'rss MiB': rssMb([pid]),
    handles: targets.filter((target) => !isSocket(target)).length,
    sockets: targets.filter(isSocket).length,
  };
}
