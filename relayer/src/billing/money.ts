/** Money is integer micro-credits: 1,000,000 are one credit (one unit of the currency), 10,000 one cent. */
export const MICROS_PER_CENT = 10_000n;

/** Of an admin write that succeeded. */
export const ADMIN_WRITE_MICROS = 10_000n;
/** Of each started second of a run. */
export const RUN_SECOND_MICROS = 10_000n;

/** `"$5.00 credit"`; what is less than a cent is cut off. `"No credits"` for nothing and less. */
export function displayCredit(micros: bigint): string {
  const cents = micros / MICROS_PER_CENT;
  if (cents <= 0n) return 'No credits';
  return `$${cents / 100n}.${String(cents % 100n).padStart(2, '0')} credit`;
}
