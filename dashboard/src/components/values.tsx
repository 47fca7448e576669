/** Values that appear on many pages. */
import { ActionIcon, Box, CopyButton, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from 'lucide-react';
import { locale, t } from '../i18n.ts';

/** A button that copies a value. Its name is `label`, for example "Copy the CID". */
export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('Copied') : label}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={label}>
            {copied ? <CheckIcon size={16} aria-hidden /> : <CopyIcon size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A key, which is shown once. `copy` is the name of the button that copies it. */
export function SecretText({ value, label, copy }: { value: string; label: string; copy: string }) {
  return (
    <Group wrap="nowrap" gap="xs">
      <TextInput aria-label={label} value={value} readOnly ff="monospace" style={{ flex: 1 }} />
      <Copy value={value} label={copy} />
    </Group>
  );
}

export const short = (text: string): string =>
  text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;

/** A CID, hash or address: short to read, whole to copy. */
export function Identifier({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={2} wrap="nowrap" display="inline-flex">
      <Text component="span" ff="monospace" size="sm" title={value} style={{ whiteSpace: 'nowrap' }}>
        {short(value)}
      </Text>
      <Copy value={value} label={label} />
    </Group>
  );
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function describeTime(time: Date, now = Date.now()): string {
  const seconds = Math.round((time.getTime() - now) / 1_000);
  if (Math.abs(seconds) >= 30 * 86_400) return time.toLocaleDateString(locale, { dateStyle: 'medium' });
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/** A time relative to now, with the exact time in the tooltip. */
export function Time({ value }: { value: Date }) {
  const exact = value.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'long' });
  return (
    <Box component="time" dateTime={value.toISOString()} title={exact} style={{ whiteSpace: 'nowrap' }}>
      {describeTime(value)}
    </Box>
  );
}

const dollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

export const MICROS_PER_CENT = 10_000n;

/** Formats micro-credits as dollars. */
export const formatMicros = (micros: bigint): string => dollars.format(Number(micros) / 1_000_000);
