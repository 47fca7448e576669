import type { LedgerEntry } from '@latchkey/sdk';
import { Accordion, Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DownloadCsv } from '../../components/download-csv.tsx';
import { type Column, DataTable, Pages } from '../../components/lists.tsx';
import { KeyName } from '../../components/names.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed, Heading } from '../../components/section.tsx';
import { formatMicros, Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { readAll } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';
import { toCsv } from './csv.ts';
import { GroupedLedger, type Grouping } from './grouped-ledger.tsx';
import { Reason } from './reason.tsx';

const PAGE_SIZE = 25;

const kinds = {
  credit: {
    name: t('credit'),
    color: 'teal',
    sign: '+',
    about: t('Paid in: by card, by the operator, or as starter credit.'),
  },
  reserve: {
    name: t('reserve'),
    color: 'gray',
    sign: '−',
    about: t('Set aside before a write is sent or a second of a run begins. It ends as capture or release.'),
  },
  capture: {
    name: t('capture'),
    color: 'indigo',
    sign: '',
    about: t('Charged: the reserved amount was spent. The credit was already reduced by the reserve.'),
  },
  release: {
    name: t('release'),
    color: 'blue',
    sign: '+',
    about: t('Returned: the write failed, or the second was not needed.'),
  },
  reverse: {
    name: t('reverse'),
    color: 'red',
    sign: '−',
    about: t('Taken back: a refund, a dispute, or by the operator.'),
  },
} as const;

export function Ledger() {
  const { client } = useSession();
  const [shown, setShown] = useState<'entries' | Grouping>('entries');
  const readCsv = async () => {
    const all = await readAll((part) => client.listLedger(part));
    // Pages shift when entries are added while they are read.
    return toCsv([...new Map(all.map((entry) => [entry.number, entry])).values()]);
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Heading>{t('Ledger')}</Heading>
        <Group>
          <SegmentedControl
            aria-label={t('Show the ledger')}
            size="xs"
            value={shown}
            onChange={(value) => setShown(value as typeof shown)}
            data={[
              { value: 'entries', label: t('Entries') },
              { value: 'day', label: t('By day') },
              { value: 'run', label: t('By run') },
            ]}
          />
          <DownloadCsv name="ledger.csv" read={readCsv} />
        </Group>
      </Group>
      {shown === 'entries' ? <Entries /> : <GroupedLedger by={shown} />}
      <Kinds />
    </Stack>
  );
}

/** One page of the entries. */
function Entries() {
  const { client, mode } = useSession();
  const [page, setPage] = useState(1);
  const ledger = useQuery({
    queryKey: ['ledger', 'page', page],
    queryFn: () => client.listLedger({ pageNumber: page - 1, pageSize: PAGE_SIZE }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={ledger} height={400}>
      {({ items, total = 0, archivedEntries }) =>
        total === 0 ? (
          <Dimmed>{t('No entries yet. Each payment and each charge adds some.')}</Dimmed>
        ) : (
          <Stack gap="sm">
            <DataTable
              label={t('Ledger')}
              items={items}
              rowKey={({ number }) => number}
              minWidth={820}
              columns={columns}
            />
            {archivedEntries !== undefined && (
              <Dimmed>
                {t('Charges up to entry {archivedEntries} are archived. Ask the operator for them.', {
                  archivedEntries: archivedEntries.toLocaleString(locale),
                })}
              </Dimmed>
            )}
            <Pages
              total={Math.ceil(total / PAGE_SIZE)}
              value={page}
              onChange={setPage}
              aria-label={t('Pages of the ledger')}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}

const columns: Column<LedgerEntry>[] = [
  { title: t('Number'), cell: ({ number }) => number },
  {
    title: t('Time'),
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    title: t('Kind'),
    cell: ({ kind }) => <Badge color={kinds[kind].color}>{kinds[kind].name}</Badge>,
  },
  { title: t('Reason'), cell: ({ reason }) => <Reason text={reason} /> },
  {
    title: t('Key'),
    cell: ({ keyHash }) => keyHash !== undefined && <KeyName hash={keyHash} />,
  },
  {
    title: t('Amount'),
    ta: 'right',
    props: { style: { whiteSpace: 'nowrap' } },
    cell: ({ kind, amountMicros }) => `${kinds[kind].sign}${formatMicros(amountMicros)}`,
  },
  {
    title: t('Credit after'),
    ta: 'right',
    cell: ({ availableMicrosAfter }) => formatMicros(availableMicrosAfter),
  },
];

function Kinds() {
  return (
    <Accordion variant="contained">
      <Accordion.Item value="kinds">
        <Accordion.Control>{t('Kinds of entries')}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xs">
            {Object.entries(kinds).map(([kind, { name, color, about }]) => (
              <Group key={kind} gap="sm" wrap="nowrap" align="start">
                <Badge color={color} w={84} style={{ flexShrink: 0 }}>
                  {name}
                </Badge>
                <Text size="sm">{about}</Text>
              </Group>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
