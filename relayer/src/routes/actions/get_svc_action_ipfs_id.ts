import { cidOf } from '@latchkey/protocol';
import { z } from 'zod';
import { codeBodyLimitBytes, defineRoute, prefix } from '../define-route.ts';

export const getSvcActionIpfsId = defineRoute({
  method: 'POST',
  path: `${prefix}/get_svc_action_ipfs_id`,
  tag: 'actions',
  summary: 'Computes the CID of action code',
  description: 'The body is the code as a JSON string, the reply its CIDv0 as a JSON string.',
  auth: 'none',
  idempotent: false,
  body: z.string(),
  bodyLimitBytes: codeBodyLimitBytes,
  reply: z.string(),
  example: { body: 'hello world', reply: 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD' },
  handle: (_context: unknown, { body }) => cidOf(body),
});
