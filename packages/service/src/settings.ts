/** Reads the settings of a service from environment variables. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Invalid settings: one line per mistake, without the values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Variables = Record<string, string | undefined>;

/** Returns an error text when settings contradict each other. */
export type CrossCheck<Environment> = (env: Environment) => string | undefined;

export type Settings<Config> = {
  /** Reads the settings; an empty variable counts as absent. Throws `ConfigError`. */
  load: (variables?: Variables) => Config;
  /**
   * Reads the settings of this process and deletes the secrets from its environment, so that child processes do not
   * inherit them and a dump of the environment does not show them. Throws `ConfigError`.
   */
  take: () => Config;
};

/** Returns the variables with each secret `NAME` that is in the file named by `NAME_FILE`, as orchestrators give secrets. */
function withFiles(variables: Variables, secrets: readonly string[]): Variables {
  const read = secrets.flatMap((name) => {
    const path = variables[`${name}_FILE`];
    if (!path) return [];
    if (variables[name]) throw new ConfigError(`${name}, ${name}_FILE: set one of them`);
    try {
      return [[name, readFileSync(path, 'utf8').replace(/\r?\n$/, '')]];
    } catch (error) {
      throw new ConfigError(`${name}_FILE: ${(error as Error).message}`);
    }
  });
  return { ...variables, ...Object.fromEntries(read) };
}

/** Declares the settings of a service: schema, cross checks, names of secrets, and the resulting object. */
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
    const all = withFiles(variables, secrets);
    const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
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

/** Returns the schema of a setting that is an integer within bounds, in decimal digits, and has no default. */
export const digits = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, 'expected a whole number in decimal digits')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

/** Returns the schema of an integer setting within bounds. The bounds are also in its JSON schema. */
export const integer = (minimum: number, maximum: number, defaultValue: number) =>
  digits(minimum, maximum).default(defaultValue).meta({ minimum, maximum });

/** Relative paths in settings are relative to it. */
export const repository = join(import.meta.dirname, '../../..');

/** Returns the schema of a directory. Its value is absolute. */
export const directory = (defaultValue: string) =>
  z
    .string()
    .default(defaultValue)
    .transform((path) => resolve(repository, path));

/** 32 bytes: a key or a seed. */
export const hex32 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');

/** Splits a comma-separated list. */
export const list = (text: string): string[] => text.split(',').map((item) => item.trim());

export const httpUrl = z.url({ protocol: /^https?$/ });
export const websocketUrl = z.url({ protocol: /^wss?$/ });
const differentUrls = (url: typeof httpUrl) =>
  z
    .string()
    .transform(list)
    .pipe(z.array(url).min(1))
    .refine((urls) => new Set(urls).size === urls.length, 'expected different URLs');
/** URLs of different nodes, separated by commas. */
export const httpUrls = differentUrls(httpUrl);
export const websocketUrls = differentUrls(websocketUrl);

/** Normalises `host:port` to the form that URLs use (shortest host). Undefined when malformed. */
const hostAndPort = (text: string): string | undefined => {
  const port = text.match(/^[^/?#@\\]+:(\d{1,5})$/)?.[1];
  const url = URL.parse(`http://${text}/`);
  return port && url ? `${url.hostname}:${Number(port)}` : undefined;
};

/** Comma-separated `host:port` pairs, in the form that URLs use. */
export const addresses = z
  .string()
  .transform(list)
  .pipe(
    z.array(
      z.string().transform((text, context) => {
        const address = hostAndPort(text);
        if (address === undefined) context.addIssue(`"${text}" is not host:port`);
        return address ?? z.NEVER;
      }),
    ),
  );

export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .default('info');

/** Settings of a service with its own PostgreSQL database. */
export const databaseSettings = (database: string) => ({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).default(`postgresql://127.0.0.1:5432/${database}`),
  DATABASE_POOL_SIZE: integer(1, 200, 10),
});

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

/** Settings of the traces of a service, with the names and values of OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .pipe(z.number().min(0).max(1))
    .default(1)
    .meta({ minimum: 0, maximum: 1 }),
};
