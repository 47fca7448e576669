/** Registers an action, and replaces its earlier version in the groups that permit it. */
import { basename } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { type Action, cidHash, type Group, LatchkeyError, prepareActionVersion } from '@latchkey/sdk';
import { showChanges } from '../command.ts';
import { CommandError } from '../errors.ts';
import type { Client, Session } from '../session.ts';
import { hex } from '../text.ts';
import { compileFile } from './run.ts';

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

function requireGroups(groups: Group[], ids: readonly bigint[]): void {
  for (const id of ids)
    if (!groups.some(({ groupId }) => groupId === id))
      throw new CommandError(`there is no group ${id}`, 'See latchkey groups list.');
}

/** Stores the code, so that the account can read it again. The action is deployed without that too. */
async function storeCode(session: Session, code: Parameters<Client['storeActionCode']>[0]): Promise<boolean> {
  try {
    await (await session.client()).storeActionCode(code);
    return true;
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error;
    session.tell(`the code was not stored: ${error.message}`);
    return false;
  }
}

export async function deploy(session: Session, deployment: Deployment) {
  const { file, description, group: groupIds } = deployment;
  const code = await compileFile(file);
  const cid = await cidOf(code);
  const name = deployment.name ?? basename(file).replace(/\.[^.]+$/, '');
  const client = await session.client();
  const [actions, groups] = await Promise.all([
    readAll<Action, object>((page) => client.listActions(page)),
    readAll<Group, object>((page) => client.listGroups(page)),
  ]);
  const replaces = findReplaced({ actions, groups }, name, cidHash(cid), deployment);
  requireGroups(groups, groupIds);
  const version = { cid, name, description, groupIds, replaces, actions, groups };
  const prepared = await prepareActionVersion(client, version);
  const { changes = [], priceMicros = 0n } = prepared ?? {};
  const isSent = prepared !== undefined && !deployment.dryRun;
  if (!isSent) return { cid, changes, priceMicros, isSent, isStored: false };
  if (!deployment.yes) await session.confirm(showChanges([...changes], priceMicros));
  // Before the groups permit it: triggers can then run it by its CID immediately.
  const isStored = await storeCode(session, { cid, code, replaces });
  await prepared.send();
  return { cid, changes, priceMicros, isSent, isStored };
}
