/** A contract with key nodes and two accounts, and attackers on their wallets who have the secrets of some parties. */
import { dirname } from 'node:path';
import {
  APPROVED_NODES_CONFIGURATION,
  createIdentity,
  encodeApprovedNodes,
  GROUP_CONFIGURATION,
  type KeyPurpose,
} from '@latchkey/key-protocol';
import { until } from '@latchkey/testing/until';
import { type Hex, numberToHex, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { acknowledge, decideOnGroup, type OwnNode } from '../src/admin/own-node.ts';
import { openEndpoint } from '../src/contract.ts';
import { type Mode, openAccounts, ownerKey, payerKey, type Victim } from './accounts.ts';
import { runnerFor, startDeployed, startNode, type TestNode } from './key-nodes.ts';
import { type Parties, prepareQuestion, signingKeyOf } from './questions.ts';

export const configOperatorKey: Hex = toHex('config-operator', { size: 32 });
export const guardianKey: Hex = toHex('guardian', { size: 32 });
export const honest = { runner: createIdentity('a1'.repeat(32)), relayer: createIdentity('a2'.repeat(32)) };

export async function openNetwork() {
  const resources = new AsyncDisposableStack();
  const deployed = resources.use(await startDeployed());
  const nodes: TestNode[] = [];
  const settings = {
    RUNNER_KEYS: honest.runner.publicKey,
    RELAYER_KEYS: honest.relayer.publicKey,
    APPROVAL_WAIT_SEC: '86400',
    BAD_POSTS_PER_MINUTE: '1000000',
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

  const { write, deploy, facetOf, nodeConfiguration, newVictim } = openAccounts(deployed);
  const published = await nodeConfiguration(GROUP_CONFIGURATION);
  await write(ownerKey, 'setApiPayers', [[privateKeyToAddress(payerKey)]]);
  await write(ownerKey, 'setConfigOperator', [privateKeyToAddress(configOperatorKey)]);
  await write(ownerKey, 'setGuardian', [privateKeyToAddress(guardianKey)]);

  /** Asks all nodes with the identities of these parties. Resolves to the signing key, undefined when too few nodes answer. */
  const ask = async (purpose: KeyPurpose, parties: Parties): Promise<Hex | undefined> => {
    const question = await prepareQuestion(published, purpose, parties);
    const parts = await Promise.all(nodes.map((node) => question.ask(node)));
    return signingKeyOf(
      published,
      parts.flatMap((part) => part ?? []),
    );
  };
  const mint = async (path: bigint) =>
    privateKeyToAddress((await ask({ kind: 'mint-wallet', path: numberToHex(path) }, honest)) ?? '0x');
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
    newVictim: (mode: Mode): Promise<Victim> => newVictim(mode, mint),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
