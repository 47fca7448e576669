/** Settings of a service, from environment variables. */
import { z } from 'zod';

/** The settings are wrong: a line per mistake, without the values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Variables = Record<string, string | undefined>;

/** Returns a sentence when the settings do not fit together. */
export type CrossCheck<Environment> = (env: Environment) => string | undefined;

export type Settings<Config> = {
  /** Reads the settings; an empty variable counts as absent. Throws `ConfigError`. */
  load: (variables?: Variables) => Config;
  /**
   * Reads the settings of this process and deletes the secrets among them from its environment: no child process inherits them, and
   * nothing that prints the environment prints them. Throws `ConfigError`.
   */
  take: () => Config;
};

/** Declares the settings of a service: their schema, what must fit together, the secret ones, and the object made of them. */
export function defineSettings<Schema extends z.ZodObject, Config>({
  schema,
  crossChecks = [],
  secrets = [],
  configFrom,
}: {
  schema: Schema;
  crossChecks?: readonly CrossCheck<z.output<Schema>>[];
  secrets?: readonly (keyof z.output<Schema> & string)[];
  configFrom: (env: z.output<Schema>) => Config;
}): Settings<Config> {
  const load = (variables: Variables = process.env): Config => {
    const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
    const parsed = schema.safeParse(present);
    if (!parsed.success)
      throw new ConfigError(
        parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
      );
    const mistakes = crossChecks.map((check) => check(parsed.data)).filter((text) => text !== undefined);
    if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
    return configFrom(parsed.data);
  };
  return {
    load,
    take() {
      const config = load();
      for (const name of secrets) delete process.env[name];
      return config;
    },
  };
}

/** An integer within bounds. */
export const integer = (minimum: number, maximum: number, defaultValue: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(defaultValue);

export const httpUrl = z.url({ protocol: /^https?$/ });
export const websocketUrl = z.url({ protocol: /^wss?$/ });

/** The items of a list that is separated by commas. */
export const list = (text: string): string[] => text.split(',').map((item) => item.trim());

export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .default('info');

/** Settings of a service with a PostgreSQL database of its own. */
export const databaseSettings = (database: string) => ({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).default(`postgresql://127.0.0.1:5432/${database}`),
  DATABASE_POOL_SIZE: integer(1, 200, 10),
});
