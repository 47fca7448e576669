import type { RunRecord } from '@latchkey/sdk';
import { Badge } from '@mantine/core';
import { t } from '../../i18n.ts';

const colors = {
  running: 'blue',
  success: 'teal',
  failed: 'red',
  waiting_for_approval: 'yellow',
  released: 'gray',
} as const;
export const statusNames = {
  running: t('Running'),
  success: t('Succeeded'),
  failed: t('Failed'),
  waiting_for_approval: t('Waiting for approval'),
  released: t('Released'),
} as const;

export function Status({ run: { status, errorName } }: { run: Pick<RunRecord, 'status' | 'errorName'> }) {
  return (
    <Badge color={colors[status]} autoContrast>
      {(status === 'failed' && errorName) || statusNames[status]}
    </Badge>
  );
}

const milliseconds = (count: number): string =>
  count < 1_000
    ? t('{count} ms', { count })
    : t('{count} s', { count: (count / 1_000).toFixed(count < 10_000 ? 2 : 1) });

export const formatDuration = (count: number | undefined): string =>
  count === undefined ? '–' : milliseconds(count);

/** The kernel counts the processor time of all threads but the main one in steps of 10 ms. */
export const formatProcessorTime = (count: number | undefined): string =>
  count === 0 ? t('Under 10 ms') : formatDuration(count);

/** Memory is read every 20 ms. */
export const formatMemory = (count: number | undefined): string => {
  if (count === undefined) return '–';
  return count === 0 ? t('Not measured: the run was short') : `${(count / 1_048_576).toFixed(1)} MiB`;
};
