import type { Deployment } from '@latchkey/protocol';
import type { Database } from './database.ts';
import { deployments } from './schema.ts';

/**
 * Binds the database to one contract permanently: heads, nonces and replies of another contract would be wrong. Throws
 * when it is already bound to another one.
 */
export async function bindDeployment(
  db: Database,
  { chainId, address }: Pick<Deployment, 'chainId' | 'address'>,
): Promise<void> {
  await db.insert(deployments).values({ chainId, address }).onConflictDoNothing();
  const bound = await db.select().from(deployments);
  if (bound.length === 1) return;
  throw new Error(
    `the database belongs to contract ${bound[0]?.address} on chain ${bound[0]?.chainId}, not to ${address} on chain ${chainId}: use another DATABASE_URL`,
  );
}
