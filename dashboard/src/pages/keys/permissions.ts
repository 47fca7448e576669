/** Permissions, caps and expiry of a usage key in words. */
import { formatMicros, MICROS_PER_CENT } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';

export const windows = [
  { value: '3600', label: t('per hour') },
  { value: '86400', label: t('per day') },
  { value: '604800', label: t('per week') },
  { value: '2592000', label: t('per 30 days') },
];

export const describeWindow = (seconds: number | undefined): string =>
  seconds === undefined
    ? t('in total')
    : (windows.find(({ value }) => value === String(seconds))?.label ??
      t('per {seconds} seconds', { seconds: seconds.toLocaleString(locale) }));

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
    ...(maxRunsPerMinute === undefined
      ? []
      : [t('{maxRunsPerMinute} runs per minute', { maxRunsPerMinute })]),
    ...(maxConcurrency === undefined ? [] : [t('{maxConcurrency} concurrent', { maxConcurrency })]),
    ...(maxRunSeconds === undefined ? [] : [t('{maxRunSeconds} s per run', { maxRunSeconds })]),
  ];
}

export const describeExpiry = (expiration: bigint): string =>
  expiration === 0n
    ? t('Never')
    : new Date(Number(expiration) * 1_000).toLocaleString(locale, {
        dateStyle: 'medium',
        timeStyle: 'short',
      });
