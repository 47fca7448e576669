/** The cost of the runs of each usage key in a period. */
import type { RunRecord } from '@latchkey/sdk';
import { Progress, Stack } from '@mantine/core';
import { DataTable } from '../../components/lists.tsx';
import { KeyName } from '../../components/names.tsx';
import { Heading } from '../../components/section.tsx';
import { formatMicros } from '../../components/values.tsx';
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
      <Heading>Spending on runs by usage key</Heading>
      <DataTable
        label="Spending by usage key"
        items={keys}
        of="usage keys"
        rowKey={({ hash }) => String(hash)}
        minWidth={640}
        columns={[
          { title: 'Usage key', cell: ({ hash }) => <KeyName hash={hash} search={{ period }} /> },
          { title: 'Runs', ta: 'right', cell: ({ runs }) => runs.length.toLocaleString('en') },
          { title: 'Failed', ta: 'right', cell: ({ failed }) => failed.toLocaleString('en') },
          { title: 'p95', ta: 'right', cell: ({ runs }) => formatDuration(percentile(runs, 0.95)) },
          { title: 'Spent', ta: 'right', cell: ({ micros }) => formatMicros(micros) },
          {
            title: 'Beside the other keys',
            cell: ({ micros }) => (
              <Progress value={Number((100n * micros) / most)} aria-label="Share of the highest spending" />
            ),
          },
        ]}
      />
    </Stack>
  );
}
