/** The commands of the operator. They relay messages and hold no secret of the group. */
import {
  APPROVED_NODES_CONFIGURATION,
  encodeApprovedNodes,
  GROUP_CONFIGURATION,
} from '@latchkey/key-protocol';
import { decodeGroupParameters, encodeGroupParameters } from '@latchkey/threshold';
import type { Configuration } from './contract.ts';
import { driveDealing } from './drive.ts';
import { CommandError, UnreachableError } from './errors.ts';
import type { NodeClient } from './node-client.ts';
import {
  checkPlan,
  type Kind,
  makePlan,
  makeProposal,
  newNonce,
  type Plan,
  type Proposal,
  type Seen,
  setupOf,
} from './plan.ts';
import { findUnfinished, hasFailedElsewhere } from './resume.ts';

export type Tools = {
  configuration: Configuration;
  /** Nodes of the new group, or of the published one. */
  nodes: NodeClient[];
  /** Further nodes of the published group, which leave it. */
  from: NodeClient[];
  print: (line: string) => void;
};

export type DealingOptions = {
  kind: Kind;
  threshold: number | undefined;
  isDryRun: boolean;
  /** Gives up an unfinished or unpublished dealing. */
  replace: boolean;
};

/** Runs a dealing, or continues it, to its published group. Rejects with a CommandError. */
export async function runDealing(tools: Tools, options: DealingOptions): Promise<void> {
  const { configuration, print } = tools;
  const { kind, threshold, isDryRun, replace } = options;
  const nodes = await Promise.all(tools.nodes.map(seeRequired));
  const from = await seeReachable(tools.from, print);
  const all = [...nodes, ...from];
  const published = await configuration.read(GROUP_CONFIGURATION);
  const unfinished = replace ? undefined : findUnfinished({ kind, nodes, from, threshold, published });
  if (unfinished) {
    const { session, epoch } = setupOf(unfinished.setup);
    print(`continuing the ${kind} ${session.slice(0, 8)} of epoch ${epoch}`);
    if (isDryRun) return print('dry run: nothing was sent');
    return finishDealing(tools, unfinished, all);
  }
  const plan = makePlan({ kind, nodes, from, threshold: threshold ?? 0, published });
  checkPlan(plan);
  describePlan(plan, print);
  const approval = await missingApproval(configuration, plan);
  if (approval !== undefined) print(`the contract does not approve these nodes yet: ${approval}`);
  if (isDryRun) return print('dry run: nothing was sent');
  if (approval !== undefined && !(await configuration.write(APPROVED_NODES_CONFIGURATION, approval))) return;
  await finishDealing(tools, await join(plan, all, replace), all);
}

const see = async (client: NodeClient): Promise<Seen> => ({ client, view: await client.look() });

async function seeRequired(client: NodeClient): Promise<Seen> {
  try {
    return await see(client);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    throw new CommandError(
      `${error.message}: start it and repeat the command. If it is lost, reshare without it`,
    );
  }
}

async function seeReachable(clients: NodeClient[], print: Tools['print']): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const client of clients)
    try {
      seen.push(await see(client));
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      print(`${error.message}: going on without it`);
    }
  return seen;
}

function describePlan({ kind, threshold, previous, places }: Plan, print: Tools['print']): void {
  const receivers = places.filter(({ receiver }) => receiver !== null).length;
  print(`${kind} of epoch ${(previous?.[0].epoch ?? 0) + 1}: ${threshold} of ${receivers} nodes`);
  for (const { client, view, dealer, receiver } of places) {
    const place = receiver === null ? `leaves the group (was node ${dealer})` : `node ${receiver}`;
    const role = dealer === null ? ', new' : '';
    print(`  ${client.url}  ${view.public_key}  ${place}${role}`);
  }
}

/** Returns the text that approves the nodes of the new group, undefined when the contract has approved them. */
async function missingApproval(
  configuration: Configuration,
  { threshold, places }: Plan,
): Promise<string | undefined> {
  const identities = places.filter(({ receiver }) => receiver !== null).map(({ view }) => view.public_key);
  return approvalFor(configuration, identities, threshold);
}

async function approvalFor(configuration: Configuration, identities: string[], threshold: number) {
  const wanted = encodeApprovedNodes({ threshold, identities });
  return (await configuration.read(APPROVED_NODES_CONFIGURATION)) === wanted ? undefined : wanted;
}

async function join(plan: Plan, all: Seen[], replace: boolean): Promise<Proposal> {
  const nonce = newNonce();
  const joined = [];
  for (const place of plan.places) {
    const isReplaced = replace || hasFailedElsewhere(place, all);
    joined.push(await place.client.command({ do: 'join', nonce, replace: isReplaced }));
  }
  return makeProposal(plan, nonce, joined);
}

async function finishDealing(tools: Tools, proposal: Proposal, all: Seen[]): Promise<void> {
  const { configuration, print } = tools;
  const setup = setupOf(proposal.setup);
  const published = await configuration.read(GROUP_CONFIGURATION);
  const isPublished = (text: string) => text !== '' && text === published;
  const results = all.map(({ view }) => view.dealing?.result?.parameters ?? '');
  if (!results.some(isPublished)) {
    const { parameters, transcriptHash } = await driveDealing(proposal, all, print);
    print(`all nodes have confirmed the transcript ${transcriptHash}`);
    print(`parameters: ${parameters}`);
    await checkUnchanged(configuration, setup.previous ? encodeGroupParameters(setup.previous) : '');
    if (!(await configuration.write(GROUP_CONFIGURATION, parameters))) return;
  }
  await activate(proposal, setup.session, all, print);
}

async function checkUnchanged(configuration: Configuration, previous: string): Promise<void> {
  if ((await configuration.read(GROUP_CONFIGURATION)) !== previous)
    throw new CommandError(
      'the contract publishes another group than at the start: repeat the command with --replace',
    );
}

/** Lets all nodes replace their old share by the new one. */
async function activate({ participants }: Proposal, session: string, all: Seen[], print: Tools['print']) {
  for (const { identity, receiver } of participants) {
    const node = all.find(({ view }) => view.public_key === identity);
    if (!node) continue;
    try {
      await node.client.command({ do: 'finish', session });
      const health = await node.client.health();
      if (receiver !== null && !(health?.chain.ok && health.share.ok))
        throw new CommandError(
          `${node.client.url} has no share of the published group, or does not reach the chain`,
        );
      print(`${node.client.url} ${receiver === null ? 'has left the group' : 'uses its new share'}`);
    } catch (error) {
      if (!(error instanceof CommandError) || receiver !== null) throw error;
      print(`${error.message}: it still has its old share. Delete its data directory`);
    }
  }
}

/** Lets the contract approve these nodes as receivers of shares. */
export async function approve(
  { configuration, nodes, print }: Tools,
  { threshold, isDryRun }: { threshold: number; isDryRun: boolean },
): Promise<void> {
  const seen = await Promise.all(nodes.map(seeRequired));
  for (const { client, view } of seen) print(`  ${client.url}  ${view.public_key}`);
  const identities = seen.map(({ view }) => view.public_key);
  const text = await approvalFor(configuration, identities, threshold);
  if (text === undefined) return print('the contract approves these nodes');
  print(`${APPROVED_NODES_CONFIGURATION}: ${text}`);
  if (isDryRun) return print('dry run: nothing was sent');
  await configuration.write(APPROVED_NODES_CONFIGURATION, text);
}

/** Prints the published group and what each node has of it. */
export async function status({ configuration, nodes, print }: Tools): Promise<void> {
  const published = await configuration.read(GROUP_CONFIGURATION);
  if (published === '') print('the contract publishes no group');
  else {
    const { epoch, threshold, nodes: members, groupPublicKey, signing } = decodeGroupParameters(published);
    print(`published: epoch ${epoch}, ${threshold} of ${members.length} nodes`);
    print(`KEY_GROUP=${[groupPublicKey, signing?.ed25519, signing?.secp256k1].join(',')}`);
  }
  for (const client of nodes)
    try {
      const { public_key, current, next, dealing } = await client.look();
      const held = [current, next].find((share) => share?.parameters === published && published !== '');
      const share = held ? `node ${held.identifier}` : 'no share of the published group';
      const under = dealing?.session ? `, dealing ${dealing.session.slice(0, 8)}: ${dealing.round}` : '';
      print(`  ${client.url}  ${public_key}  ${share}${under}`);
      const health = await client.health();
      if (health?.code.ok === false) print(`    decides nothing: ${health.code.detail}`);
      if (health?.approval) print(`    approved group: ${consentText(health.approval)}`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      print(`  ${error.message}`);
    }
}

const consentText = ({ state, remaining_sec }: { state: string; remaining_sec: number }): string =>
  state === 'waiting' ? `waits for ${remaining_sec} more seconds, or for its operator` : state;

/** Gives up the unfinished dealing of each node. */
export async function abandon({ nodes, print }: Tools, isDryRun: boolean): Promise<void> {
  for (const client of nodes) {
    const { dealing } = await client.look();
    if (!dealing?.session) {
      print(`${client.url} has no dealing`);
      continue;
    }
    if (!isDryRun) await client.command({ do: 'abandon', session: dealing.session });
    print(`${client.url} ${isDryRun ? 'would give' : 'gave'} up the dealing ${dealing.session.slice(0, 8)}`);
  }
}
