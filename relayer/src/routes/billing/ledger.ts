import { pageQuery } from '@latchkey/http';
import { z } from 'zod';
import { listEntries } from '../../billing/ledger.ts';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

const entry = z.object({
  number: z.int().meta({ description: '1, 2, 3, … in the order of time.' }),
  kind: z.enum(['credit', 'reserve', 'capture', 'release', 'reverse']).meta({
    description:
      '`credit`: paid in. `reserve`: set aside for a write or a second of a run, which is then charged (`capture`) or returned ' +
      '(`release`). `reverse`: taken back, for example by a refund.',
  }),
  amount_micros: z.int().meta({ description: 'Micro-credits, never negative.' }),
  available_micros_after: z.int().meta({ description: 'Available micro-credits after this entry.' }),
  reason: z.string(),
  reserve: z.int().nullable().meta({ description: 'Number of the reserve that this entry ends.' }),
  api_key_hash: z.string().nullable().meta({ description: 'Hash of the key that spent it.' }),
  created_at: z.iso.datetime(),
});

export const ledger = defineRoute({
  method: 'GET',
  path: `${prefix}/billing/ledger`,
  tag: 'billing',
  summary: 'Lists all movements of credit, latest first',
  description: 'With `Accept: text/csv` the page is CSV.',
  auth: 'accountKeyOrWallet',
  query: pageQuery,
  reply: z.array(entry),
  csv: Object.keys(entry.shape),
  replyHeaders: {
    'X-Total-Count': 'Number of entries in the whole ledger of the account, archived ones included.',
    'X-Archived-Entries':
      'Number of the last archived entry; absent when there is none. Reserves, captures and releases up to it are in archives of the ' +
      'operator, and pages leave them out: a page can be shorter than its size, or empty.',
  },
  errors: ['forbidden'],
  handle: async ({ db }: Pick<Context, 'db'>, { query, caller, setHeader }) => {
    const { page_number: page, page_size: limit } = query;
    const { entries, total, archived } = await listEntries(db, caller.account, {
      offset: page * limit,
      limit,
    });
    setHeader('X-Total-Count', total);
    if (archived > 0n) setHeader('X-Archived-Entries', archived);
    return entries.map((found) => ({
      number: Number(found.number),
      kind: found.kind,
      amount_micros: Number(found.amountMicros),
      available_micros_after: Number(found.availableAfter),
      reason: found.reason,
      reserve: found.reserve === null ? null : Number(found.reserve),
      api_key_hash: found.keyHash,
      created_at: found.createdAt.toISOString(),
    }));
  },
});
