import { db } from 'ponder:api';
import { changes } from 'ponder:schema';
import { and, desc, eq, gte, inArray, isNotNull, isNull, lte, sql } from 'ponder';
import { getAddress, type Hex } from 'viem';
import { word } from './lists.ts';
import type { Place } from './params.ts';

type Row = typeof changes.$inferSelect;

/** Lists what changed an account, newest first. The log of signed writes is left out: it adds their signer to the changes of its transaction. */
export async function listChanges(
  masterHash: bigint,
  { limit, before }: { limit: number; before: Place | undefined },
): Promise<object[]> {
  const { blockNumber, logIndex } = changes;
  const isBefore =
    before &&
    sql`(${blockNumber}, ${logIndex}) < (${before.blockNumber}::numeric, ${before.logIndex}::integer)`;
  const rows = await db
    .select()
    .from(changes)
    .where(and(eq(changes.masterHash, masterHash), isNull(changes.signer), isBefore))
    .orderBy(desc(blockNumber), desc(logIndex))
    .limit(limit);
  const signers = await signersOf(masterHash, rows);
  return rows.map((row) => changeToWire(row, signers.get(row.transactionHash)));
}

async function signersOf(masterHash: bigint, rows: readonly Row[]): Promise<Map<Hex, Hex | null>> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return new Map();
  const signed = await db
    .select({ transactionHash: changes.transactionHash, signer: changes.signer })
    .from(changes)
    .where(
      and(
        eq(changes.masterHash, masterHash),
        gte(changes.blockNumber, oldest.blockNumber),
        lte(changes.blockNumber, newest.blockNumber),
        isNotNull(changes.signer),
        inArray(changes.transactionHash, [...new Set(rows.map((row) => row.transactionHash))]),
      ),
    );
  return new Map(signed.map(({ transactionHash, signer }) => [transactionHash, signer]));
}

function changeToWire(row: Row, signer: Hex | null | undefined) {
  return {
    id: `${row.blockNumber}-${row.logIndex}`,
    event: row.event,
    data: JSON.parse(row.data) as unknown,
    at: new Date(Number(row.at) * 1_000).toISOString(),
    block_number: row.blockNumber.toString(),
    transaction_hash: row.transactionHash,
    sender: getAddress(row.sender),
    is_sent_by_service: row.isPayer,
    usage_key_hash: row.usageKeyHash === null ? null : word(row.usageKeyHash),
    signer: signer ? getAddress(signer) : null,
  };
}
