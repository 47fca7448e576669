import { checkDeadline, checkTrigger } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import type { ChainEventConfig } from '../../sources/chain-config.ts';
import { sources } from '../../sources/index.ts';
import { defineRoute } from '../define-route.ts';
import { effectId } from '../effect-id.ts';
import {
  CODE_BODY_LIMIT_BYTES,
  changedTrigger,
  exampleRequest,
  exampleTrigger,
  newTrigger,
  refuseAccountKey,
  toRecord,
} from './record.ts';
import { insertTrigger } from './store.ts';

export const createTrigger = defineRoute({
  method: 'POST',
  path: '/api/triggers',
  tag: 'triggers',
  summary: 'Creates a trigger',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  body: newTrigger.refine(
    ({ action_code, action_cid }) => (action_code == null) !== (action_cid == null),
    'expected exactly one of action_code and action_cid',
  ),
  reply: changedTrigger,
  errors: ['conflict', 'service_unavailable'],
  example: { body: exampleRequest, reply: { ...exampleTrigger, warnings: [] } },
  handle: async (
    context: Pick<Context, 'db' | 'relayer' | 'sealer' | 'config' | 'publicUrl'>,
    { body, caller, idempotencyId, log },
  ) => {
    const id = effectId(idempotencyId, body);
    const { rpcUrls } = context.config.secrets;
    const options = { sealer: context.sealer, rpcUrls };
    const source = sources[body.kind];
    const config = await source.accept(body.config, { id }, options);
    const change = { wire: body.config, before: undefined, isResumed: false };
    const place = await source.place?.({ id, config }, change, options);
    const { isKnown } = await refuseAccountKey(context, body.usage_api_key);
    const { action_code: code = null, action_cid: cid = null, usage_api_key: key } = body;
    const warnings = await checkTrigger(
      {
        code: code ?? undefined,
        action: { code, cid, key, isKnown },
        contract: body.kind === 'chain_event' ? (config as ChainEventConfig) : undefined,
      },
      { relayer: context.relayer, rpcUrls, log, deadline: checkDeadline() },
    );
    const made = await insertTrigger(context, { id, userId: caller.id, body, config, place });
    return { ...toRecord(made, context), warnings };
  },
});
