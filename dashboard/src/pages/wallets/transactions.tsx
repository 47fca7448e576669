/** The transactions of a wallet. */
import type { ListTransactionsParameters, WalletTransaction } from '@latchkey/sdk';
import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Address, formatEther } from 'viem';
import { type Column, DataTable, LoadMore } from '../../components/lists.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Identifier, Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';

const PAGE_SIZE = 25;

const statuses = {
  queued: [t('Queued'), 'gray'],
  broadcast: [t('Broadcast'), 'blue'],
  mined: [t('Mined'), 'blue'],
  confirmed: [t('Confirmed'), 'teal'],
  replaced: [t('Replaced'), 'yellow'],
  failed: [t('Failed'), 'red'],
} as const;

export function TransactionStatus({ transaction: { status } }: { transaction: WalletTransaction }) {
  const [name, color] = statuses[status];
  return <Badge color={color}>{name}</Badge>;
}

/** The name of a chain: transactions have its id only. */
export function useChainName(): (chainId: number) => string {
  const { chain } = useSessionState();
  return (chainId) => (chainId === chain.chainId ? chain.chainName : t('Chain {chainId}', { chainId }));
}

/** A link to a page of a block explorer, which is another site. */
export function ExplorerLink({ url, children }: { url: string; children: ReactNode }) {
  if (!/^https?:\/\//.test(url)) return children;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" underline="always">
      {children}
    </Anchor>
  );
}

export function Transactions({ wallet }: { wallet: Address }) {
  const { client, mode } = useSession();
  const chainName = useChainName();
  const query = useInfiniteQuery({
    queryKey: ['transactions', wallet],
    queryFn: ({ pageParam }) => client.listTransactions(pageParam),
    initialPageParam: { wallet, pageSize: PAGE_SIZE } as ListTransactionsParameters,
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={query} height={80}>
      {({ pages }) => {
        const found = pages.flatMap(({ items }) => items);
        if (found.length === 0)
          return <Dimmed>{t('No action has sent a transaction of this wallet.')}</Dimmed>;
        return (
          <Stack gap="sm">
            <Explorers wallet={wallet} transactions={found} />
            <DataTable
              label={t('Transactions')}
              items={found}
              rowKey={({ id }) => id}
              minWidth={640}
              columns={columns(chainName)}
            />
            <LoadMore query={query} label={t('Show earlier transactions')} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

const columns = (chainName: (chainId: number) => string): Column<WalletTransaction>[] => [
  {
    title: t('Time'),
    cell: ({ id, createdAt }) => (
      <TextLink to="/transactions/$id" params={{ id }} size="sm" style={{ whiteSpace: 'nowrap' }}>
        <Time value={createdAt} />
      </TextLink>
    ),
  },
  { title: t('Status'), cell: (transaction) => <TransactionStatus transaction={transaction} /> },
  { title: t('Chain'), cell: ({ chainId }) => chainName(chainId) },
  {
    title: t('To'),
    cell: ({ to }) => (to ? <Identifier value={to} label={t('Copy the recipient')} /> : t('A new contract')),
  },
  { title: t('Value'), ta: 'right', cell: ({ value }) => formatEther(value) },
  { title: t('Hash'), cell: ({ hash }) => hash && <Identifier value={hash} label={t('Copy the hash')} /> },
];

/** The page of the wallet at the explorer of each chain on which it sent something: explorers have their paths from EIP-3091. */
function Explorers({
  wallet,
  transactions,
}: {
  wallet: Address;
  transactions: readonly WalletTransaction[];
}) {
  const chainName = useChainName();
  const urls = new Map(
    transactions.flatMap(({ chainId, explorerUrl }) =>
      explorerUrl ? [[chainId, explorerUrl] as const] : [],
    ),
  );
  if (urls.size === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm">{t('The wallet in the explorer of')}</Text>
      {[...urls].map(([chainId, url]) => (
        <ExplorerLink key={chainId} url={url.replace(/\/tx\/[^/]*$/, `/address/${wallet}`)}>
          {chainName(chainId)}
        </ExplorerLink>
      ))}
    </Group>
  );
}
