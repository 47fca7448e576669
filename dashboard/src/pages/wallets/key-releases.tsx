/** Releases of a wallet's key by the key nodes. */
import type { KeyRelease } from '@latchkey/sdk';
import { Alert, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Address } from 'viem';
import { type Column, DataTable, LoadMore } from '../../components/lists.tsx';
import { ActionName, KeyName } from '../../components/names.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';

const purposes: Record<string, string> = {
  wallet: t('Used by an action'),
  sign: t('Signed for an action'),
  'mint-wallet': t('Wallet made'),
  'wallet-address': t('Address signed'),
};

const columns: Column<KeyRelease>[] = [
  { title: t('Time'), cell: ({ time }) => <Time value={time} /> },
  { title: t('Purpose'), cell: ({ kind }) => purposes[kind] ?? kind },
  { title: t('Action'), cell: ({ cid }) => cid !== undefined && <ActionName cid={cid} /> },
  {
    title: t('Usage key'),
    cell: ({ usageKeyHash }) => usageKeyHash !== undefined && <KeyName hash={usageKeyHash} />,
  },
  {
    title: t('Run'),
    cell: ({ runId }) =>
      runId !== undefined && (
        <TextLink to="/runs/$id" params={{ id: runId }} size="sm">
          {runId.slice(0, 8)}
        </TextLink>
      ),
  },
  { title: t('Nodes'), cell: ({ nodes }) => nodes.length },
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
            <Dimmed>
              {t(
                'Each time the key nodes gave the key of this wallet to a run, or signed with another of its keys. Each node numbers and signs its list, so that no entry can be left out.',
              )}
            </Dimmed>
            {missing.length > 0 && (
              <Alert
                color="yellow"
                title={t('Key nodes that have not answered: {count}', { count: missing.length })}
              >
                {t('Releases that only they know are not in the list.')}
              </Alert>
            )}
            <DataTable
              label={t('Key releases')}
              items={releases}
              isPaged
              rowKey={({ statement, time }) => `${statement} ${time.getTime()}`}
              minWidth={640}
              columns={columns}
            />
            <LoadMore query={query} label={t('Show earlier releases')} />
          </Stack>
        );
      }}
    </Loaded>
  );
}
