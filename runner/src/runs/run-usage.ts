/** Measures the use of a run, for its record. */
import { type KeyOperation, MAX_HOST_CHARS, type RunUsage } from '@latchkey/runner-protocol';
import { getAddress, isAddress } from 'viem';
import type { ActionProcess } from '../processes/action-process.ts';

export type UsageMeter = {
  /** Returns the memory that the action uses now. Call often: a process that has exited cannot be measured. */
  sample: () => number;
  /** Notes a key function that returned. */
  noteKeyOperation: (operation: KeyOperation, args: unknown) => void;
  /** Notes the host of a request. */
  noteHost: (host: string) => void;
  /** Returns the use until now. Call before the process is killed. */
  read: () => RunUsage;
};

/** Use of a process before it got its action. */
export type Base = { memoryBytes: number; cpuMs: number };

/** Measures what the process uses beyond `base`. */
export function createUsageMeter(
  actionProcess: Pick<ActionProcess, 'anonymousBytes' | 'cpuMs'>,
  base: Base,
): UsageMeter {
  const keyOperations: RunUsage['keyOperations'] = [];
  const fetchHosts = new Set<string>();
  let memoryPeakBytes = 0;
  let cpuMs = 0;
  const sample: UsageMeter['sample'] = () => {
    const memoryBytes = Math.max(0, actionProcess.anonymousBytes() - base.memoryBytes);
    memoryPeakBytes = Math.max(memoryPeakBytes, memoryBytes);
    cpuMs = Math.max(cpuMs, actionProcess.cpuMs() - base.cpuMs);
    return memoryBytes;
  };
  return {
    sample,
    noteKeyOperation(operation, args) {
      keyOperations.push({ operation, wallet: walletOf(args) });
    },
    noteHost: (host) => void fetchHosts.add(host.slice(0, MAX_HOST_CHARS)),
    read() {
      sample();
      return {
        cpuMs: Math.round(cpuMs),
        memoryPeakBytes,
        keyOperations: [...keyOperations],
        fetchHosts: [...fetchHosts],
      };
    },
  };
}

/** Returns the wallet in the checked arguments of a key function. */
function walletOf(args: unknown): string | null {
  const wallet = (args as { pkpId?: unknown } | null)?.pkpId;
  return typeof wallet === 'string' && isAddress(wallet, { strict: false })
    ? getAddress(`0x${wallet.slice(2).toLowerCase()}`)
    : null;
}
