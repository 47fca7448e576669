import { pageQuery } from '@latchkey/http';
import { z } from 'zod';
import { readCaps } from '../../billing/caps.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { findRecorded } from '../../db/output-recordings.ts';
import { hashText } from '../../db/text.ts';
import { capsToWire, defineRoute, listReplyHeaders, prefix, sendList } from '../define-route.ts';

/** A number, or a decimal string where a number would not be exact. */
const groupIds = z.array(z.union([z.number(), z.string()]));

const page = z.array(
  z.object({
    id: z.string(),
    api_key_hash: z.string(),
    name: z.string(),
    description: z.string(),
    expiration: z.string(),
    balance: z.string(),
    can_create_groups: z.boolean(),
    can_delete_groups: z.boolean(),
    can_create_pkps: z.boolean(),
    can_manage_ipfs_ids_in_groups: groupIds,
    can_add_pkp_to_groups: groupIds,
    can_remove_pkp_from_groups: groupIds,
    can_execute_in_groups: groupIds,
    spend_cap_cents: z.number().nullable(),
    spend_window_seconds: z.number().nullable(),
    max_runs_per_minute: z.number().nullable(),
    max_concurrency: z.number().nullable(),
    max_run_seconds: z.number().nullable(),
    record_output: z.boolean().meta({ description: 'Set by set_usage_api_key_recording.' }),
  }),
);

/** Adds to the keys of the indexer what the relayer stores. */
export async function completeKeys(db: Database, account: bigint, items: unknown[]) {
  const keys = items as { api_key_hash: string }[];
  const hashes = keys.map(({ api_key_hash: hash }) => hash);
  const caps = await readCaps(db, hashes);
  const recorded = await findRecorded(db, hashText(account), hashes);
  return keys.map((key) => ({
    ...key,
    ...capsToWire(caps.get(key.api_key_hash)),
    record_output: recorded.has(key.api_key_hash),
  }));
}

export const listApiKeys = defineRoute({
  method: 'GET',
  path: `${prefix}/list_api_keys`,
  tag: 'usage-keys',
  summary: 'Lists the usage keys',
  auth: 'anyAccountKeyOrWallet',
  query: pageQuery,
  reply: page,
  replyHeaders: listReplyHeaders,
  errors: ['forbidden', 'service_unavailable'],
  handle: async ({ lists, db }: Pick<Context, 'lists' | 'db'>, { query, caller, setHeader }) => {
    const complete = (items: unknown[]) => completeKeys(db, caller.account, items);
    return sendList(await lists.read(caller, { list: 'api-keys', query, schema: page, complete }), setHeader);
  },
});
