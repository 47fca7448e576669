/** Months of UTC, as YYYY-MM. */

/**
 * A month is closed this long after its end. By then the relayer has forgotten its transactions (30 days), so that nothing asks for their
 * entries, and nearly all of its reserves have ended.
 */
const WAIT_DAYS = 35;

export const monthOf = (time: Date | string): string =>
  (typeof time === 'string' ? time : time.toISOString()).slice(0, 7);

export function nextMonth(month: string): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + 1);
  return monthOf(start);
}

/** Returns the end of a month in the form that the times of entries have, so that texts can be compared. */
export const endOf = (month: string): string => `${nextMonth(month)}-01T00:00:00.000000Z`;

/** Returns the months from `first` on that can be closed. */
export function closableMonths(first: string, now: Date): string[] {
  const months: string[] = [];
  const last = now.getTime() - WAIT_DAYS * 86_400_000;
  for (let month = first; new Date(endOf(month)).getTime() <= last; month = nextMonth(month))
    months.push(month);
  return months;
}
