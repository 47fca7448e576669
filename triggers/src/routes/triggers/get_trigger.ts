import type { Context } from '../../context.ts';
import { countChildren, MAX_CHILDREN } from '../../sources/chain-children.ts';
import type { Trigger } from '../../sources/source.ts';
import { defineRoute } from '../define-route.ts';
import { ownTrigger, toRecord, triggerParams, triggerRecord } from './record.ts';

export const getTrigger = defineRoute({
  method: 'GET',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Reads a trigger',
  auth: 'agentOrSession',
  params: triggerParams,
  reply: triggerRecord,
  errors: ['not_found', 'service_unavailable'],
  handle: async (
    context: Pick<Context, 'db' | 'publicUrl' | 'sealer' | 'chainFollowers'>,
    { params, caller },
  ) => {
    const trigger = await ownTrigger(context, params.id, caller);
    return {
      ...toRecord(trigger, context),
      follower: followerOf(trigger, context),
      children: await childrenOf(trigger, context),
    };
  },
});

async function childrenOf({ id, kind, config }: Trigger, { db }: Pick<Context, 'db'>) {
  if (kind !== 'chain_event' || !('factory' in config)) return undefined;
  return { count: await countChildren(db, id), max: MAX_CHILDREN };
}

function followerOf(
  { id, kind, enabled, config }: Trigger,
  { chainFollowers }: Pick<Context, 'chainFollowers'>,
) {
  const state =
    enabled && (kind === 'chain_event' || kind === 'chain_block') && 'chain' in config
      ? chainFollowers.stateOf({ id, chain: String(config.chain) })
      : undefined;
  return (
    state && {
      node: state.node,
      last_block: state.block ?? null,
      lag_sec: state.lagSec,
      error: state.fault?.message ?? null,
      error_since: state.fault?.since.toISOString() ?? null,
    }
  );
}
