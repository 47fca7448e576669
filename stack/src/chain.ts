/** The local chain: anvil, with all blocks in one file. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { foundryBinary } from '@latchkey/foundry';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { replaceFile } from '@latchkey/service/files';
import { type Address, createTestClient, type Hex, http, publicActions } from 'viem';
import type { Part, Parts } from './parts.ts';
import { readKept } from './root.ts';

/** Number of recent blocks whose state can be queried; without a limit anvil keeps each on disk, 150 kB per block. */
const STATES_KEPT = 64;
/**
 * Interval of checks. The chain is written when no block has come since the last check: anvil answers nothing while it dumps, which takes
 * a second for some thousand blocks.
 */
const SNAPSHOT_MS = 500;
/** A chain that is never quiet is written after this time, or after this multiple of the duration of a dump, if that is longer. */
const BUSY_SNAPSHOT_MS = 30_000;
const BUSY_SNAPSHOT_SHARE = 20;
/** Time between a failed dump and the next one. */
const RETRY_MS = 30_000;

export type Chain = {
  part: Part;
  client: ReturnType<typeof connect>;
  /** Stops the node, which writes its file at the end. */
  stop: () => Promise<void>;
};

function connect(rpcUrl: string) {
  return createTestClient({
    mode: 'anvil',
    cacheTime: 0,
    transport: http(rpcUrl, { retryCount: 0 }),
  }).extend(publicActions);
}

/** The used fields of anvil's state dump. */
type Snapshot = {
  accounts: Record<Address, { nonce: number }>;
  transactions: { info: { from: Address } }[];
  blocks: { header: { number: Hex; timestamp: Hex } }[];
};

/**
 * Returns false when the state may be one block ahead of the list of blocks, as in a dump during mining. Also false forever after
 * a nonce was raised without a transaction, for example by the authorization of an EIP-7702 transaction.
 */
function isConsistent({ accounts, transactions }: Snapshot): boolean {
  const sent = new Map<Address, number>();
  for (const { info } of transactions) sent.set(info.from, (sent.get(info.from) ?? 0) + 1);
  return [...sent].every(([sender, count]) => Number(accounts[sender]?.nonce) === count);
}

type Options = {
  directory: string;
  port: number;
  env: Record<string, string | undefined>;
  /** A node that is killed loses its blocks: it writes its file only at its end. */
  isTemporary: boolean;
};

/** Starts the node in `directory`, on the blocks of the last start if any. It may not answer yet. */
export async function startChain(
  parts: Parts,
  { directory, port, env, isTemporary }: Options,
): Promise<Chain> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'state.json');
  await keepFirstGenesis(file);
  const part = await parts.start(
    'chain',
    foundryBinary('anvil'),
    // biome-ignore format: an option a line
    [
      '--quiet',
      '--host', '127.0.0.1',
      '--port', String(port),
      '--chain-id', String(LOCAL_CHAIN_ID),
      '--state', file,
      '--prune-history', String(STATES_KEPT),
      '--cache-path', join(directory, 'cache'),
    ],
    { env },
  );
  const client = connect(`http://127.0.0.1:${port}`);
  const stopping = new AbortController();
  const snapshots = isTemporary ? undefined : keepSnapshots(client, file, stopping.signal);
  return {
    part,
    client,
    async stop() {
      stopping.abort();
      await snapshots;
      await part.stop();
    },
  };
}

/**
 * Removes all genesis blocks but the first. Each start of anvil adds a block 0 of its own, and the next start takes any
 * of them as the parent of block 1.
 */
async function keepFirstGenesis(file: string): Promise<void> {
  const kept = await readKept(file, (text) => {
    const { blocks, ...state } = JSON.parse(text) as Snapshot;
    const [first] = blocks
      .filter(({ header }) => BigInt(header.number) === 0n)
      .sort((a, b) => Number(BigInt(a.header.timestamp) - BigInt(b.header.timestamp)));
    return {
      ...state,
      blocks: blocks.filter((block) => block === first || BigInt(block.header.number) !== 0n),
    };
  });
  if (kept) await replaceFile(file, JSON.stringify(kept));
}

/**
 * Writes the file after new blocks, atomically, until `signal` aborts: anvil writes it in place, and with `--state-interval` also during
 * mining.
 */
export async function keepSnapshots(
  client: Pick<Chain['client'], 'getBlockNumber' | 'dumpState'>,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  let saved = 0n;
  let seen = 0n;
  let busyUntil = 0;
  let retryAt = 0;
  /** A dump that is written when no block has come by the next check, which shows that no block was mined during it. */
  let unproven: { block: bigint; json: Buffer } | undefined;
  while (await delay(SNAPSHOT_MS, true, { signal }).catch(() => false)) {
    try {
      const block = await client.getBlockNumber();
      const startedAt = performance.now();
      const isQuiet = block === seen || startedAt > busyUntil;
      seen = block;
      const previous = unproven;
      unproven = undefined;
      if (previous?.block === block) {
        await replaceFile(file, previous.json);
        saved = block;
      }
      if (block === saved || !isQuiet || startedAt < retryAt) continue;
      retryAt = startedAt + RETRY_MS;
      const dump: Hex = await client.dumpState();
      const json = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'));
      if (isConsistent(JSON.parse(json.toString()) as Snapshot)) {
        await replaceFile(file, json);
        saved = block;
      } else unproven = { block, json };
      retryAt = 0;
      const endedAt = performance.now();
      busyUntil = endedAt + Math.max(BUSY_SNAPSHOT_MS, BUSY_SNAPSHOT_SHARE * (endedAt - startedAt));
    } catch {
      // The node has not started yet or has ended; its process is watched elsewhere.
    }
  }
}
