/** Permissions, caps and expiry of a usage key in words. */
import { isExpired } from '../../access.ts';
import { formatMicros, MICROS_PER_CENT } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';

const windows = [
  { value: '3600', label: t('per hour') },
  { value: '86400', label: t('per day') },
  { value: '604800', label: t('per week') },
  { value: '2592000', label: t('per 30 days') },
];

/** The lengths of a window that a form offers, with the one that a key has. */
export const windowOptions = (seconds: number | undefined) =>
  seconds === undefined || windows.some(({ value }) => value === String(seconds))
    ? windows
    : [...windows, { value: String(seconds), label: t('per {seconds, number} seconds', { seconds }) }];

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
      : [
          t(
            '{limit} {seconds, plural, =0 {in total} =3600 {per hour} =86400 {per day} =604800 {per week} =2592000 {per 30 days} other {per # seconds}}',
            {
              limit: formatMicros(BigInt(spendCapCents) * MICROS_PER_CENT),
              seconds: spendWindowSeconds ?? 0,
            },
          ),
        ]),
    ...(maxRunsPerMinute === undefined
      ? []
      : [t('{count, plural, one {# run} other {# runs}} per minute', { count: maxRunsPerMinute })]),
    ...(maxConcurrency === undefined ? [] : [t('{maxConcurrency} concurrent', { maxConcurrency })]),
    ...(maxRunSeconds === undefined ? [] : [t('{maxRunSeconds} s per run', { maxRunSeconds })]),
  ];
}

export function describeExpiry(expiration: bigint): string {
  if (expiration === 0n) return t('Never');
  const time = new Date(Number(expiration) * 1_000).toLocaleString(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return isExpired({ expiration }) ? t('Expired {time}', { time }) : time;
}
