/** Permissions, caps and expiry of a usage key in words. */
import { formatMicros, MICROS_PER_CENT } from '../../components/values.tsx';

export const windows = [
  { value: '3600', label: 'per hour' },
  { value: '86400', label: 'per day' },
  { value: '604800', label: 'per week' },
  { value: '2592000', label: 'per 30 days' },
];

export const describeWindow = (seconds: number | undefined): string =>
  seconds === undefined
    ? 'in total'
    : (windows.find(({ value }) => value === String(seconds))?.label ??
      `per ${seconds.toLocaleString('en')} seconds`);

export type Caps = Record<
  'spendCapCents' | 'spendWindowSeconds' | 'maxRunsPerMinute' | 'maxConcurrency' | 'maxRunSeconds',
  number | undefined
>;

export function describeCaps({
  spendCapCents,
  spendWindowSeconds,
  maxRunsPerMinute,
  maxConcurrency,
  maxRunSeconds,
}: Partial<Caps>): string[] {
  return [
    ...(spendCapCents === undefined
      ? []
      : [`${formatMicros(BigInt(spendCapCents) * MICROS_PER_CENT)} ${describeWindow(spendWindowSeconds)}`]),
    ...(maxRunsPerMinute === undefined ? [] : [`${maxRunsPerMinute} runs per minute`]),
    ...(maxConcurrency === undefined ? [] : [`${maxConcurrency} concurrent`]),
    ...(maxRunSeconds === undefined ? [] : [`${maxRunSeconds} s per run`]),
  ];
}

export const describeExpiry = (expiration: bigint): string =>
  expiration === 0n
    ? 'Never'
    : new Date(Number(expiration) * 1_000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
