import type { RunRecord } from '@latchkey/sdk';
import { Stack } from '@mantine/core';
import { DataTable } from '../../components/lists.tsx';
import { Dimmed, Heading } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';

/** Failed runs by the name of their error, the most frequent first. */
function byName(runs: readonly RunRecord[]): { name: string; count: number; newest: RunRecord }[] {
  const failed = runs.filter(({ status }) => status === 'failed');
  const groups = Map.groupBy(failed, ({ errorName }) => errorName ?? 'Error');
  return [...groups]
    .map(([name, [newest, ...others]]) => ({
      name,
      count: 1 + others.length,
      newest: newest as RunRecord,
    }))
    .sort((one, other) => other.count - one.count);
}

export function Errors({ runs }: { runs: readonly RunRecord[] }) {
  const errors = byName(runs);
  return (
    <Stack gap="sm">
      <Heading>Errors</Heading>
      {errors.length === 0 ? (
        <Dimmed>No run failed in this period.</Dimmed>
      ) : (
        <DataTable
          label="Errors"
          items={errors}
          of="errors"
          rowKey={({ name }) => name}
          minWidth={320}
          columns={[
            {
              title: 'Error',
              cell: ({ name }) => (
                <TextLink to="/runs" search={{ status: 'failed', error: name }} size="sm">
                  {name}
                </TextLink>
              ),
            },
            { title: 'Runs', ta: 'right', cell: ({ count }) => count.toLocaleString('en') },
            {
              title: 'Newest',
              cell: ({ newest }) => (
                <TextLink to="/runs/$id" params={{ id: newest.id }} size="sm">
                  <Time value={newest.startedAt} />
                </TextLink>
              ),
            },
          ]}
        />
      )}
    </Stack>
  );
}
