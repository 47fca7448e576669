/** Options of command-line programs. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<Own extends Options> = ReturnType<typeof parseArgs<{ options: Own; allowPositionals: true }>>;

/**
 * Parses the options of this program. `--help` and `-h` print `help` and exit with 0; a mistake prints its message and
 * `help`, and exits with 2.
 */
export function parseCommand<const Own extends Options>(
  help: string,
  options: Own,
  { allowPositionals = false } = {},
): Parsed<Own> {
  try {
    const parsed = parseArgs<{ options: Own; allowPositionals: true }>({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (!Object.hasOwn(parsed.values, 'help')) {
      const [unexpected] = allowPositionals ? [] : parsed.positionals;
      if (unexpected === undefined) return parsed;
      exitWithMistake(help, `Unexpected argument '${unexpected}'`);
    }
  } catch (error) {
    // Node's advice after the first sentence is about arguments that begin with a dash.
    exitWithMistake(help, (error as Error).message.replace(/\. .*/s, ''));
  }
  console.log(help);
  process.exit(0);
}

/** Prints a mistake in the command line and `help`, and exits with 2. */
export function exitWithMistake(help: string, message: string): never {
  console.error(`${message}\n\n${help}`);
  process.exit(2);
}

/** Returns a whole number from the command line. Exits with 2 when it is not one, or less than `least`. */
export function parseCount(help: string, name: string, text: string, least = 1): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  return exitWithMistake(help, `--${name} takes a whole number from ${least}, not "${text}"`);
}
