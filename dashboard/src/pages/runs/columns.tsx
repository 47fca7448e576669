/** The columns of a table of runs. */
import type { RunRecord } from '@latchkey/sdk';
import { Text } from '@mantine/core';
import type { Column } from '../../components/lists.tsx';
import { ActionName, KeyName } from '../../components/names.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { formatDuration, Status } from './status.tsx';

export const runColumns: Column<RunRecord>[] = [
  {
    title: t('Started'),
    cell: ({ id, startedAt }) => (
      <TextLink to="/runs/$id" params={{ id }} size="sm" style={{ whiteSpace: 'nowrap' }}>
        <Time value={startedAt} />
      </TextLink>
    ),
  },
  { title: t('Status'), cell: (run) => <Status run={run} /> },
  {
    title: t('Action'),
    cell: ({ cid }) => (cid ? <ActionName cid={cid} /> : <Text size="sm">{t('Not known yet')}</Text>),
  },
  { title: t('Usage key'), cell: ({ usageKeyHash }) => <KeyName hash={usageKeyHash} /> },
  { title: t('Duration'), ta: 'right', cell: ({ durationMs }) => formatDuration(durationMs) },
  {
    title: t('Charged'),
    ta: 'right',
    cell: ({ chargedMicros }) => (chargedMicros === undefined ? '–' : formatMicros(chargedMicros)),
  },
];
