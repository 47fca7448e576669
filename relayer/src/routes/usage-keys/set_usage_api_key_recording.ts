import { notFound, usageKeyHash } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { hasRuns, startRecording, stopRecording } from '../../db/output-recordings.ts';
import { hashText } from '../../db/text.ts';
import { defineRoute, prefix, success } from '../define-route.ts';

export const setUsageApiKeyRecording = defineRoute({
  method: 'POST',
  path: `${prefix}/set_usage_api_key_recording`,
  tag: 'usage-keys',
  summary: 'Sets whether records of runs have their output',
  description:
    'With `record_output`, the records of the runs of this key that begin from now on have their logs, their response and the text of their ' +
    'error, as GET /core/v1/run/{id} returns them to the account key and the admin wallet. Without it, they do not, and kept output is ' +
    'deleted, also for a removed key. The setting moves with rotate_usage_api_key and ends with the key.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({ usage_api_key: usageKeyHash, record_output: z.boolean() }),
  reply: success,
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  example: {
    body: {
      usage_api_key: '0x5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1',
      record_output: true,
    },
    reply: { success: true },
  },
  handle: async (
    { db, keyRegistry, lists }: Pick<Context, 'db' | 'keyRegistry' | 'lists'>,
    { body, caller: { account, minBlock } },
  ) => {
    const recorded = { account: hashText(account), key: hashText(body.usage_api_key) };
    const found = await keyRegistry.find(body.usage_api_key, minBlock);
    const isKey = found?.account === account && found.isUsageKey;
    // Turning it off also deletes the output of a removed key, for as long as its runs have records.
    if (!isKey && (body.record_output || !(await hasRuns(db, recorded))))
      throw notFound('The account does not have this usage key.', {
        fix: 'Find its usage keys with list_api_keys.',
      });
    await (body.record_output ? startRecording : stopRecording)(db, recorded);
    lists.drop(account);
    return { success: true as const };
  },
});
