import { rateLimitHeaders, rateLimitReplyHeaders } from '@latchkey/http';
import { cidHash } from '@latchkey/protocol';
import { z } from 'zod';
import { availableMicros } from '../../billing/ledger.ts';
import type { Context } from '../../context.ts';
import { findRunCids } from '../../db/action-codes.ts';
import { hashText } from '../../db/text.ts';
import { listActions } from '../actions/list_actions.ts';
import { defineRoute, prefix } from '../define-route.ts';
import { listGroups } from '../groups/list_groups.ts';
import { completeKeys, listApiKeys } from '../usage-keys/list_api_keys.ts';
import { listWallets } from '../wallets/list_wallets.ts';

const FORMAT_VERSION = 1 as const;

const exported = z.object({
  format_version: z.literal(FORMAT_VERSION),
  chain_id: z.int(),
  contract: z.string(),
  block_number: z.string().meta({ description: 'The block whose state the lists show.' }),
  account: z.object({
    api_key_hash: z.string().meta({ description: 'Master hash of the account.' }),
    admin_wallet_address: z.string(),
    managed: z.boolean(),
  }),
  usage_keys: listApiKeys.reply,
  groups: listGroups.reply,
  actions: z.array(
    listActions.reply.element.extend({
      cid: z.string().nullable().meta({
        description: 'Null when the relayer has no code of the action that the account has run or stored.',
      }),
    }),
  ),
  wallets: listWallets.reply,
  credit_micros: z.int().meta({ description: 'Available micro-credits at the time of the request.' }),
});

type Needed = 'accountConfig' | 'db' | 'exportLimit' | 'readAccountLists' | 'storedCodes';

export const exportAccount = defineRoute({
  method: 'GET',
  path: `${prefix}/export_account`,
  tag: 'accounts',
  summary: 'Returns everything that the account has',
  description:
    'Usage keys, groups with their contents, actions and wallets, whole and of one block. It has no key: usage keys have hashes, and ' +
    'wallets addresses. Caps, recordings and credit are those of the time of the request. 503 when the account changes all the time.',
  auth: 'accountKeyOrWallet',
  reply: exported,
  replyHeaders: rateLimitReplyHeaders,
  errors: ['forbidden', 'too_many_requests', 'service_unavailable'],
  waits: true,
  handle: async (context: Pick<Context, Needed>, { caller, setHeader }) => {
    const { accountConfig, db, storedCodes } = context;
    const { account, minBlock } = caller;
    const { limit } = await context.exportLimit.take(hashText(account));
    const { 'RateLimit-Policy': policy, RateLimit: state } = rateLimitHeaders(limit);
    setHeader('RateLimit-Policy', policy);
    setHeader('RateLimit', state);
    const { blockNumber, lists } = await context.readAccountLists(account, minBlock);
    const { adminWalletAddress, managed } = await accountConfig.read('accountState', [account], blockNumber);
    const stored = (await storedCodes.list(account)).map(({ cid }) => cid);
    const cids = [...(await findRunCids(db, account)), ...stored];
    const cidByHash = new Map(cids.map((cid) => [hashText(cidHash(cid)), cid]));
    return {
      format_version: FORMAT_VERSION,
      chain_id: accountConfig.chainId,
      contract: accountConfig.address,
      block_number: String(blockNumber),
      account: { api_key_hash: hashText(account), admin_wallet_address: adminWalletAddress, managed },
      usage_keys: listApiKeys.reply.parse(await completeKeys(db, account, lists['api-keys'])),
      groups: listGroups.reply.parse(lists.groups),
      actions: listActions.reply
        .parse(lists.actions)
        .map((action) => ({ ...action, cid: cidByHash.get(action.id) ?? null })),
      wallets: listWallets.reply.parse(lists.wallets),
      credit_micros: Number(await availableMicros(db, account)),
    };
  },
});
