/** Errors of commands. */

/** An error with its remedy. */
export class CommandError extends Error {
  readonly fix: string | undefined;
  readonly exitCode: number;
  constructor(message: string, fix?: string, exitCode = 1) {
    super(message);
    this.fix = fix;
    this.exitCode = exitCode;
  }
}
