/** Money is integer micro-credits: 1,000,000 are one credit (one unit of the currency), 10,000 one cent. */
export const MICROS_PER_CENT = 10_000n;

/** Price of a successful admin write. */
export const ADMIN_WRITE_MICROS = 10_000n;
/** Price per started second of a run. */
export const RUN_SECOND_MICROS = 10_000n;

/** Returns `"$5.00 credit"`, rounded down to the cent, or `"No credits"` for zero or less. */
export function displayCredit(micros: bigint): string {
  const cents = micros / MICROS_PER_CENT;
  if (cents <= 0n) return 'No credits';
  return `$${cents / 100n}.${String(cents % 100n).padStart(2, '0')} credit`;
}
