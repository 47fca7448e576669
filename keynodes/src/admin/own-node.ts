/** Decisions of a node's operator, on the machine of the node. They need no key: write access to the data directory is the authority. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { APPROVED_NODES_CONFIGURATION, decodeApprovedNodes } from '@latchkey/key-protocol';
import type { CodeReaders, Endpoint } from '../contract.ts';
import { changeDecisions, decide } from '../operator-decisions.ts';
import { differencesOf } from '../pins/differences.ts';
import { readPinned } from '../pins/watch-pins.ts';
import { CommandError } from './errors.ts';

export type OwnNode = {
  /** Data directory of the node. */
  directory: string;
  endpoint: Pick<Endpoint & CodeReaders, 'latest' | 'viewsAt' | 'pins'>;
  print: (line: string) => void;
  /** Resolves to whether the operator says yes. */
  confirm: (question: string) => Promise<boolean>;
};

/** Lets the node decide by the code that the contract has now. */
export async function acknowledge({ directory, endpoint, print, confirm }: OwnNode): Promise<void> {
  requireNode(directory);
  const pinned = await readPinned(directory);
  if (!pinned) return print('this node has pinned no code yet: it does when it first reaches the chain');
  const at = await endpoint.latest();
  const [seen, cuts] = await Promise.all([
    endpoint.pins.read(at, pinned),
    endpoint.pins.changes(BigInt(pinned.block) + 1n, at.number),
  ]);
  const differences = differencesOf(pinned, seen);
  if (differences.length === 0 && cuts.length === 0)
    return print(`the code of the contract has not changed since it was pinned at block ${pinned.block}`);
  print(
    `pinned at block ${pinned.block}, now block ${at.number}, function: facet (code hash) before → after`,
  );
  for (const line of differences) print(`  ${line}`);
  print(`cuts and transfers of the ownership in blocks: ${[...new Set(cuts)].join(', ') || 'none'}`);
  print('A cut can write any storage. Compare its calldata and the code hashes with a build of the commit.');
  if (!(await confirm('Let this node decide by this code?'))) return print('nothing has changed');
  await changeDecisions(directory, (before) => ({ ...before, acknowledged: seen }));
  print('acknowledged: the node goes on with its next decision');
}

/** Stores whether the node takes part in dealings of the group that the contract approves now. */
export async function decideOnGroup(
  { directory, endpoint, print, confirm }: OwnNode,
  decision: 'accepted' | 'refused',
): Promise<void> {
  requireNode(directory);
  const { hash } = await endpoint.latest();
  const group = await endpoint.viewsAt(hash).nodeConfigurationValue([APPROVED_NODES_CONFIGURATION]);
  if (group === '')
    throw new CommandError('the contract approves no group: run npm run keys -- approve first');
  const { threshold, identities } = decodeApprovedNodes(group);
  print(`approved group: any ${threshold} of these ${identities.length} nodes derive every key`);
  for (const identity of identities) print(`  ${identity}`);
  const verb = decision === 'accepted' ? 'Accept' : 'Refuse';
  if (!(await confirm(`${verb} this group on this node?`))) return print('nothing has changed');
  await decide(directory, group, decision);
  print(
    decision === 'accepted'
      ? 'accepted: the node takes part when the dealing is started'
      : 'refused: until you accept a group, the node takes part in dealings of no group that you did not accept',
  );
}

function requireNode(directory: string): void {
  if (!existsSync(join(directory, 'node.json')))
    throw new CommandError(`${directory} has no node.json: --data-dir is KEYNODE_DATA_DIR of the node`);
}
