/** Errors of the command, and the exit codes of all. */
import { ContractError, LatchkeyError } from '@latchkey/sdk';

/** An error with its remedy. */
export class CommandError extends Error {
  readonly fix: string | undefined;
  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}

/** A mistake in the command line or in an input file: nothing was sent. */
export class UsageError extends CommandError {}

export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

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
  if (error instanceof UsageError)
    return { exitCode: EXIT.usage, code: 'usage', message: error.message, fix: error.fix };
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
  const fix = error instanceof CommandError ? error.fix : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: 'failed', message, fix };
}
