import type { ListRunsParameters } from '@latchkey/sdk';
import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PlayIcon } from 'lucide-react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ListEnd } from '../components/list-end.tsx';
import { DataTable } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { t } from '../i18n.ts';
import { useSession } from '../session/session-context.tsx';
import { runColumns } from './runs/columns.tsx';
import { FilterForm } from './runs/filter-form.tsx';
import { type Filters, toParameters } from './runs/filters.ts';

const PAGE_SIZE = 50;
/** While a run is in progress. */
const REFRESH_MS = 3_000;
/** Other programs start runs. */
const IDLE_REFRESH_MS = 10_000;

export default function Runs() {
  return (
    <Page
      title={t('Runs')}
      about={t('Every run of an action has a record: what ran, under which key, and what it cost.')}
    >
      <CreditAccess>
        <RunList />
      </CreditAccess>
    </Page>
  );
}

function useRuns(filters: Filters) {
  const { client, mode } = useSession();
  return useInfiniteQuery({
    queryKey: ['runs', 'list', filters],
    initialPageParam: { ...toParameters(filters), pageSize: PAGE_SIZE } as ListRunsParameters,
    queryFn: ({ pageParam }) => client.listRuns(pageParam),
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
    // A wallet is asked to sign again only when the user does something.
    refetchInterval: ({ state: { data } }) => {
      if (mode !== 'api' || !data) return false;
      if (data.pages.some(({ items }) => items.some(({ status }) => status === 'running'))) return REFRESH_MS;
      // A refresh reads every page again.
      return data.pages.length === 1 && IDLE_REFRESH_MS;
    },
  });
}

function RunList() {
  const filters = useSearch({ from: '/runs' });
  const navigate = useNavigate();
  const runs = useRuns(filters);
  const found = runs.data?.pages.flatMap(({ items }) => items);
  const setFilters = (search: Filters): void => void navigate({ to: '/runs', search, replace: true });
  return (
    <Stack gap="lg">
      <FilterForm filters={filters} onChange={setFilters} runs={found ?? []} />
      <Loaded query={runs}>
        {() =>
          found?.length === 0 ? (
            <NoRuns isFiltered={Object.keys(filters).length > 0} onClear={() => setFilters({})} />
          ) : (
            <Stack>
              <DataTable
                label={t('Runs')}
                items={found ?? []}
                rowKey={({ id }) => id}
                minWidth={820}
                columns={runColumns}
              />
              <ListEnd query={runs} />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}

function NoRuns({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <EmptyState
      icon={PlayIcon}
      title={t('No run matches the filters')}
      action={<Button onClick={onClear}>{t('Clear the filters')}</Button>}
    >
      {t('Choose a longer time or fewer filters. Records are deleted after a time, by default 30 days.')}
    </EmptyState>
  ) : (
    <EmptyState icon={PlayIcon} title={t('No runs yet')}>
      {t(
        'A run is one execution of an action under a usage key. Run an action from its page, by curl or with the SDK: its record appears here, with what it used and what it cost.',
      )}
    </EmptyState>
  );
}
