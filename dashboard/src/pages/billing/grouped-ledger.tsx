/** The newest ledger entries, added up by day or by run. */
import type { LedgerEntry, PageParameters } from '@latchkey/sdk';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../components/lists.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed } from '../../components/section.tsx';
import { formatMicros, Time } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';
import { READ_LIMIT, readSince } from '../overview/history.ts';
import { Reason } from './reason.tsx';

export type Grouping = 'day' | 'run';

export type LedgerGroup = {
  /** A day, or the reason of charges. */
  name: string;
  paidMicros: bigint;
  chargedMicros: bigint;
  takenBackMicros: bigint;
  /** Time of the newest entry. */
  at: Date;
};

const sums = { credit: 'paidMicros', capture: 'chargedMicros', reverse: 'takenBackMicros' } as const;

/** Adds up payments, charges and what was taken back. Reserves and releases move credit within the account. */
export function groupEntries(entries: readonly LedgerEntry[], by: Grouping): LedgerGroup[] {
  const groups = new Map<string, LedgerGroup>();
  for (const { kind, reason, amountMicros, createdAt: at } of entries) {
    if (kind === 'reserve' || kind === 'release' || (by === 'run' && kind !== 'capture')) continue;
    const name = by === 'run' ? reason : at.toLocaleDateString(locale, { dateStyle: 'medium' });
    const group = groups.get(name) ?? { name, paidMicros: 0n, chargedMicros: 0n, takenBackMicros: 0n, at };
    group[sums[kind]] += amountMicros;
    groups.set(name, group);
  }
  return [...groups.values()];
}

export function GroupedLedger({ by }: { by: Grouping }) {
  const { client, mode } = useSession();
  const entries = useQuery({
    queryKey: ['ledger', 'newest'],
    queryFn: () =>
      readSince<LedgerEntry, PageParameters>(
        () => true,
        (page) => client.listLedger(page),
        { pageSize: 1_000 },
      ),
    staleTime: 60_000,
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={entries} height={400}>
      {({ items, isCut }) => (
        <Stack gap="sm">
          <DataTable
            label={by === 'day' ? t('Ledger by day') : t('Ledger by run')}
            items={groupEntries(items, by)}
            isPaged
            rowKey={({ name }) => name}
            minWidth={520}
            columns={columns[by]}
          />
          {isCut && (
            <Dimmed>
              {t('Added up from the newest {limit} entries.', {
                limit: READ_LIMIT.toLocaleString(locale),
              })}
            </Dimmed>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

const amount = (
  title: string,
  field: 'paidMicros' | 'chargedMicros' | 'takenBackMicros',
): Column<LedgerGroup> => ({
  title,
  ta: 'right',
  cell: (group) => formatMicros(group[field]),
});

const columns: { [by in Grouping]: Column<LedgerGroup>[] } = {
  day: [
    { title: t('Day'), cell: ({ name }) => name },
    amount(t('Paid in'), 'paidMicros'),
    amount(t('Charged'), 'chargedMicros'),
    amount(t('Taken back'), 'takenBackMicros'),
  ],
  run: [
    { title: t('Run or write'), cell: ({ name }) => <Reason text={name} /> },
    { title: t('Time'), cell: ({ at }) => <Time value={at} /> },
    amount(t('Charged'), 'chargedMicros'),
  ],
};
