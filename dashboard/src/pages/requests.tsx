import type { AccountRequest, ListRequestsParameters } from '@latchkey/sdk';
import { Badge, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ActivityIcon } from 'lucide-react';
import { useState } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ListEnd } from '../components/list-end.tsx';
import { type Column, DataTable, WithNote } from '../components/lists.tsx';
import { KeyName } from '../components/names.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Copy, formatMicros, Time } from '../components/values.tsx';
import { locale, t } from '../i18n.ts';
import { nameOfKey, toWord } from '../names.ts';
import { useUsageKeys } from '../queries.ts';
import { useSession, useSessionState } from '../session/session-context.tsx';
import { curlOf } from './requests/curl.ts';
import { outcomeNames, readShown, type Shown, toParameters } from './requests/shown.ts';
import { formatDuration } from './runs/status.tsx';

const PAGE_SIZE = 50;
/** The relayer stores requests every second. */
const LIVE_MS = 2_000;

export default function Requests() {
  return (
    <Page
      title={t('Requests')}
      about={t(
        'Requests with a key of the account in the last 7 days, refused ones too. Their bodies and keys are not stored.',
      )}
    >
      <CreditAccess>
        <RequestList />
      </CreditAccess>
    </Page>
  );
}

function useRequests(shown: Shown, isLive: boolean) {
  const { client, mode } = useSession();
  return useInfiniteQuery({
    queryKey: ['requests', shown],
    initialPageParam: { ...toParameters(shown), pageSize: PAGE_SIZE } as ListRequestsParameters,
    queryFn: ({ pageParam }) => client.listRequests(pageParam),
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
    // A refresh reads every page again.
    refetchInterval: ({ state: { data } }) => isLive && (data?.pages.length ?? 1) === 1 && LIVE_MS,
  });
}

function RequestList() {
  const { mode } = useSession();
  const shown = useSearch({ from: '/requests' });
  const navigate = useNavigate();
  // A wallet is asked to sign again only when the user does something.
  const [isLive, setLive] = useState(mode === 'api');
  const requests = useRequests(shown, isLive);
  const found = requests.data?.pages.flatMap(({ items }) => items) ?? [];
  const { relayerUrl } = useSessionState().config;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <Filter
          shown={shown}
          found={found}
          onChange={(search) => void navigate({ to: '/requests', search, replace: true })}
        />
        {mode === 'api' && (
          <Switch
            label={t('Live')}
            checked={isLive}
            onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          />
        )}
      </Group>
      <Loaded query={requests}>
        {() => (
          <Stack>
            {found.length === 0 ? (
              <EmptyState icon={ActivityIcon} title={t('No requests')}>
                {t(
                  'A request appears here about a second after its end, with its key, its status, its time and its price.',
                )}
              </EmptyState>
            ) : (
              <DataTable
                label={t('Requests')}
                items={found}
                rowKey={({ id }) => id}
                minWidth={900}
                columns={columnsOf(relayerUrl)}
              />
            )}
            <ListEnd query={requests} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}

function Filter({
  shown,
  found,
  onChange,
}: {
  shown: Shown;
  found: readonly AccountRequest[];
  onChange: (shown: Shown) => void;
}) {
  const { data: keys = [] } = useUsageKeys();
  const routes = [...new Set([...found.map(({ route }) => route), ...(shown.route ? [shown.route] : [])])];
  const [chosen] = Object.entries(shown);
  return (
    <Select
      label={t('Show')}
      placeholder={t('All requests')}
      clearable
      clearButtonProps={{ 'aria-label': t('Show all requests') }}
      searchable
      w={{ base: '100%', xs: 320 }}
      value={chosen ? chosen.join(' ') : null}
      onChange={(value) => {
        const [name = '', text] = value?.split(' ') ?? [];
        onChange(readShown({ [name]: text }));
      }}
      data={[
        {
          group: t('Status'),
          items: Object.entries(outcomeNames).map(([value, label]) => ({ value: `outcome ${value}`, label })),
        },
        {
          group: t('Usage key'),
          items: keys.map((key) => ({ value: `key ${toWord(key.usageKeyHash)}`, label: nameOfKey(key) })),
        },
        { group: t('Route'), items: routes.map((route) => ({ value: `route ${route}`, label: route })) },
      ]}
    />
  );
}

const colors = { success: 'teal', refused: 'yellow', failed: 'red', aborted: 'gray' } as const;

const noteOf = ({ error, omitted }: AccountRequest): string =>
  [
    error?.replaceAll('_', ' '),
    omitted > 0 && t('{omitted} more in this second', { omitted: omitted.toLocaleString(locale) }),
  ]
    .filter(Boolean)
    .join(', ');

const columnsOf = (relayerUrl: string): Column<AccountRequest>[] => [
  {
    title: t('Ended'),
    cell: ({ at }) => <Time value={at} />,
  },
  {
    title: t('Request'),
    cell: (request) => (
      <WithNote note={noteOf(request)}>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {request.method} {request.route}
        </Text>
      </WithNote>
    ),
  },
  {
    title: t('Status'),
    cell: ({ status, outcome }) => (
      <Badge color={colors[outcome]} autoContrast>
        {status ?? outcomeNames[outcome]}
      </Badge>
    ),
  },
  { title: t('Key'), cell: ({ keyHash }) => <KeyName hash={keyHash} /> },
  { title: t('Duration'), ta: 'right', cell: ({ durationMs }) => formatDuration(durationMs) },
  { title: t('Cost'), ta: 'right', cell: ({ chargedMicros }) => formatMicros(chargedMicros) },
  {
    title: t('More'),
    cell: (request) => (
      <Group gap={4} wrap="nowrap">
        <Copy value={curlOf(relayerUrl, request)} label={t('Copy as curl')} />
        {request.outcome === 'success' && request.route.endsWith('/svc_action') && (
          <TextLink
            to="/runs/$id"
            params={{ id: request.requestId }}
            size="sm"
            style={{ whiteSpace: 'nowrap' }}
          >
            {t('Run')}
          </TextLink>
        )}
      </Group>
    ),
  },
];
