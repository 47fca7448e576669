import type { Context } from '../../context.ts';
import { operatorStatus } from '../../operator/status.ts';
import { defineRoute } from '../define-route.ts';

export const status = defineRoute({
  method: 'GET',
  path: '/operator/v1/status',
  tag: 'operator',
  summary: 'Returns the state of the deployment, for its operator',
  description:
    'Parts, payers, chains, queues, runners and key nodes as this relayer sees them. 404 unless `OPERATOR_TOKEN_HASH` is set. ' +
    'Null is what the relayer does not know, because a part does not answer.',
  auth: 'operator',
  waits: true,
  reply: operatorStatus,
  handle: async ({ readStatus, version }: Pick<Context, 'readStatus' | 'version'>) => ({
    ...(await readStatus()),
    version: version.version,
    commit: version.commit,
  }),
});
