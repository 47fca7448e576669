import { checkDeadline, checkTrigger } from '../../checks/check-trigger.ts';
import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import {
  CODE_BODY_LIMIT_BYTES,
  changedTrigger,
  refuseAccountKey,
  toRecord,
  triggerChange,
  triggerParams,
} from './record.ts';
import { changeTrigger, toChanges } from './store.ts';

export const updateTrigger = defineRoute({
  method: 'PATCH',
  path: '/api/triggers/:id',
  tag: 'triggers',
  summary: 'Updates a trigger',
  description:
    'Changes only the given fields. `enabled: false` pauses the trigger: no event fires it, and its queued runs wait. ' +
    '`action_code` replaces `action_cid` and vice versa. `config` replaces the whole config; a new `kind` discards the old one.',
  auth: 'agentOrSession',
  bodyLimitBytes: CODE_BODY_LIMIT_BYTES,
  params: triggerParams,
  body: triggerChange.refine(
    ({ action_code, action_cid }) => action_code == null || action_cid == null,
    'expected at most one of action_code and action_cid',
  ),
  reply: changedTrigger,
  errors: ['not_found', 'service_unavailable'],
  handle: async (
    context: Pick<Context, 'db' | 'relayer' | 'sealer' | 'config' | 'publicUrl' | 'worker'>,
    { params, body, caller, log },
  ) => {
    const { rpcUrls } = context.config.secrets;
    const checks = { relayer: context.relayer, rpcUrls, log, deadline: checkDeadline() };
    const syntaxWarnings = await checkTrigger({ code: body.action_code ?? undefined }, checks);
    const { isKnown } =
      body.usage_api_key === undefined
        ? { isKnown: true }
        : await refuseAccountKey(context, body.usage_api_key);
    const { changed, isReconfigured, placed } = await changeTrigger(context, params.id, caller, body);
    // The trigger may have been enabled, or its limit of concurrent runs raised.
    context.worker.wake();
    const changes = toChanges(changed, body, { isKnown, isReconfigured, sealer: context.sealer });
    const warnings = await checkTrigger(changes, checks);
    return { ...toRecord(changed, context), ...placed, warnings: [...syntaxWarnings, ...warnings] };
  },
});
