import { client, get, hex, stack } from '@latchkey/testing/stack';
import { expect } from 'vitest';

/** Every change of an account is an event of the contract or an entry in the ledger. */
export type Fingerprint = { events: number; movements: number; creditMicros: number };

/** Returns the state of an account since `firstBlock`, read with `headers` that can read its ledger. */
export async function readFingerprint(
  account: bigint,
  headers: Record<string, string>,
  firstBlock: bigint,
): Promise<Fingerprint> {
  const filter = {
    address: stack.contractAddress,
    fromBlock: `0x${firstBlock.toString(16)}`,
    topics: [null, hex(account)],
  };
  const [logs, ledger, balance] = await Promise.all([
    client.request({ method: 'eth_getLogs', params: [filter as never] }),
    get('billing/ledger?page_size=1', undefined, headers),
    get('billing/balance', undefined, headers),
  ]);
  expect([ledger.status, balance.status]).toEqual([200, 200]);
  return {
    events: logs.length,
    movements: Number(ledger.headers.get('x-total-count')),
    creditMicros: (balance.body as { credit_micros: number }).credit_micros,
  };
}
