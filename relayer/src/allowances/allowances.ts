/** The limits of actions: counters in the database, and signed statements about each use. */
import { type AllowanceStatement, buildAllowance, cidHash } from '@latchkey/protocol';
import { ActionError, type AllowanceRequest } from '@latchkey/runner-protocol';
import { rowsOf } from '@latchkey/service/rows';
import { sql } from 'drizzle-orm';
import { type Address, getAddress, type Hex, hashTypedData } from 'viem';
import type { Database } from '../db/database.ts';
import { hashText } from '../db/text.ts';

/** Most names of an action and wallet in use: one per value of `per` of a policy. */
const MAX_NAMES = 1_000;

/** The run that takes a part of a limit, as the relayer knows it. `number` counts what it takes. */
type TakingRun = { account: bigint; cid: string; runId: string };

/** Resolves to the JSON of the signed statement. Rejects with an `AllowanceError` for the action. */
export type TakeAllowance = (run: TakingRun, number: number, request: AllowanceRequest) => Promise<string>;

export type AllowancesOptions = {
  db: Database;
  deployment: { chainId: number; contractAddress: Address };
  /** Signs a hash as the signer of receipts. */
  signHash: (hash: Hex) => Hex;
};

type Row = {
  refusal: 'limit' | 'window' | 'names' | 'other' | null;
  sum: string;
  sequence: string;
  /** Microseconds. */
  at: string;
  possible_at: Date | string | null;
};

export function createTakeAllowance({ db, deployment, signHash }: AllowancesOptions): TakeAllowance {
  return async (run, number, request) => {
    const row = await take(db, run, number, request);
    if (row.refusal !== null) throw refusalOf(row, request);
    const { wallet, name, windowSeconds, limit, amount } = request;
    const statement: AllowanceStatement = {
      account: run.account,
      cidHash: cidHash(run.cid),
      wallet: getAddress(wallet.toLowerCase()),
      name,
      window: BigInt(windowSeconds),
      limit: BigInt(limit),
      amount: BigInt(amount),
      sum: BigInt(row.sum),
      sequence: BigInt(row.sequence),
      time: BigInt(row.at),
      run: `0x${run.runId.replaceAll('-', '')}`,
    };
    const signature = signHash(hashTypedData(buildAllowance(statement, deployment)));
    const { account: _account, cidHash: _cidHash, ...shown } = statement;
    return JSON.stringify({ cid: run.cid, ...shown, signature }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  };
}

async function take(
  db: Database,
  { account, cid, runId }: TakingRun,
  number: number,
  { wallet, name, amount, limit, windowSeconds }: AllowanceRequest,
): Promise<Row> {
  const bytes = (hex: string) => sql`decode(${hex.slice(2)}, 'hex')`;
  const [row] = await rowsOf<Row>(
    db,
    sql`
    SELECT refusal, sum::text, sequence::text, (extract(epoch FROM at) * 1000000)::bigint::text AS at, possible_at
    FROM take_allowance(${bytes(hashText(account))}, ${cid}, ${bytes(wallet)}, ${name}, ${windowSeconds}::integer,
      ${amount}::numeric, ${limit}::numeric, ${MAX_NAMES}::integer, ${runId}, ${number}::integer)`,
  );
  return row as Row;
}

function refusalOf({ refusal, sum, possible_at }: Row, request: AllowanceRequest): ActionError {
  const { name, amount, limit, windowSeconds } = request;
  const fail = (message: string) => new ActionError('AllowanceError', `the limit "${name}": ${message}`);
  switch (refusal) {
    case 'window':
      return fail(`its window is ${sum} seconds, not ${windowSeconds}: use another name for another window`);
    case 'names':
      return fail(
        `the action has ${MAX_NAMES} limits of this wallet whose windows are not over, which is the most`,
      );
    case 'other':
      return fail('this use of the run is already of another limit or amount');
    default: {
      const reached = `${amount} would be over ${limit}, of which ${sum} are used in ${windowSeconds} seconds`;
      const when =
        possible_at === null
          ? 'it is never possible'
          : `possible again at ${new Date(possible_at).toISOString()}`;
      return fail(`${reached}; ${when}`);
    }
  }
}
