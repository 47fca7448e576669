import type { z } from 'zod';

/** All that is wrong with the settings, a line each. No value is repeated. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A sentence when the settings do not fit together. */
export type CrossCheck<Environment> = (env: Environment) => string | undefined;

/** Reads the settings of a service; an empty variable counts as absent. Throws `ConfigError`. */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  crossChecks: readonly CrossCheck<z.output<Schema>>[],
  variables: Record<string, string | undefined>,
): z.output<Schema> {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    );
  const mistakes = crossChecks.map((check) => check(parsed.data)).filter((mistake) => mistake !== undefined);
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return parsed.data;
}
