/** The cost of the runs of each usage key in a period. */
import type { RunRecord } from '@latchkey/sdk';
import { Progress, Stack } from '@mantine/core';
import { DataTable } from '../../components/lists.tsx';
import { KeyName } from '../../components/names.tsx';
import { Heading } from '../../components/section.tsx';
import { formatMicros } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { formatDuration } from '../runs/status.tsx';
import { type Period, percentile } from './history.ts';

type KeySpend = { hash: bigint; runs: RunRecord[]; failed: number; micros: bigint };

/** The usage keys of runs, the one that spent most first. */
export function spendByKey(runs: readonly RunRecord[]): KeySpend[] {
  return [...Map.groupBy(runs, ({ usageKeyHash }) => usageKeyHash)]
    .map(([hash, own]) => ({
      hash,
      runs: own,
      failed: own.filter(({ status }) => status === 'failed').length,
      micros: own.reduce((sum, { chargedMicros = 0n }) => sum + chargedMicros, 0n),
    }))
    .sort((one, other) => Number(other.micros - one.micros));
}

export function ByKey({ runs, period }: { runs: readonly RunRecord[]; period: Period }) {
  const keys = spendByKey(runs);
  if (keys.length === 0) return null;
  const most = keys[0]?.micros || 1n;
  return (
    <Stack gap="sm">
      <Heading>{t('Spending on runs by usage key')}</Heading>
      <DataTable
        label={t('Spending by usage key')}
        items={keys}
        isPaged
        rowKey={({ hash }) => String(hash)}
        minWidth={640}
        columns={[
          { title: t('Usage key'), cell: ({ hash }) => <KeyName hash={hash} search={{ period }} /> },
          { title: t('Runs'), ta: 'right', cell: ({ runs }) => runs.length.toLocaleString(locale) },
          { title: t('Failed'), ta: 'right', cell: ({ failed }) => failed.toLocaleString(locale) },
          { title: t('p95'), ta: 'right', cell: ({ runs }) => formatDuration(percentile(runs, 0.95)) },
          { title: t('Spent'), ta: 'right', cell: ({ micros }) => formatMicros(micros) },
          {
            title: t('Beside the other keys'),
            cell: ({ micros }) => (
              <Progress
                value={Number((100n * micros) / most)}
                aria-label={t('Share of the highest spending')}
              />
            ),
          },
        ]}
      />
    </Stack>
  );
}
