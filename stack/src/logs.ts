/** The output of the parts, in one file each: `logs/relayer.log` in the data directory. A start replaces the files. */
import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { OutputLine, PartName } from './output.ts';

export type Logs = {
  /** Until this call lines are not kept: another stack may use the directory. */
  open: () => void;
  write: (output: OutputLine) => void;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export function openLogs(directory: string): Logs {
  const files = new Map<PartName, WriteStream>();
  let isOpen = false;
  const open = (part: PartName): WriteStream => {
    const file = createWriteStream(join(directory, `${part}.log`));
    // A full disk ends the log, not the stack.
    file.on('error', ({ message }) => console.error(`the log of ${part} ends: ${message}`));
    files.set(part, file);
    return file;
  };
  return {
    open() {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory, { recursive: true });
      isOpen = true;
    },
    write({ part, line }) {
      if (!isOpen) return;
      const file = files.get(part) ?? open(part);
      file.write(`${line}\n`);
    },
    async [Symbol.asyncDispose]() {
      isOpen = false;
      await Promise.all([...files.values()].map((file) => new Promise((done) => file.end(done))));
    },
  };
}
