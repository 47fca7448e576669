/** Registers an action, and replaces its earlier version in the groups that permit it. */
import { basename } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { type Action, type ApiPrepared, type ChainSecuredPrepared, cidHash, type Group } from '@latchkey/sdk';
import { showChanges } from '../command.ts';
import { CommandError } from '../errors.ts';
import type { Client, Session } from '../session.ts';
import { hex } from '../text.ts';
import { compileFile } from './run.ts';

type Prepared = ApiPrepared<object> | ChainSecuredPrepared<object>;

export type Deployment = {
  file: string;
  name?: string | undefined;
  description?: string | undefined;
  /** Groups that get the action. */
  group: readonly bigint[];
  /** The action that it replaces. Default: the one with its name. */
  replace?: string | bigint | undefined;
  dryRun: boolean;
  yes: boolean;
};

async function readAll<Item, Next>(
  list: (page: Next | undefined) => Promise<{ items: Item[]; nextPage?: Next | undefined }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let next: Next | undefined;
  do {
    const page = await list(next);
    items.push(...page.items);
    next = page.nextPage;
  } while (next !== undefined);
  return items;
}

/** Returns the hash of the action that is replaced: only a version that a group permits. */
function findReplaced(
  { actions, groups }: { actions: Action[]; groups: Group[] },
  name: string,
  hash: bigint,
  { replace }: Deployment,
): bigint | undefined {
  if (replace !== undefined) return cidHash(replace);
  const permitted = new Set(groups.flatMap(({ cidHashes }) => cidHashes));
  const others = actions.filter((action) => action.cidHash !== hash && permitted.has(action.cidHash));
  if (others.some((action) => action.name === undefined))
    throw new CommandError(
      'the names of actions are not known without an indexer',
      'Log in with --indexer-url, or give --replace.',
    );
  const earlier = others.filter((action) => action.name === name);
  if (earlier.length > 1)
    throw new CommandError(
      `${earlier.length} actions have the name “${name}”`,
      `Name the one to replace: ${earlier.map((action) => `--replace ${hex(action.cidHash)}`).join(' or ')}`,
    );
  return earlier[0]?.cidHash;
}

/** Returns the writes: every addition is before the removals, so that no run is refused in between. */
async function prepareAll(
  client: Client,
  cid: string,
  listed: { actions: Action[]; groups: Group[] },
  deployment: Deployment,
): Promise<Prepared[]> {
  const { actions, groups } = listed;
  const hash = cidHash(cid);
  const name = deployment.name ?? basename(deployment.file).replace(/\.[^.]+$/, '');
  const replaced = findReplaced(listed, name, hash, deployment);
  for (const id of deployment.group)
    if (!groups.some(({ groupId }) => groupId === id))
      throw new CommandError(`there is no group ${id}`, 'See latchkey groups list.');
  const swapped = groups.filter(({ cidHashes }) => replaced !== undefined && cidHashes.includes(replaced));
  const targets = new Set([...deployment.group, ...swapped.map(({ groupId }) => groupId)]);
  const writes: Promise<Prepared>[] = [];
  const { prepare } = client;
  // Later writes of a batch depend on earlier ones.
  const options = { simulate: false };
  if (!actions.some((action) => action.cidHash === hash))
    writes.push(prepare.addAction({ cid, name, description: deployment.description ?? '' }, options));
  for (const groupId of targets)
    if (!groups.find((group) => group.groupId === groupId)?.cidHashes.includes(hash))
      writes.push(prepare.addActionToGroup({ groupId, cid }, options));
  if (replaced !== undefined && replaced !== hash)
    for (const { groupId } of swapped)
      writes.push(prepare.removeActionFromGroup({ groupId, cid: replaced }, options));
  return Promise.all(writes);
}

/** Sends the writes: in one transaction with a wallet, one after another with a key. */
async function sendAll(client: Client, writes: Prepared[]): Promise<void> {
  if (client.mode === 'chainSecured') {
    await client.batch(writes as ChainSecuredPrepared<object>[]);
    return;
  }
  for (const write of writes) await write.send();
}

export async function deploy(session: Session, deployment: Deployment) {
  const cid = await cidOf(await compileFile(deployment.file));
  const client = await session.client();
  const [actions, groups] = await Promise.all([
    readAll<Action, object>((page) => client.listActions(page)),
    readAll<Group, object>((page) => client.listGroups(page)),
  ]);
  const writes = await prepareAll(client, cid, { actions, groups }, deployment);
  const changes = writes.flatMap((write) => write.changes);
  const prices = writes.map(({ priceMicros }) => priceMicros ?? 0n);
  const priceMicros = prices.reduce((sum, price) => sum + price, 0n);
  if (writes.length > 0 && !deployment.dryRun) {
    if (!deployment.yes) await session.confirm(showChanges(changes, priceMicros));
    await sendAll(client, writes);
  }
  return { cid, changes, priceMicros, isSent: writes.length > 0 && !deployment.dryRun };
}
