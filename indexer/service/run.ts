import { join } from 'node:path';
import perfHooks from 'node:perf_hooks';
import { withoutUrl } from '@latchkey/chain/errors';
import { followHeads } from '@latchkey/chain/heads';
import { openJsonRpc } from '@latchkey/chain/json-rpc';
import { collectGarbageSoon } from '@latchkey/service/collect-garbage';
import { ConfigError } from '@latchkey/service/settings';
import { startTracing } from '@latchkey/service/tracing';
import { Hono } from 'hono';
import { start } from 'ponder/start';
import { createClient, numberToHex } from 'viem';
import { type Config, loadConfig } from './config.ts';
import { connectAlone } from './database.ts';
import { EXIT_CONFIG, EXIT_RESTART } from './exit.ts';
import { type Chain, follow, type RpcHeader } from './follow.ts';
import { prepareDatabase, saveAnchor, schemaName } from './incarnation.ts';
import { log } from './log.ts';
import { serveMetrics } from './metrics.ts';
import { createApp, type Service, serve } from './server.ts';

const RPC_OPTIONS = { timeoutMs: 5_000, retryCount: 2, retryDelayMs: 50 };

const ponderOptions = {
  command: 'start',
  root: join(import.meta.dirname, '..'),
  config: 'ponder.config.ts',
  hostname: '127.0.0.1',
  logLevel: 'warn',
  logFormat: 'json',
} as const;

function exit(code: number, msg: string, fields: Record<string, unknown> = {}): never {
  log.error(fields, msg);
  process.exit(code);
}

/** Warnings of Ponder about a subscription that it does not have, and about URLs without a key. */
const UNTRUE = ['No new block received within expected time', 'Detected public RPC URL'];

/** Ponder's log repeats the URLs of failed requests, with the keys in them. */
function cleanOutput({ rpcUrl, wsRpcUrl, databaseUrl }: Config): void {
  const secrets = [rpcUrl, wsRpcUrl, databaseUrl].filter((url) => url !== undefined);
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      if (typeof chunk !== 'string') return write(chunk, ...rest);
      if (UNTRUE.some((text) => chunk.includes(`"${text}`))) return true;
      return write(
        secrets.reduce((text, url) => text.replaceAll(url, '[url]'), chunk),
        ...rest,
      );
    };
  }
}

/** Ponder samples the delay of the event loop every millisecond, which takes 4 % of a core. Ten samples per second are enough. */
function sampleLoopSeldom(): void {
  const { monitorEventLoopDelay } = perfHooks;
  perfHooks.monitorEventLoopDelay = () => monitorEventLoopDelay({ resolution: 100 });
}

function openChain({ rpcUrl, wsRpcUrl }: Config): Chain {
  const { request } = createClient({ transport: openJsonRpc(rpcUrl, RPC_OPTIONS).transport });
  const onLost = (err: unknown) =>
    log.warn({ err: withoutUrl(err) }, 'the chain announces no blocks: polling');
  return {
    request: request as Chain['request'],
    header: async (block) => {
      const tag = block === 'latest' ? block : numberToHex(block);
      const header = await request({ method: 'eth_getBlockByNumber', params: [tag, false] });
      return header && { ...(header as Omit<RpcHeader, 'transactions'>), transactions: undefined };
    },
    announce:
      wsRpcUrl === undefined
        ? undefined
        : (onHead) => followHeads([wsRpcUrl], { onLost, onHead: (header) => onHead(header as RpcHeader) }),
  };
}

async function run(): Promise<void> {
  sampleLoopSeldom();
  const config = loadConfig();
  cleanOutput(config);
  log.level = config.logLevel;
  await startTracing('indexer');
  const { chainId } = config.deployment;
  const chain = openChain(config);

  let service: Service | undefined;
  const port = await serve(
    createApp(() => service),
    config,
  );

  const actualChainId = Number(await chain.request({ method: 'eth_chainId' }));
  const chains = { chain_id: actualChainId, expected: chainId };
  if (actualChainId !== chainId) exit(EXIT_CONFIG, 'RPC_URL serves another chain than CHAIN_ID', chains);
  const genesisHash = (await chain.header(0n))?.hash;
  if (genesisHash === undefined) throw new Error('the chain has no block 0');
  const schema = schemaName(config, genesisHash);
  const sql = await connectAlone(config, {
    onLost: (error) => exit(EXIT_RESTART, 'lost the connection to the database', { err: error }),
    onStandby: () => log.info('another indexer follows the chain: standing by'),
  });
  const isKept = await prepareDatabase(sql, chain, chainId, schema);
  log.info({ schema }, isKept ? 'continuing' : 'indexing from the start');

  // Ponder reads these variables itself. Its own server, on any free port, serves none of our routes.
  Object.assign(process.env, { PORT: '0', PONDER_TELEMETRY_DISABLED: 'true' });
  await start({
    cliOptions: { ...ponderOptions, schema },
    onBuild: async (app) => {
      const [rpc] = app.indexingBuild.rpcs;
      const [finalized] = app.indexingBuild.finalizedBlocks;
      if (rpc === undefined || finalized === undefined) {
        throw new Error('unsupported Ponder version');
      }
      const finalBlock = { number: BigInt(finalized.number), hash: finalized.hash };
      const latest = await chain.header('latest');
      if (latest === null) throw new Error('the chain has no latest block');
      await saveAnchor(sql, chainId, { number: BigInt(latest.number), hash: latest.hash });
      const follower = follow(rpc, {
        chain,
        finalBlock,
        onIndexed: (block) => saveAnchor(sql, chainId, block),
        onFollowing: () =>
          log.info({ url: `http://${config.host}:${port}`, chain_id: chainId }, 'following the chain'),
        onStuck: () => exit(EXIT_RESTART, 'Ponder does not follow the chain: restarting'),
      });
      app.common.shutdown.add(follower.stop);
      service = { follower, routes: app.apiBuild.app };
      await serveMetrics(config, app.common.metrics.registry, follower);
      collectGarbageSoon();
      return { ...app, apiBuild: { ...app.apiBuild, app: new Hono() } };
    },
  });
}

// The parent process is gone, and this process must end with it.
process.on('disconnect', () => process.kill(process.pid, 'SIGINT'));

try {
  await run();
} catch (error) {
  if (error instanceof ConfigError) exit(EXIT_CONFIG, error.message);
  exit(EXIT_RESTART, 'failed to start', { err: error });
}
