import { digits, integer, logLevel, tracingSettings } from '@latchkey/service/settings';
import express from 'express';
import { z } from 'zod';
import { type BodyLimits, DEFAULT_BODY_LIMITS } from './body-budget.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connections.ts';

const MAX_BYTES = 2 ** 40;

/** Express compiles the value when it is set. */
function isTrustProxy(value: string | number): boolean {
  try {
    express().set('trust proxy', value);
    return true;
  } catch {
    return false;
  }
}

/** Settings of a service that answers HTTP requests; its `.env.example` explains them. `maxBodyBytes`: longest body of any of its routes. */
export const httpSettings = (defaults: { port: number; maxBodyBytes: number }) => ({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, defaults.port),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: digits(0, 65_535).optional().meta({ minimum: 0, maximum: 65_535 }),
  LOG_LEVEL: logLevel,
  ...tracingSettings,
  TRUST_PROXY: z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .refine(
      isTrustProxy,
      'expected the number of hops, or addresses and networks, comma-separated; loopback, linklocal and uniquelocal are names of networks',
    )
    .optional(),
  CONNECTIONS: integer(16, 1_000_000, DEFAULT_CONNECTION_LIMITS.total),
  CONNECTIONS_PER_ADDRESS: digits(1, 1_000_000).optional().meta({ minimum: 1, maximum: 1_000_000 }),
  BODY_BYTES_IN_FLIGHT_PER_ADDRESS: integer(
    defaults.maxBodyBytes,
    MAX_BYTES,
    DEFAULT_BODY_LIMITS.bytesInFlightPerAddress,
  ),
  BODY_BYTES_IN_FLIGHT: integer(2 * defaults.maxBodyBytes, MAX_BYTES, DEFAULT_BODY_LIMITS.bytesInFlight),
  ANONYMOUS_BODY_BYTES_PER_MINUTE: integer(
    defaults.maxBodyBytes,
    MAX_BYTES,
    DEFAULT_BODY_LIMITS.anonymousBytesPerMinute,
  ),
});
type HttpEnvironment = z.output<z.ZodObject<ReturnType<typeof httpSettings>>>;

export type HttpConfig = {
  host: string;
  port: number;
  metrics: { host: string; port: number };
  logLevel: z.output<typeof logLevel>;
  trustProxy: string | number | false;
  bodies: BodyLimits;
  connections: ConnectionLimits;
};

export function httpConfig(env: HttpEnvironment, { metricsPort }: { metricsPort: number }): HttpConfig {
  return {
    host: env.HOST,
    port: env.PORT,
    metrics: Object.freeze({
      host: env.METRICS_HOST,
      port: env.METRICS_PORT ?? (env.PORT === 0 ? 0 : metricsPort),
    }),
    logLevel: env.LOG_LEVEL,
    trustProxy: env.TRUST_PROXY ?? false,
    bodies: Object.freeze({
      bytesInFlightPerAddress: env.BODY_BYTES_IN_FLIGHT_PER_ADDRESS,
      bytesInFlight: env.BODY_BYTES_IN_FLIGHT,
      anonymousBytesPerMinute: env.ANONYMOUS_BODY_BYTES_PER_MINUTE,
    }),
    connections: Object.freeze({
      ...DEFAULT_CONNECTION_LIMITS,
      total: env.CONNECTIONS,
      perAddress:
        env.CONNECTIONS_PER_ADDRESS ??
        (env.TRUST_PROXY === undefined ? DEFAULT_CONNECTION_LIMITS.perAddress : env.CONNECTIONS),
    }),
  };
}
