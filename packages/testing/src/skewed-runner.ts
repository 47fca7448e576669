/** A runner of the shared stack whose clock is wrong. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryDirectory } from './processes.ts';
import { type RunnerProcess, startRunnerProcess } from './services.ts';
import { stack } from './stack.ts';

/** Sets the clock of the process ahead while the file exists. */
const clockAhead = (ms: number, file: string): string => {
  const shift = `existsSync(${JSON.stringify(file)}) ? ${ms} : 0`;
  return `import { existsSync } from 'node:fs'; const now = Date.now; Date.now = () => now() + (${shift});`;
};

/** The key nodes know the runner. `setRight` ends its error. */
export async function startSkewedRunner(aheadMs: number): Promise<RunnerProcess & { setRight: () => void }> {
  const directory = temporaryDirectory(tmpdir());
  const file = join(directory.path, 'ahead');
  writeFileSync(file, '');
  const program = encodeURIComponent(clockAhead(aheadMs, file));
  const runner = await startRunnerProcess({
    ...stack.runnerKeySettings,
    NODE_OPTIONS: `--import data:text/javascript,${program}`,
  });
  return {
    ...runner,
    setRight: () => rmSync(file),
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}
