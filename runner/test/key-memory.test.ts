/** No process of a runner has any part of a key a second after the run: see `../src/keys/key-program.ts`. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedStatement } from '@latchkey/key-protocol';
import { cidOf } from '@latchkey/protocol';
import { fromRunner, readMessage, type ToRunner, writeMessage } from '@latchkey/runner-protocol';
import { findInMemory, formsOf } from '@latchkey/testing/process-memory';
import { processTree } from '@latchkey/testing/process-tree';
import {
  combine,
  decodePartial,
  deriveActionKey,
  deriveWalletKeys,
  encodeInput,
  evaluateUnproven,
  type KeyRequest,
} from '@latchkey/threshold';
import { hexToBytes, recoverMessageAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { group, nodesThat } from '../src/keys/testing.ts';

/** Runs, each with a wallet and an action of its own. */
const RUNS = Number(process.env.KEY_RUNS ?? 6);
const IDENTITY = 'a7'.repeat(32);

/** Returns both private keys combined with a pad, so that the reply does not contain them. */
const codeOf = (number: number) => `// ${number}
async function main({ pkpId, pad }) {
  const signature = await Svc.Actions.signMessage({ pkpId, message: 'm' });
  const ciphertext = await Svc.Actions.Encrypt({ pkpId, message: signature });
  if (await Svc.Actions.Decrypt({ pkpId, ciphertext }) !== signature) throw new Error('decrypted another text');
  const keys = [await Svc.Actions.getPrivateKey({ pkpId }), await Svc.Actions.getActionPrivateKey()];
  const padded = keys.map((key) => ethers.utils.hexlify(ethers.utils.arrayify(key).map((byte, i) => byte ^ pad[i])));
  return { signature, padded };
}`;

/** Everything that t answers of nodes to this evaluation give. */
function secretsOf(evaluation: KeyRequest) {
  const input = encodeInput(evaluation);
  const partials = group.shares.map((share) =>
    decodePartial(group.parameters, share.identifier, evaluateUnproven(group.parameters, share, input)),
  );
  const output = combine(group.parameters, input, partials);
  return { output, partials: partials.map(({ evaluated }) => evaluated) };
}

async function startRunner() {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  const path = join(directory, 'runner.sock');
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, '../src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      KEY_GROUP: `${group.parameters.groupPublicKey},${'00'.repeat(32)},02${'00'.repeat(32)}`,
      RUNNER_IDENTITY: IDENTITY,
      RUNNER_LISTEN: path,
      RUNNER_REQUIRE_WALLS: 'none',
      RUNTIME_POOL_SIZE: '2',
      IMPORT_CACHE_DIR: directory,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
    await rm(directory, { recursive: true, force: true });
  });
  return { pid: child.pid as number, path };
}

/** A relayer with nodes that permit everything: wallets are at the path that is their number. */
async function connect(path: string, pathOf: (wallet: string) => bigint) {
  let socket: WebSocket | undefined;
  await expect
    .poll(
      async () => {
        const opening = new WebSocket(`ws+unix:${path}:/`, 'latchkey-runner.3');
        socket = await new Promise<WebSocket | undefined>((resolve) => {
          opening.once('open', () => resolve(opening));
          opening.once('error', () => resolve(undefined));
        });
        return socket !== undefined;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  const connected = socket as unknown as WebSocket;
  onTestFinished(() => connected.terminate());
  const results = new Map<number, { response: unknown; error?: unknown }>();
  const taken = new Set<number>();
  const send = (message: ToRunner, body?: Buffer): void => connected.send(writeMessage(message, body));
  const nodes = nodesThat((_, purpose) => {
    if (purpose.kind === 'wallet') return { evaluation: { kind: 'wallet', path: pathOf(purpose.wallet) } };
    return purpose.kind === 'action' ? { evaluation: { kind: 'action', cid: purpose.cid } } : undefined;
  });
  const answer = (call: number, { statement }: SignedStatement): void => {
    nodes.ask(
      statement,
      (part) => send({ type: 'partial', call, ...part, path: part.path as `0x${string}` | null }),
      (end) => send({ type: 'partials end', call, ...end }),
    );
  };
  connected.on('message', (data: Buffer) => {
    const { message } = readMessage(fromRunner, data);
    if (message.type === 'key request') answer(message.call, message.signed);
    else if (message.type === 'taken') taken.add(message.id);
    else if (message.type === 'result') results.set(message.id, message.result);
  });
  return {
    async run(id: number, code: string, params: object) {
      const cid = await cidOf(Buffer.from(code));
      const run = { id, cid, usageKeyHash: '0x1f', params: JSON.stringify(params), timeoutMs: 20_000 };
      send({ type: 'take', id, account: '0x1' });
      await expect.poll(() => taken.has(id), { timeout: 20_000 }).toBe(true);
      send({ type: 'run', ...run, streamsLogs: false }, Buffer.from(code));
      await expect.poll(() => results.has(id), { timeout: 20_000 }).toBe(true);
      expect(results.get(id)?.error).toBeUndefined();
      return { cid, response: results.get(id)?.response as { signature: `0x${string}`; padded: string[] } };
    },
  };
}

/** Ignores a process that has ended: forks replace used processes during the scan. */
function ifEnded(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ESRCH') return [];
  throw error;
}

test.skipIf(process.platform !== 'linux')(
  'no process of a runner has a key, an output, a partial evaluation or a share after the runs',
  { timeout: 60_000 + RUNS * 2_000 },
  async () => {
    const secrets = new Map<string, Uint8Array>(
      group.shares.map(({ identifier, secret }) => [`share ${identifier}`, secret]),
    );
    const addAll = (name: string, { output, partials }: ReturnType<typeof secretsOf>): void => {
      secrets.set(`output of ${name}`, output);
      for (const [i, partial] of partials.entries()) secrets.set(`partial ${i} of ${name}`, partial);
    };
    const paths = new Map<string, bigint>();
    const { pid, path } = await startRunner();
    const relayer = await connect(path, (wallet) => paths.get(wallet) ?? 0n);
    for (let id = 1; id <= RUNS; id++) {
      const ofWallet = secretsOf({ kind: 'wallet', path: BigInt(id) });
      const { signingKey, encryptionKey } = deriveWalletKeys(ofWallet.output);
      const pkpId = privateKeyToAddress(`0x${Buffer.from(signingKey).toString('hex')}`);
      paths.set(pkpId.toLowerCase(), BigInt(id));
      const pad = randomBytes(32);
      const { cid, response } = await relayer.run(id, codeOf(id), { pkpId, pad: [...pad] });
      const ofAction = secretsOf({ kind: 'action', cid });
      const actionKey = deriveActionKey(ofAction.output);
      addAll(`wallet ${id}`, ofWallet);
      addAll(`action ${id}`, ofAction);
      secrets.set(`signing key ${id}`, signingKey).set(`encryption key ${id}`, encryptionKey);
      secrets.set(`action key ${id}`, actionKey);
      // The run had the keys.
      expect(await recoverMessageAddress({ message: 'm', signature: response.signature })).toBe(pkpId);
      const unpadded = response.padded.map((key) =>
        hexToBytes(key as `0x${string}`).map((byte, i) => byte ^ (pad[i] as number)),
      );
      expect(unpadded).toEqual([signingKey, actionKey]);
    }
    await delay(1_000);
    const forms = new Map([...secrets].map(([name, secret]) => [name, formsOf(secret)]));
    const tree = processTree([pid]);
    expect(tree.length).toBeGreaterThan(4);
    for (const process of tree)
      expect(await findInMemory(process, forms).catch(ifEnded), `process ${process}`).toEqual([]);
    // Control: the scan finds a value that is in memory.
    const known = new Map([['identity', formsOf(Buffer.from(IDENTITY, 'hex'))]]);
    expect(await findInMemory(pid, known)).toEqual(['identity']);
  },
);
