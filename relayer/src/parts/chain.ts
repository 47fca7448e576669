/** The node of the chain, and whether it fits the database. */

import { type Chain, connectChain } from '@latchkey/chain/chain';
import { toChainError } from '@latchkey/chain/errors';
import type { Deployment } from '@latchkey/protocol';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import { bindDeployment } from '../db/deployment.ts';
import { createNodeFaultCounter } from '../metrics.ts';
import type { Storage } from './storage.ts';

export async function openChain(
  config: Config,
  deployment: Deployment,
  { db, accountHeads }: Storage,
  { log, metrics }: { log: Logger; metrics: Registry },
  resources: AsyncDisposableStack,
): Promise<Chain> {
  const countFault = createNodeFaultCounter(metrics);
  const chain = connectChain({
    ...config.chain,
    onNodeFault({ node, host, fault }) {
      countFault(node);
      log.warn({ node, host, reason: fault }, 'an RPC node is not used for a while');
    },
  });
  resources.defer(chain.close);
  await bindDeployment(db, deployment);
  await checkChain(chain, accountHeads, log);
  log.info({ chain_id: deployment.chainId, contract: deployment.address }, 'connected to the chain');
  return chain;
}

/**
 * Rejects when the node serves another chain. When the local chain lost its last blocks or was restarted, lowers the
 * stored account heads to the current head instead. A node of another chain that is behind them has not caught up.
 */
export async function checkChain(
  chain: Pick<Chain, 'chainId' | 'client' | 'reach' | 'refreshHead'>,
  accountHeads: Pick<AccountHeads, 'highest' | 'lower'>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const chainId = await chain.client.getChainId().catch((error: unknown) => {
    throw toChainError(error);
  });
  if (chainId !== chain.chainId)
    throw new Error(`RPC_URL serves chain ${chainId}, expected CHAIN_ID ${chain.chainId}`);
  const known = await accountHeads.highest();
  try {
    await chain.reach(known);
  } catch (error) {
    const head = await chain.refreshHead();
    if (head >= known) return;
    const fields = { err: error, head: String(head), known: String(known) };
    if (chainId === LOCAL_CHAIN_ID) {
      log.warn(fields, 'chain head is below the blocks stored in the database: lowered the stored heads');
      await accountHeads.lower(head);
    } else
      log.warn(
        fields,
        'the node is behind the blocks stored in the database: requests are 503 until it has caught up',
      );
  }
}
