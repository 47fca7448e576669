/** A contract with key nodes and two accounts, and attackers on their wallets who have the secrets of some parties. */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import {
  APPROVED_NODES_CONFIGURATION,
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  encodeApprovedNodes,
  GROUP_CONFIGURATION,
  type Identity,
  type KeyPurpose,
  signStatement,
} from '@latchkey/key-protocol';
import { accountConfigAbi, cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import { until } from '@latchkey/testing/until';
import {
  combine,
  decodeGroupParameters,
  deriveWalletKeys,
  type KeyRequest as Evaluation,
  encodeInput,
  verifyPartial,
} from '@latchkey/threshold';
import {
  type Address,
  bytesToHex,
  createTestClient,
  type Hash,
  type Hex,
  http,
  numberToHex,
  parseEther,
  publicActions,
  type TransactionReceipt,
  toHex,
  walletActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { acknowledge, decideOnGroup, type OwnNode } from '../src/admin/own-node.ts';
import { openEndpoint } from '../src/contract.ts';
import { CONFIG_OPERATOR_KEY, runnerFor, startDeployed, startNode, type TestNode } from './key-nodes.ts';

/** An action that the group permits. It signs, and never returns the key. */
const SIGN = 'const main = async ({ pkpId }) => (await Svc.Actions.getPrivateKey({ pkpId })).length';
/** An action of the attacker. */
const EXPORT = 'const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })';

export type Mode = 'managed' | 'ChainSecured';
/** A wallet of an account whose usage key may use it in `SIGN`. */
export type Victim = { master: bigint; usageKey: bigint; wallet: Address; path: bigint };

export const ownerKey = CONFIG_OPERATOR_KEY;
export const payerKey = keyOf('payer');
export const configOperatorKey = keyOf('config operator');
export const guardianKey = keyOf('guardian');
export const honest = { runner: createIdentity('a1'.repeat(32)), relayer: createIdentity('a2'.repeat(32)) };

function keyOf(name: string): Hex {
  return toHex(name.replaceAll(' ', '-'), { size: 32 });
}

export type Network = Awaited<ReturnType<typeof openNetwork>>;

export async function openNetwork() {
  const resources = new AsyncDisposableStack();
  const deployed = resources.use(await startDeployed());
  const nodes: TestNode[] = [];
  const settings = {
    ...{ RUNNER_KEYS: honest.runner.publicKey, RELAYER_KEYS: honest.relayer.publicKey },
    ...{ APPROVAL_WAIT_SEC: '86400', BAD_POSTS_PER_MINUTE: '1000000' },
  };
  for (let i = 0; i < 3; i++) nodes.push(resources.use(await startNode(deployed, settings)));
  const nodesOfAttacker: TestNode[] = [];
  for (let i = 0; i < 2; i++) nodesOfAttacker.push(resources.use(await startNode(deployed)));
  const endpoint = openEndpoint(deployed.rpcUrl, { address: deployed.address, chainId: foundry.id });
  /** Carries out a step of the operator of each node, on its machine. */
  const onEachNode = async (step: (own: OwnNode) => Promise<void>): Promise<void> => {
    const own = { endpoint, print: () => {}, confirm: async () => true };
    for (const { file } of nodes) await step({ ...own, directory: dirname(file) });
  };
  const identities = nodes.map(({ context }) => context.identity.publicKey);
  const approved = encodeApprovedNodes({ threshold: 2, identities });
  await deployed.configuration().write(APPROVED_NODES_CONFIGURATION, approved);
  await onEachNode((own) => decideOnGroup(own, 'accepted'));
  await runnerFor(deployed)({ kind: 'generation', nodes, threshold: 2 });
  const areReady = async () =>
    (await Promise.all(nodes.map(({ url }) => fetch(`${url}/health`)))).every((reply) => reply.ok);
  await until('the key nodes are healthy', areReady);

  const client = createTestClient({
    ...{ mode: 'anvil', chain: foundry, transport: http(deployed.rpcUrl) },
    ...{ pollingInterval: 5, cacheTime: 0 },
  })
    .extend(publicActions)
    .extend(walletActions);
  const contract = { address: deployed.address, abi: accountConfigAbi } as const;

  /** `waitForTransactionReceipt` of viem can miss the only block on a chain that makes blocks on demand. */
  const receiptOf = async (hash: Hash): Promise<TransactionReceipt> => {
    const found: TransactionReceipt[] = [];
    await until('the transaction is mined', async () => {
      found.push(
        ...(await client.getTransactionReceipt({ hash }).then(
          (receipt) => [receipt],
          () => [],
        )),
      );
      return found.length > 0;
    });
    return found[0] as TransactionReceipt;
  };
  const write = async (key: Hex, functionName: string, args: unknown[]): Promise<void> => {
    const account = privateKeyToAccount(key);
    await client.setBalance({ address: account.address, value: parseEther('10') });
    const call = { ...contract, account, functionName, args };
    const hash = await client.writeContract(call as Parameters<typeof client.writeContract>[0]);
    const { status } = await receiptOf(hash);
    if (status !== 'success') throw new Error(`${functionName} was reverted`);
  };

  const published = await client.readContract({
    ...contract,
    functionName: 'nodeConfigurationValue',
    args: [GROUP_CONFIGURATION],
  });
  await write(ownerKey, 'setApiPayers', [[privateKeyToAddress(payerKey)]]);
  await write(ownerKey, 'setConfigOperator', [privateKeyToAddress(configOperatorKey)]);
  await write(ownerKey, 'setGuardian', [privateKeyToAddress(guardianKey)]);

  /** Asks all nodes, as anyone can who has these identities. Resolves to the signing key, undefined when too few nodes answer. */
  const ask = async (
    purpose: KeyPurpose,
    { runner, relayer }: { runner: Identity; relayer: Identity },
  ): Promise<Hex | undefined> => {
    const parameters = decodeGroupParameters(published);
    const recipient = await createRecipient();
    const group = parameters.groupPublicKey;
    const fields = { group, purpose, withProof: true, recipient: recipient.publicKey };
    const statement = createStatement(fields, Date.now());
    const body = JSON.stringify(cosign(signStatement(statement, runner), 0, relayer));
    const headers = { 'Content-Type': 'application/json' };
    const ask = async ({ url }: TestNode) => {
      const reply = await fetch(`${url}/v1/release`, { method: 'POST', headers, body });
      return reply.ok ? [(await reply.json()) as Answer] : [];
    };
    const answers = (await Promise.all(nodes.map(ask))).flat();
    const opened = [];
    for (const { partial, identifier, path } of answers.slice(0, parameters.threshold)) {
      const evaluation: Evaluation = { kind: 'wallet', path: BigInt(path ?? 0) };
      const input = encodeInput(evaluation);
      const bytes = await recipient.open(partial, statement.id, identifier);
      opened.push({ input, partial: verifyPartial(parameters, identifier, input, bytes) });
    }
    if (opened.length < parameters.threshold || !opened[0]) return undefined;
    const output = combine(
      parameters,
      opened[0].input,
      opened.map(({ partial }) => partial),
    );
    return bytesToHex(deriveWalletKeys(output).signingKey);
  };
  /** Opens an account with a wallet that its usage key may use in `SIGN` only. */
  const newVictim = async (mode: Mode): Promise<Victim> => {
    const isManaged = mode === 'managed';
    const key = isManaged ? payerKey : generatePrivateKey();
    const caller = privateKeyToAddress(key);
    const master = isManaged ? BigInt(generatePrivateKey()) : walletIdentity(caller);
    const usageKey = BigInt(generatePrivateKey());
    const path = ((isManaged ? 0n : BigInt(caller)) << 96n) | BigInt(toHex(randomBytes(12)));
    const wallet = privateKeyToAddress(
      (await ask({ kind: 'mint-wallet', path: numberToHex(path) }, honest)) ?? '0x',
    );
    if (isManaged) await write(key, 'newAccount', [master, true, '', '', anyAddress()]);
    else await write(key, 'newChainSecuredAccount', ['', '']);
    await write(key, 'registerWalletDerivation', [master, wallet, path, '', '']);
    await write(key, 'addGroup', [master, '', '', [cidHash(cids.sign)], [wallet]]);
    await write(key, 'setUsageApiKey', usageKeyFields(master, usageKey));
    return { master, usageKey, wallet, path };
  };
  /** Deploys creation code. Resolves to the address. */
  const deploy = async (data: Hex): Promise<Address> => {
    const hash = await client.sendTransaction({ account: privateKeyToAccount(ownerKey), data });
    const { contractAddress } = await receiptOf(hash);
    return contractAddress ?? '0x';
  };
  const facetOf = (selector: Hex): Promise<Address> =>
    client.readContract({ ...contract, functionName: 'facetAddress', args: [selector] });
  return {
    deployed,
    nodes,
    nodesOfAttacker,
    published,
    approved,
    acknowledge: () => onEachNode(acknowledge),
    write,
    deploy,
    facetOf,
    ask,
    newVictim,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
type Answer = { partial: string; identifier: number; path: string | null };

export const cids = { sign: await cidOf(SIGN), export: await cidOf(EXPORT) };
const anyAddress = (): Address => privateKeyToAddress(generatePrivateKey());
/** Arguments that let a usage key run what every group of the account permits. */
export const usageKeyFields = (master: bigint, usageKey: bigint): unknown[] => [
  ...[master, usageKey, 0n, 0n, '', '', false, false, false],
  ...[[], [], [], [0n]],
];
