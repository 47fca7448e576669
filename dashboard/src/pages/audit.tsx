import type { ListAccountChangesParameters, RecordedChange } from '@latchkey/sdk';
import { Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { visible } from '../components/api-words.ts';
import { CreditAccess } from '../components/credit-access.tsx';
import { DownloadCsv } from '../components/download-csv.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { type Column, DataTable, LoadMore, nameCell, WithNote } from '../components/lists.tsx';
import { Loaded, Page } from '../components/page.tsx';
import { Identifier, Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import type { AccountLists } from '../names.ts';
import { readAll, useAccountLists } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { toCsv, whatOf, whoOf } from './audit/words.ts';

const PAGE_SIZE = 50;

export default function Audit() {
  return (
    <Page
      title={t('History')}
      about={t(
        'Who changed what in the account, and in which transaction. It is read from the chain and cannot be edited.',
      )}
    >
      <CreditAccess>
        <Changes />
      </CreditAccess>
    </Page>
  );
}

/** The lists for names, each empty until it is loaded. */
function useLists(): AccountLists {
  const { groups, keys, actions, wallets } = useAccountLists();
  return {
    groups: groups.data ?? [],
    keys: keys.data ?? [],
    actions: actions.data ?? [],
    wallets: wallets.data ?? [],
  };
}

function Changes() {
  const { client, mode } = useSession();
  const lists = useLists();
  const query = useInfiniteQuery({
    queryKey: ['changes'],
    queryFn: ({ pageParam }) => client.listAccountChanges(pageParam),
    initialPageParam: { pageSize: PAGE_SIZE } as ListAccountChangesParameters,
    getNextPageParam: ({ nextPage }) => nextPage,
    staleTime: 0,
    // A wallet is asked to sign again only when the user does something.
    refetchOnWindowFocus: mode === 'api',
  });
  const readCsv = async () => toCsv(await readAll((page) => client.listAccountChanges(page)), lists);
  return (
    <Loaded query={query} height={400}>
      {({ pages }) => (
        <Stack>
          <Group>
            <DownloadCsv name="history.csv" read={readCsv} />
          </Group>
          <DataTable
            label={t('History')}
            items={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            minWidth={820}
            columns={columnsOf(lists)}
          />
          {query.isFetchNextPageError && <ErrorMessage error={query.error} />}
          <LoadMore query={query} label={t('Show earlier changes')} />
        </Stack>
      )}
    </Loaded>
  );
}

const columnsOf = (lists: AccountLists): Column<RecordedChange>[] => [
  {
    title: t('Time'),
    props: { style: { whiteSpace: 'nowrap' } },
    cell: ({ at }) => <Time value={at} />,
  },
  {
    title: t('What'),
    props: { ...nameCell, maw: 420 },
    cell: (change) => <What change={change} lists={lists} />,
  },
  {
    title: t('Who'),
    props: nameCell,
    cell: (change) => {
      const { who, sent } = whoOf(change, lists);
      return <WithNote note={sent}>{who}</WithNote>;
    },
  },
  {
    title: t('Transaction'),
    cell: ({ transactionHash, blockNumber }) => (
      <WithNote note={t('block {blockNumber}', { blockNumber })}>
        <Identifier value={transactionHash} label={t('Copy the hash of the transaction')} />
      </WithNote>
    ),
  },
];

const linesOf = ({ event, data }: RecordedChange): string[] =>
  `${event} ${JSON.stringify(data, null, 2)}`.split('\n');

/** The sentence, with the whole event behind it. */
function What({ change, lists }: { change: RecordedChange; lists: AccountLists }) {
  return (
    <details>
      <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
        {whatOf(change, lists)}
      </Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {linesOf(change).map(visible).join('\n')}
      </Code>
    </details>
  );
}
