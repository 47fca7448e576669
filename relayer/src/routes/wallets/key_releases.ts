import { address, derivationPath, notFound, queryInteger } from '@latchkey/http';
import { MAX_ENTRIES } from '@latchkey/key-protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

const NODE_END = /^[0-9a-f]{64}:[1-9]\d{0,14}$/;
const cursor = z
  .string()
  .max(2_048)
  .refine((text) => text.split(',').every((part) => NODE_END.test(part)), 'expected `before` of a reply');

export const keyReleases = defineRoute({
  method: 'GET',
  path: `${prefix}/key_releases`,
  tag: 'wallets',
  summary: 'Lists what the key nodes released for a wallet of the account, newest first',
  description:
    'For the account key and the admin wallet. Each key node that answers has its own list: `entries` are JSON texts, each with the SHA-256 ' +
    'of the text before it in `previous`. `head` is the JSON that the node signed (Ed25519) over `latchkey/release-head/v1`, a zero byte ' +
    'and this text: its identity, your `nonce`, the time, and the number and SHA-256 of the newest entry. The next page begins with `before`.',
  auth: 'accountKeyOrWallet',
  query: z.object({
    wallet: address,
    nonce: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .meta({ description: '16 random bytes, which the nodes sign: an old list does not have them.' }),
    page_size: queryInteger(1, MAX_ENTRIES, MAX_ENTRIES),
    before: cursor.optional(),
  }),
  reply: z.object({
    derivation_path: derivationPath,
    nodes: z.array(z.object({ head: z.string(), signature: z.string(), entries: z.array(z.string()) })),
    before: z.string().nullable(),
  }),
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  handle: async (
    { accountConfig, keyReleases: releases }: Pick<Context, 'accountConfig' | 'keyReleases'>,
    { query, caller },
  ) => {
    const { wallet, nonce, page_size: limit } = query;
    const path = await accountConfig.read('getWalletDerivation', [caller.hash, wallet], caller.minBlock);
    if (path === 0n)
      throw notFound('The account does not have this wallet.', {
        fix: 'Find its wallets with list_wallets.',
      });
    const { nodes, before } = await releases.list({ path, nonce, before: readCursor(query.before), limit });
    return { derivation_path: path, nodes, before: before ? writeCursor(before) : null };
  },
});

const readCursor = (text: string | undefined): Record<string, number> | undefined =>
  text === undefined
    ? undefined
    : Object.fromEntries(
        text.split(',').map((part): [string, number] => [part.slice(0, 64), Number(part.slice(65))]),
      );

const writeCursor = (ends: Record<string, number>): string =>
  Object.entries(ends)
    .map(([node, end]) => `${node}:${end}`)
    .join(',');
