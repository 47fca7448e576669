import { eq, lte, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { newAccountGas } from './schema.ts';

export type NewAccountGas = {
  /**
   * Counts an estimate in the current clock hour. Resolves to undefined, and counts nothing, when the hour would have more than
   * `gasPerHour`.
   */
  reserve: (estimate: bigint) => Promise<{ settle: (gas: bigint) => Promise<void> } | undefined>;
};

/** The gas of new accounts that all processes share. A process that dies leaves its estimates counted. */
export function createNewAccountGas(db: Database, { gasPerHour }: { gasPerHour: number }): NewAccountGas {
  const { hour, gas: total } = newAccountGas;
  return {
    async reserve(estimate) {
      const sum = sql`${total} + ${estimate}`;
      const [reserved] = await db
        .insert(newAccountGas)
        .values({ hour: sql`date_trunc('hour', now(), 'UTC')`, gas: estimate })
        .onConflictDoUpdate({
          target: hour,
          set: { gas: sum },
          setWhere: lte(sum, BigInt(gasPerHour)),
        })
        .returning({ hour });
      if (!reserved) return undefined;
      return {
        async settle(gas) {
          await db
            .update(newAccountGas)
            .set({ gas: sql`${total} + ${gas - estimate}` })
            .where(eq(hour, reserved.hour));
        },
      };
    },
  };
}
