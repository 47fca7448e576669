#!/usr/bin/env node
/** The command `latchkey`. */
import { safeLines, toJson } from '@latchkey/command/text';
import { CommanderError } from 'commander';
import { describeError, EXIT } from './errors.ts';
import { createProgram } from './program.ts';

// The reader of a pipe, such as head, may end first.
process.stdout.on('error', () => process.exit(EXIT.failed));

try {
  const program = createProgram((code) => {
    process.exitCode = code;
  });
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    const { exitCode, code, message, fix } = describeError(error);
    process.exitCode = exitCode;
    const text = fix === undefined ? message : `${message}\n${fix}`;
    process.stderr.write(
      `${process.argv.includes('--json') ? toJson({ code, message, fix }) : safeLines(text)}\n`,
    );
  }
}
