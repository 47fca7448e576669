/** Errors of the command, and the exit codes of all. */
import { CommandError } from '@latchkey/command/errors';
import { ContractError, LatchkeyError } from '@latchkey/sdk';

export { CommandError };

export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

/** A mistake in the command line or in an input file: nothing was sent. */
export class UsageError extends CommandError {
  constructor(message: string, fix?: string) {
    super(message, fix, EXIT.usage);
  }
}

const REFUSALS: readonly string[] = [
  'unauthorized',
  'forbidden',
  'signature_rejected',
  'account_not_accepted',
];
/** Errors of the contract for a caller that is not permitted. */
const CONTRACT_REFUSAL = /^(?:NoAccountAccess|NotMasterAccount|NotAllowedTo)/;

export type Described = { exitCode: number; code: string; message: string; fix?: string | undefined };

/** Returns the exit code and the text of an error. */
export function describeError(error: unknown): Described {
  if (error instanceof CommandError) {
    const { exitCode, message, fix } = error;
    return { exitCode, code: error instanceof UsageError ? 'usage' : 'failed', message, fix };
  }
  if (error instanceof LatchkeyError) {
    const { code, fix } = error;
    const isRefused =
      REFUSALS.includes(code) || (error instanceof ContractError && CONTRACT_REFUSAL.test(error.errorName));
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    return {
      exitCode: isRefused ? EXIT.refused : EXIT.failed,
      code,
      message: `${error.message}${request}`,
      fix,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: 'failed', message };
}
