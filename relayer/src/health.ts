import type { Chain } from '@latchkey/chain/chain';
import { FeesTooHighError } from '@latchkey/chain/errors';
import { type Outbox, readExtraFees, readFees, withinCeiling } from '@latchkey/outbox';
import { createHealthCheck, DegradedError, type HealthCheck, UnhealthyError } from '@latchkey/service/health';
import type { OpenDatabase } from './db/database.ts';
import type { IndexerClient } from './indexer-client.ts';
import type { KeyNodes } from './keys/key-nodes.ts';
import type { Runners } from './runners/runners.ts';
import { checkWalletChains, type WalletChains } from './wallet-transactions/chains.ts';

export type RelayerPart = 'chain' | 'chains' | 'indexer' | 'database' | 'runtime' | 'payers' | 'keys';

/** A payer is low when its balance pays, at the present fees, for fewer of the most expensive writes. */
const LOW_WRITES = 100n;
/** Such a write stores most of its calldata: 20,000 gas per 32 bytes. */
const GAS_PER_BYTE = 625;

type Parts = {
  chain: Pick<Chain, 'client' | 'chainId' | 'heldByTwo' | 'nodes' | 'refreshHead'>;
  walletChains: WalletChains;
  database: Pick<OpenDatabase, 'ping'>;
  indexer: Pick<IndexerClient, 'ping'>;
  payers: Pick<Outbox, 'status'>;
  runners: Pick<Runners, 'load' | 'missing' | 'faults' | 'keyGroups'>;
  keyNodes: Pick<KeyNodes, 'ping' | 'publicKeys'>;
  maxWriteGas: number;
  feeCeiling: bigint | undefined;
};

export function createRelayerHealthCheck(parts: Parts): HealthCheck<RelayerPart> {
  const { chain, database, indexer, runners, keyNodes } = parts;
  return createHealthCheck({
    async keys() {
      await keyNodes.ping();
      checkKeyGroups(runners.keyGroups(), await keyNodes.publicKeys());
    },
    async chain() {
      await chain.refreshHead();
      const nodes = chain.nodes();
      const faulty = nodes.filter(({ fault }) => fault !== undefined).length;
      if (faulty > 0) throw new DegradedError(`${faulty} of ${nodes.length} RPC nodes failed`);
    },
    chains: () => checkWalletChains(parts.walletChains, chain.chainId),
    indexer: indexer.ping,
    database: database.ping,
    async runtime() {
      const { idle, starting, running } = runners.load();
      const missing = runners.missing().length;
      const away = missing === 1 ? 'a runner is not connected' : `${missing} runners are not connected`;
      const faults = [...(missing > 0 ? [away] : []), ...new Set(runners.faults())];
      if (idle + starting + running === 0)
        throw new UnhealthyError(faults.join(': ') || 'no action process is running');
      if (faults.length > 0) throw new DegradedError(faults.join(': '));
    },
    payers: () => checkPayers(parts),
  });
}

/** Throws unless each payer is an api payer of the contract, can sign, and has funds. */
async function checkPayers({ chain, payers, maxWriteGas, feeCeiling }: Parts): Promise<void> {
  const unknown = payers.status().filter(({ isApiPayer }) => !isApiPayer);
  if (unknown.length > 0)
    throw new UnhealthyError(
      `not an api payer of the contract: ${unknown.map(({ address }) => address).join(', ')}`,
    );
  const failing = payers.status().filter(({ signerFails }) => signerFails);
  const signers = `the signer fails: ${failing.map(({ address }) => address).join(', ')}`;
  if (failing.length > 0 && failing.length === payers.status().length) throw new UnhealthyError(signers);
  const balances = await Promise.all(
    payers.status().map(async ({ address }) => ({
      address,
      balance: await chain.client.getBalance({ address }),
    })),
  );
  const below = (limit: bigint) => balances.filter(({ balance }) => balance < limit);
  const namesOf = (found: typeof balances) => found.map(({ address }) => address).join(', ');
  const empty = below(1n);
  if (empty.length > 0) throw new UnhealthyError(`no funds: ${namesOf(empty)}`);
  if (failing.length > 0) throw new DegradedError(signers);
  const [{ maxFeePerGas }, extra] = await Promise.all([payableFees(chain, feeCeiling), readExtraFees(chain)]);
  const dataFee = extra.perByteWei * BigInt(Math.ceil(maxWriteGas / GAS_PER_BYTE));
  const perWrite = BigInt(maxWriteGas) * (maxFeePerGas + extra.perGasWei) + dataFee + extra.perTransactionWei;
  const low = below(LOW_WRITES * perWrite);
  if (low.length > 0) throw new DegradedError(`low funds: ${namesOf(low)}`);
}

async function payableFees(chain: Pick<Chain, 'heldByTwo'>, ceiling: bigint | undefined) {
  const fees = await readFees(chain);
  try {
    return withinCeiling(fees, ceiling);
  } catch (error) {
    if (error instanceof FeesTooHighError) throw new DegradedError('fees above MAX_FEE_PER_GAS_GWEI');
    throw error;
  }
}

/** Throws when runners trust another group of key nodes: no key of theirs would come. */
function checkKeyGroups(groups: string[][], published: string[]): void {
  const wrong = groups.filter((group) => published.some((key, i) => group[i] !== key)).length;
  if (wrong === 0) return;
  const message = `KEY_GROUP of ${wrong} of ${groups.length} runners is not the published group: npm run keys -- status prints it`;
  throw wrong < groups.length ? new DegradedError(message) : new UnhealthyError(message);
}
