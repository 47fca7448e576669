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
import { useSession, useSessionState } from '../../session/session-context.tsx';

const PAGE_SIZE = 25;

const statuses = {
  queued: ['Queued', 'gray'],
  broadcast: ['Broadcast', 'blue'],
  mined: ['Mined', 'blue'],
  confirmed: ['Confirmed', 'teal'],
  replaced: ['Replaced', 'yellow'],
  failed: ['Failed', 'red'],
} as const;

export function TransactionStatus({ transaction: { status } }: { transaction: WalletTransaction }) {
  const [name, color] = statuses[status];
  return <Badge color={color}>{name}</Badge>;
}

/** The name of a chain: transactions have its id only. */
export function useChainName(): (chainId: number) => string {
  const { chain } = useSessionState();
  return (chainId) => (chainId === chain.chainId ? chain.chainName : `Chain ${chainId}`);
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
        if (found.length === 0) return <Dimmed>No action has sent a transaction of this wallet.</Dimmed>;
        return (
          <Stack gap="sm">
            <Explorers wallet={wallet} transactions={found} />
            <DataTable
              label="Transactions"
              items={found}
              rowKey={({ id }) => id}
              minWidth={640}
              columns={columns(chainName)}
            />
            <LoadMore query={query} label="Show earlier transactions" />
          </Stack>
        );
      }}
    </Loaded>
  );
}

const columns = (chainName: (chainId: number) => string): Column<WalletTransaction>[] => [
  {
    title: 'Time',
    cell: ({ id, createdAt }) => (
      <TextLink to="/transactions/$id" params={{ id }} size="sm" style={{ whiteSpace: 'nowrap' }}>
        <Time value={createdAt} />
      </TextLink>
    ),
  },
  { title: 'Status', cell: (transaction) => <TransactionStatus transaction={transaction} /> },
  { title: 'Chain', cell: ({ chainId }) => chainName(chainId) },
  {
    title: 'To',
    cell: ({ to }) => (to ? <Identifier value={to} label="the recipient" /> : 'A new contract'),
  },
  { title: 'Value', ta: 'right', cell: ({ value }) => formatEther(value) },
  { title: 'Hash', cell: ({ hash }) => hash && <Identifier value={hash} label="the hash" /> },
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
      <Text size="sm">The wallet in the explorer of</Text>
      {[...urls].map(([chainId, url]) => (
        <ExplorerLink key={chainId} url={url.replace(/\/tx\/[^/]*$/, `/address/${wallet}`)}>
          {chainName(chainId)}
        </ExplorerLink>
      ))}
    </Group>
  );
}
