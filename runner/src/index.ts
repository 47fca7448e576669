/** A runner: it executes actions for the relayers that connect to it. */
import { listen as listenOn } from '@latchkey/http/listen';
import { metricsApp } from '@latchkey/http/metrics';
import { createLogger } from '@latchkey/service/logger';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import { ConfigError } from '@latchkey/service/settings';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createActionCodes } from './connection/action-codes.ts';
import { serveConnection } from './connection/connection.ts';
import { listen } from './connection/server.ts';
import { createImports } from './imports/imports.ts';
import { openModuleStore } from './imports/module-store.ts';
import type { Enclave } from './keys/enclave.ts';
import type { OpenRunnerKeys } from './keys/runner-keys.ts';
import { createMetrics, type RunnerMetrics } from './metrics.ts';
import { type WallName, wallAdvice, wallNames } from './processes/walls.ts';
import { createRuntime, type Runtime } from './runtime.ts';

export { loadConfig, takeConfig } from './config.ts';

export type Runner = {
  /** Where relayers connect, as in their RUNNER_URLS. */
  url: string;
  /** Takes no further run, lets the in-flight ones end, and ends its processes. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Resolves when the first process is idle; rejects when processes do not start on this machine. */
export async function startRunner(config: Config): Promise<Runner> {
  const log = createLogger({ name: 'runner', level: config.logLevel });
  openPrivateDirectory(config.imports.directory, (message, fields) => log.warn(fields, message));
  await using opened = new AsyncDisposableStack();
  const metrics = createMetrics();
  const runtime = await createRuntime({
    ...config.runtime,
    onEnd: metrics.ended,
    imports: createImports({
      cdnUrl: config.imports.cdnUrl,
      store: await openModuleStore(config.imports.directory, config.imports.maxBytes),
    }),
    onHostError: (err, { cid }) => log.error({ err, cid }, 'failed to run an action: host error'),
  });
  opened.defer(runtime.close);
  const metricsUrl = await serveMetrics(config, metrics, runtime, opened);
  const { walls, controllers } = runtime;
  requireWalls(config.requiredWalls, walls);
  const missing = wallNames.filter((name) => !walls.includes(name));
  if (missing.length > 0)
    log.warn(
      { missing: Object.fromEntries(missing.map((name) => [name, wallAdvice[name]])) },
      'failed to put up all walls around actions: see docs/runtime.md',
    );
  const codes = createActionCodes();
  const keyGroup = config.keyGroup && [
    config.keyGroup.evaluations,
    ...Object.values(config.keyGroup.signing),
  ];
  const { openKeys, enclave } = await loadKeys(config, log);
  if (openKeys) opened.defer(openKeys.close);
  const server = await listen(config, {
    isHealthy: () => runtime.stats().idle + runtime.stats().starting + runtime.stats().running > 0,
    onConnection: (socket) => serveConnection(socket, { runtime, codes, openKeys, keyGroup, enclave, log }),
    onRefused: (reason) => log.error({ reason }, 'refused a relayer of another version'),
  });
  opened.defer(server.close);
  log.info({ url: server.url, metrics: metricsUrl, walls, controllers }, 'ready');
  if (runtime.forkError)
    log.warn({ err: runtime.forkError }, 'action processes start slowly: Deno cannot be forked here');
  const all = opened.move();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      log.info({ timeout_sec: config.drainTimeoutMs / 1_000 }, 'stopping: in-flight runs can end');
      await runtime.drain(config.drainTimeoutMs);
      await all.disposeAsync();
    })();
    return closing;
  };
  return { url: server.url, close, [Symbol.asyncDispose]: close };
}

/** Resolves to the URL, undefined without METRICS_PORT. */
async function serveMetrics(
  { metrics: address }: Config,
  metrics: RunnerMetrics,
  runtime: Runtime,
  opened: AsyncDisposableStack,
): Promise<string | undefined> {
  metrics.follow(runtime);
  if (address.port === undefined) return undefined;
  const { url } = opened.use(await listenOn(metricsApp(metrics.registry), address.port, address.host));
  return `${url}/metrics`;
}

function requireWalls(required: readonly WallName[], standing: readonly WallName[]): void {
  const missing = required.filter((name) => !standing.includes(name));
  if (missing.length === 0) return;
  const advice = missing.map((name) => `${name} does not stand: ${wallAdvice[name]}`);
  throw new ConfigError(
    `RUNNER_REQUIRE_WALLS: ${advice.join('; ')}. Without them a run that escapes from Deno reaches the files of this machine. To accept that, on a laptop for instance, set RUNNER_REQUIRE_WALLS=none`,
  );
}

/** Empty without key nodes. */
async function loadKeys(
  { keyGroup, dstackSocket, secrets }: Config,
  log: Logger,
): Promise<{ openKeys?: OpenRunnerKeys & { close: () => Promise<void> }; enclave?: Enclave }> {
  if (keyGroup === undefined) return {};
  const { openRunnerKeys } = await import('./keys/runner-keys.ts');
  const { openEnclave, randomSeed } = await import('./keys/enclave.ts');
  const seed = secrets.identity ?? randomSeed();
  return {
    openKeys: await openRunnerKeys({ group: keyGroup.evaluations, signing: keyGroup.signing, seed, log }),
    ...(dstackSocket !== undefined && { enclave: openEnclave(dstackSocket, seed) }),
  };
}
