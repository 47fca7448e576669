import { EncodedReply, queryInteger } from '@latchkey/http';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

const page = z.array(
  z.object({
    id: z.string(),
    event: z.string().meta({ description: 'Name of the event of the contract.' }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'Its arguments in snake_case: hashes and paths have 32 bytes, other numbers are decimal texts.',
    }),
    at: z.string().meta({ description: 'Time of the block.' }),
    block_number: z.string(),
    transaction_hash: z.string(),
    sender: z.string().meta({ description: 'The wallet or api payer that sent the transaction.' }),
    is_sent_by_service: z.boolean().meta({
      description:
        'Whether the sender was an api payer. Then `usage_key_hash`, `signer` or, when both are null, the account key caused the change.',
    }),
    usage_key_hash: z.string().nullable(),
    signer: z.string().nullable().meta({ description: 'The wallet that signed it (`executeSigned`).' }),
  }),
);

export const listAccountChanges = defineRoute({
  method: 'GET',
  path: `${prefix}/list_account_changes`,
  tag: 'accounts',
  summary: 'Lists what changed the account on the chain, newest first',
  description:
    'The events of the account in the contract, whoever sent their transactions, with those of former keys and admin wallets. A reorg takes ' +
    'back those of replaced blocks. The next page begins with `before` of the last id.',
  auth: 'accountKeyOrWallet',
  query: z.object({
    page_size: queryInteger(1, 1_000, 100),
    before: z
      .string()
      .regex(/^\d{1,16}-\d{1,9}$/)
      .optional()
      .meta({ description: 'Id of a change: lists those before it.' }),
  }),
  reply: page,
  errors: ['forbidden', 'service_unavailable'],
  waits: true,
  handle: async (
    { readAccountChanges }: Pick<Context, 'readAccountChanges'>,
    { query, caller: { account, minBlock } },
  ) => new EncodedReply(page, await readAccountChanges(account, query, minBlock)),
});
