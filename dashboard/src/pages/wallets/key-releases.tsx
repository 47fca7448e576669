/** Releases of a wallet's key by the key nodes. */
import type { KeyRelease } from '@latchkey/sdk';
import { Alert, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Address } from 'viem';
import { type Column, DataTable, LoadMore } from '../../components/lists.tsx';
import { ActionName, KeyName } from '../../components/names.tsx';
import { Loaded } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';
import { useSession } from '../../session/session-context.tsx';

const purposes: Record<string, string> = {
  wallet: 'Used by an action',
  sign: 'Signed for an action',
  'mint-wallet': 'Wallet made',
  'wallet-address': 'Address signed',
};

const columns: Column<KeyRelease>[] = [
  { title: 'Time', cell: ({ time }) => <Time value={time} /> },
  { title: 'Purpose', cell: ({ kind }) => purposes[kind] ?? kind },
  { title: 'Action', cell: ({ cid }) => cid !== undefined && <ActionName cid={cid} /> },
  {
    title: 'Usage key',
    cell: ({ usageKeyHash }) => usageKeyHash !== undefined && <KeyName hash={usageKeyHash} />,
  },
  {
    title: 'Run',
    cell: ({ runId }) =>
      runId !== undefined && (
        <TextLink to="/runs/$id" params={{ id: runId }}>
          {runId.slice(0, 8)}
        </TextLink>
      ),
  },
  { title: 'Nodes', cell: ({ nodes }) => nodes.length },
];

export function KeyReleases({ wallet }: { wallet: Address }) {
  const { client, mode } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['key releases', wallet],
    queryFn: ({ pageParam }) => client.listKeyReleases(pageParam),
    initialPageParam: { walletAddress: wallet },
    getNextPageParam: ({ nextPage }) => nextPage,
    // A wallet is asked to sign again only when the user does something.
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const releases = pages.flatMap((page) => page.releases);
        const missing = pages[0]?.missing ?? [];
        return (
          <Stack>
            <Text size="sm">
              Each time the key nodes gave the key of this wallet to a run, or signed with another of its
              keys. Each node numbers and signs its list, so that no entry can be left out.
            </Text>
            {missing.length > 0 && (
              <Alert color="yellow" title={`Key nodes that have not answered: ${missing.length}`}>
                Releases that only they know are not in the list.
              </Alert>
            )}
            <DataTable
              label="Key releases"
              items={releases}
              of="releases"
              rowKey={({ statement, time }) => `${statement} ${time.getTime()}`}
              minWidth={640}
              columns={columns}
            />
            <LoadMore query={query} label="Show earlier releases" />
          </Stack>
        );
      }}
    </Loaded>
  );
}
