/** The setting `CHAINS`: the chains besides the service's own on which wallets send transactions. */
import { httpUrl } from '@latchkey/service/settings';
import { z } from 'zod';

const chain = z
  .strictObject({
    id: z.int().min(1),
    name: z.string().min(1).max(100),
    rpc_urls: z.array(httpUrl).min(1),
    explorer: httpUrl.optional(),
    confirmations: z.int().min(1).max(64).default(1),
  })
  .transform(({ id: chainId, name, rpc_urls: rpcUrls, explorer, confirmations }) =>
    Object.freeze({ chainId, name, rpcUrls, explorer, confirmations }),
  );

export type ChainSetting = z.output<typeof chain>;

/** A JSON list. Its messages are without the values: URLs can contain credentials. */
export const chainsSetting = z
  .string()
  .default('[]')
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('expected a JSON list');
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(chain)
      .max(64)
      .refine((chains) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length, {
        error: 'a chain is listed twice',
      }),
  );
