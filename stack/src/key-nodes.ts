/** The key nodes of a stack: three, of which any two can derive a key together. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundle, nodeOptions } from '@latchkey/bundle';
import { createIdentity, GROUP_CONFIGURATION } from '@latchkey/key-protocol';
import { accountConfigAbi, LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { createFile } from '@latchkey/service/files';
import { decodeGroupParameters } from '@latchkey/threshold/parameters';
import type { Address, Hex } from 'viem';
import type { Chain } from './chain.ts';
import { keepRunning } from './keep-running.ts';
import type { Part, Parts } from './parts.ts';
import { readKept, StackError } from './root.ts';
import { timed } from './timed.ts';

const keyNodeNames = ['keynode1', 'keynode2', 'keynode3'] as const;
export type KeyNodeName = (typeof keyNodeNames)[number];
const THRESHOLD = 2;

export const keyNodeScript = 'keynodes/src/main.ts';
const keyAdminScript = 'keynodes/src/admin/main.ts';

export type KeyNodesOptions = {
  chain: Chain;
  rpcUrl: string;
  wsUrl: string;
  contract: Address;
  /** May set the node configuration. */
  ownerKey: Hex;
  deploymentsDir: string;
  /** Directory of the nodes and of the identities of their users. */
  directory: string;
  ports: Record<KeyNodeName, number>;
  env: Record<string, string | undefined>;
  log: (line: string) => void;
};

export type KeyNodes = {
  parts: Part[];
  /** Rejects when fewer nodes than the threshold are left, because the others have ended by themselves. */
  tooFew: Promise<never>;
  /** Resolves when the nodes hold the key that the contract publishes, to the settings of runner and relayer. */
  ready: () => Promise<KeySettings>;
};
export type KeySettings = Record<'runner' | 'relayer', Record<string, string>>;

const seedNames = ['runner', 'relayer', 'operator', 'passphrase'] as const;
/** SECRET, in hexadecimal. */
type Seeds = Record<(typeof seedNames)[number], string>;

/** Starts the nodes. They keep their shares in sealed files. One that ends or cannot start is restarted while the others work. */
export async function startKeyNodes(parts: Parts, options: KeyNodesOptions): Promise<KeyNodes> {
  const { directory, rpcUrl, deploymentsDir, ports, env, log } = options;
  const seeds = await loadSeeds(join(directory, 'seeds.json'));
  const onChain = { RPC_URL: rpcUrl, CHAIN_ID: String(LOCAL_CHAIN_ID), DEPLOYMENTS_DIR: deploymentsDir };
  const urls = keyNodeNames.map((name) => `http://127.0.0.1:${ports[name]}`).join(',');
  const program = await bundle(keyNodeScript);
  const nodes: Part[] = [];
  const { tooFew, report } = countEnded(directory, log);
  for (const name of keyNodeNames) {
    const settings = { ...env, ...onChain, ...settingsOf(name, options, seeds) };
    const start = () => parts.start(name, process.execPath, [...nodeOptions, program], { env: settings });
    nodes.push(await keepRunning({ start, log, onEnd: (exit, tail) => report(name, exit, tail) }));
  }

  const command = async (...args: string[]): Promise<void> => {
    const operator = { OPERATOR_SEED: seeds.operator, CONFIG_OPERATOR_KEY: options.ownerKey };
    const part = await parts.start('keys', process.execPath, [await bundle(keyAdminScript), ...args], {
      env: { ...env, ...onChain, ...operator },
    });
    const exit = await part.exited;
    if (exit !== 'exit code 0')
      throw new StackError(`npm run keys -- ${args[0]} ended with ${exit}:\n${part.tail()}`);
  };
  const readGroup = () =>
    options.chain.client.readContract({
      abi: accountConfigAbi,
      address: options.contract,
      functionName: 'nodeConfigurationValue',
      args: [GROUP_CONFIGURATION],
    });

  return {
    parts: nodes,
    tooFew,
    async ready() {
      if ((await readGroup()) === '')
        await timed('key of all wallets generated', log, async () => {
          const group = ['--nodes', urls, '--threshold', String(THRESHOLD)];
          await command('approve', ...group);
          // Nodes of an earlier chain have shares of its key.
          await command('generate', ...group, '--replace');
        });
      const { groupPublicKey, signing } = decodeGroupParameters(await readGroup());
      const keys = [groupPublicKey, signing?.ed25519, signing?.secp256k1].join(',');
      return {
        runner: { KEY_GROUP: keys, RUNNER_IDENTITY: seeds.runner },
        relayer: { KEY_NODES: urls, RELAYER_IDENTITY: seeds.relayer },
      };
    },
  };
}

const settingsOf = (name: KeyNodeName, { wsUrl, ports, directory }: KeyNodesOptions, seeds: Seeds) => ({
  WS_RPC_URL: wsUrl,
  // The chain makes blocks on demand.
  MAX_BLOCK_AGE_SEC: '0',
  PORT: String(ports[name]),
  METRICS_PORT: '0',
  KEYNODE_DATA_DIR: join(directory, name),
  KEYNODE_PASSPHRASE: seeds.passphrase,
  RUNNER_KEYS: createIdentity(seeds.runner).publicKey,
  RELAYER_KEYS: createIdentity(seeds.relayer).publicKey,
  // No node has another operator here.
  APPROVAL_WAIT_SEC: '0',
  OPERATOR_KEY: createIdentity(seeds.operator).publicKey,
});

/** Logs, once per node, why it ended and what to do. */
function countEnded(directory: string, log: (line: string) => void) {
  const ended = new Map<KeyNodeName, string>();
  const { promise: tooFew, reject } = Promise.withResolvers<never>();
  tooFew.catch(() => {});
  const report = (name: KeyNodeName, exit: string, tail: string): void => {
    if (ended.has(name)) return;
    ended.set(name, `The ${name} ended with ${exit}.${tail && `\n${tail}`}`);
    log(
      `${name} is not needed while ${THRESHOLD} other key nodes work. If it does not start again, its reason is above: ` +
        `correct it, restore ${join(directory, name)} from a copy, or start with --fresh, which deletes all data`,
    );
    if (keyNodeNames.length - ended.size >= THRESHOLD) return;
    const reasons = [...ended.values()].join('\n');
    reject(
      new StackError(
        `${ended.size} of ${keyNodeNames.length} key nodes do not start, ${THRESHOLD} must work.\n${reasons}`,
      ),
    );
  };
  return { tooFew, report };
}

/** Returns the seeds: created on the first start, then kept. */
export async function loadSeeds(path: string): Promise<Seeds> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const created = Object.fromEntries(seedNames.map((name) => [name, randomBytes(32).toString('hex')]));
  await createFile(path, JSON.stringify(created));
  const seeds = await readKept(path, (text) => {
    const found = JSON.parse(text) as Seeds;
    if (!seedNames.every((name) => /^[0-9a-f]{64}$/.test(found[name])))
      throw new Error('expected 64 hex digits each');
    return found;
  });
  return seeds as Seeds;
}
