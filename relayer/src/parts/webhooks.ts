/** Sends the events of accounts to their webhooks. */
import type { Chain } from '@latchkey/chain/chain';
import { type Deployment, LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { Sealer } from '@latchkey/service/sealer';
import { createPost, type Post } from '@latchkey/webhooks/post';
import { startSender } from '@latchkey/webhooks/sender';
import type { Logger } from 'pino';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import type { RootSecrets } from '../keys/root-secrets.ts';
import { followAccountEvents } from '../webhooks/account-events.ts';
import { webhookTables } from '../webhooks/endpoints.ts';
import { mayReceive } from '../webhooks/owner.ts';
import type { Every } from './timers.ts';

const READ_MS = 1_000;
/** The same as the default of triggers. */
const CONFIRMATIONS = 12;

type Parts = {
  db: Database;
  chain: Chain;
  views: Pick<AccountConfig, 'read'>;
  accountHeads: AccountHeads;
  deployment: Deployment;
  rootSecrets: RootSecrets;
  log: Logger;
};

export type Webhooks = {
  /** Seals their secrets. */
  webhookSealer: Sealer;
  postWebhook: Post;
};

export function openWebhooks(
  { webhooks: { allowedAddresses, confirmations } }: Config,
  { db, chain, views, accountHeads, deployment, rootSecrets, log }: Parts,
  resources: AsyncDisposableStack,
  every: Every,
): Webhooks {
  const sealer = rootSecrets.sealer('webhook-secret');
  const post = createPost({ allowedAddresses });
  const mayBeSent = (id: string) => mayReceive({ db, accountConfig: views, accountHeads }, id);
  resources.use(startSender({ db, tables: webhookTables, sealer, log, post, mayReceive: mayBeSent }));
  const options = {
    db,
    chain,
    contract: deployment.address,
    confirmations: confirmations ?? (chain.chainId === LOCAL_CHAIN_ID ? 0 : CONFIRMATIONS),
  };
  every(READ_MS, 'read the events of accounts', () => followAccountEvents(options));
  return { webhookSealer: sealer, postWebhook: post };
}
