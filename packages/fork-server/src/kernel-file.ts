/**
 * Reads files of `/proc` and control groups. The kernel does not tell their sizes, so `readFileSync` allocates 64 KiB for each: beside many
 * runs, the collection of these buffers was a quarter of the runner's work.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const buffer = Buffer.allocUnsafe(64 * 1024);

export const readKernelFile = (path: string): string => {
  const descriptor = openSync(path, 'r');
  try {
    let text = '';
    for (;;) {
      const size = readSync(descriptor, buffer);
      if (size === 0) return text;
      text += buffer.toString('latin1', 0, size);
    }
  } finally {
    closeSync(descriptor);
  }
};

/** Reads an open file again from its start. Only for files that the kernel writes as a whole, such as the values of one process. */
export const readAgain = (descriptor: number): string =>
  buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
