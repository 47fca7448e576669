import type { RunRecord } from '@latchkey/sdk';
import { Stack } from '@mantine/core';
import { DataTable } from '../../components/lists.tsx';
import { ActionName } from '../../components/names.tsx';
import { Dimmed, Heading } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { toWord } from '../../names.ts';

type ErrorCount = { name: string; count: number; newest: RunRecord };

/** Failed runs by the name of their error and their action, the most frequent first. */
export function countErrors(runs: readonly RunRecord[]): ErrorCount[] {
  const failed = runs.filter(({ status }) => status === 'failed');
  const groups = Map.groupBy(failed, ({ errorName = 'Error', cid }) => JSON.stringify([errorName, cid]));
  return [...groups.values()]
    .flatMap(([newest, ...others]) =>
      newest ? [{ name: newest.errorName ?? 'Error', count: 1 + others.length, newest }] : [],
    )
    .sort((one, other) => other.count - one.count);
}

/** With `usageKeyHash` the runs are those of one usage key. */
export function Errors({ runs, usageKeyHash }: { runs: readonly RunRecord[]; usageKeyHash?: bigint }) {
  const errors = countErrors(runs);
  const filters = {
    status: 'failed',
    ...(usageKeyHash !== undefined && { key: toWord(usageKeyHash) }),
  } as const;
  return (
    <Stack gap="sm">
      <Heading>{t('Errors')}</Heading>
      {errors.length === 0 ? (
        <Dimmed>{t('No run failed in this period.')}</Dimmed>
      ) : (
        <DataTable
          label={t('Errors')}
          items={errors}
          isPaged
          rowKey={({ newest }) => newest.id}
          minWidth={480}
          columns={[
            {
              title: t('Error'),
              cell: ({ name, newest: { cid } }) => (
                <TextLink
                  to="/runs"
                  search={{ ...filters, error: name, ...(cid !== undefined && { cid }) }}
                  size="sm"
                >
                  {name}
                </TextLink>
              ),
            },
            { title: t('Runs'), ta: 'right', cell: ({ count }) => count.toLocaleString(locale) },
            {
              title: t('Newest'),
              cell: ({ newest }) => (
                <TextLink to="/runs/$id" params={{ id: newest.id }} size="sm">
                  <Time value={newest.startedAt} />
                </TextLink>
              ),
            },
            { title: t('Action'), cell: ({ newest: { cid } }) => cid && <ActionName cid={cid} /> },
          ]}
        />
      )}
    </Stack>
  );
}
