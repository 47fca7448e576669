/** New versions of actions: registered, and permitted in the groups of the version that they replace. */
import { type Action, addAction, deleteAction } from './actions.ts';
import type { BareClient, ChainSecuredBareClient } from './bare-client.ts';
import { type BatchResult, prepareBatch } from './batch.ts';
import { addActionToGroup, removeActionFromGroup } from './group-members.ts';
import type { Group } from './groups.ts';
import { randomIdempotencyKey } from './http.ts';
import { cidHash } from './values.ts';
import { prepare } from './write.ts';
import type { ApiPrepared, ChainSecuredPrepared, PrepareOptions } from './write-definition.ts';

export interface ActionVersionParameters {
  cid: string;
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description?: string | undefined;
  /** Groups that get the action, besides those of the version that it replaces. */
  groupIds?: readonly bigint[] | undefined;
  /** The CID of the version that it replaces, or its hash. Groups that permit every action do not change. */
  replaces?: string | bigint | undefined;
  /**
   * The state of the replaced version afterwards: permitted in its groups as before, registered without them, or removed from the account.
   * Default `registered`.
   */
  replaced?: 'permitted' | 'registered' | 'removed' | undefined;
  /** The actions and groups of the account, as its lists have them. */
  actions: readonly Pick<Action, 'cidHash'>[];
  groups: readonly Pick<Group, 'groupId' | 'cidHashes'>[];
}

/** Prepared writes of API mode, which `send` sends one after another. A second call with the same Idempotency-Key continues after a failure. */
export interface ApiSeries extends Omit<ApiPrepared<object>, 'request'> {
  requests: readonly ApiPrepared<object>['request'][];
}

type Prepared = ApiPrepared<object> | ChainSecuredPrepared<object>;

/** Returns the writes. Every addition is before the removals, so that no run is refused in between. */
function prepareEach(
  client: BareClient,
  {
    cid,
    name,
    description = '',
    groupIds = [],
    replaces,
    replaced = 'registered',
    actions,
    groups,
  }: ActionVersionParameters,
): Promise<Prepared[]> {
  const hash = cidHash(cid);
  const before = replaces === undefined ? hash : cidHash(replaces);
  const swapped = before === hash ? [] : groups.filter(({ cidHashes }) => cidHashes.includes(before));
  const targets = new Set([...groupIds, ...swapped.map(({ groupId }) => groupId)]);
  const has = (groupId: bigint) =>
    groups.some((group) => group.groupId === groupId && group.cidHashes.includes(hash));
  const isRegistered = (one: bigint) => actions.some(({ cidHash }) => cidHash === one);
  // Later writes depend on earlier ones.
  const options = { simulate: false };
  const writes: Promise<Prepared>[] = [];
  if (!isRegistered(hash)) writes.push(prepare(client, addAction, { cid, name, description }, options));
  for (const groupId of targets)
    if (!has(groupId)) writes.push(prepare(client, addActionToGroup, { groupId, cid }, options));
  if (before === hash) return Promise.all(writes);
  if (replaced === 'removed' && isRegistered(before))
    writes.push(prepare(client, deleteAction, { cid: before }, options));
  if (replaced === 'registered')
    for (const { groupId } of swapped)
      writes.push(prepare(client, removeActionFromGroup, { groupId, cid: before }, options));
  return Promise.all(writes);
}

function toSeries(writes: readonly ApiPrepared<object>[]): ApiSeries {
  return {
    mode: 'api',
    name: 'actionVersion',
    changes: writes.flatMap(({ changes }) => changes),
    signatures: [],
    requests: writes.map(({ request }) => request),
    priceMicros: writes.reduce((sum, write) => sum + write.priceMicros, 0n),
    async send({ idempotencyKey = randomIdempotencyKey(), ...options } = {}) {
      let blockNumber = 0n;
      for (const [index, write] of writes.entries()) {
        const sent = await write.send({ ...options, idempotencyKey: `${idempotencyKey}-${index}` });
        blockNumber = sent.blockNumber;
      }
      return { blockNumber };
    },
  };
}

/**
 * Prepares all writes of a new version of an action: it is registered and permitted in the groups of the version that it replaces, in one
 * transaction in ChainSecured mode, one after another in API mode. Resolves to undefined when there is nothing to write.
 */
export async function prepareActionVersion(
  client: BareClient,
  parameters: ActionVersionParameters,
  options: PrepareOptions = {},
): Promise<ApiSeries | ChainSecuredPrepared<BatchResult<ChainSecuredPrepared<object>[]>> | undefined> {
  const writes = await prepareEach(client, parameters);
  if (writes.length === 0) return undefined;
  return client.mode === 'api'
    ? toSeries(writes as ApiPrepared<object>[])
    : prepareBatch(client as ChainSecuredBareClient, writes as ChainSecuredPrepared<object>[], options);
}
