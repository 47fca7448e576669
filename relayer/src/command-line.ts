/** The frame of the operator's commands. */
import { withoutUrl } from '@latchkey/chain/errors';
import { ConfigError } from '@latchkey/service/settings';

export class UsageError extends Error {}

/** Runs a command and sets the exit code: of the command, or 2 after an error, which is printed. */
export async function runCommandLine(help: string, main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.exitCode = 2;
    const isUsage =
      error instanceof UsageError || (error instanceof TypeError && 'code' in error && !('cause' in error));
    if (isUsage) console.error(`${(error as Error).message}\n\n${help}`);
    else if (error instanceof ConfigError) console.error(error.message);
    else console.error(withoutUrl(error));
  }
}
