/** The approvals that runs of the account asked for. */
import type { Approval, ListApprovalsParameters } from '@latchkey/sdk';
import { Button, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CheckCheckIcon } from 'lucide-react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { ListEnd } from '../components/list-end.tsx';
import { type Column, DataTable } from '../components/lists.tsx';
import { ActionName, KeyName } from '../components/names.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useSession } from '../session/session-context.tsx';
import { isOpen, State } from './approvals/state.tsx';

const PAGE_SIZE = 50;

export default function Approvals() {
  return (
    <Page
      title={t('Approvals')}
      about={t(
        'Runs that wait until enough approvers have signed. Send an approver the link to the approval: a wallet or a passkey is enough there.',
      )}
      action={
        <Button component={Link} to="/approvals/passkey" variant="default">
          {t('New passkey of an approver')}
        </Button>
      }
    >
      <CreditAccess>
        <ApprovalList />
      </CreditAccess>
    </Page>
  );
}

function ApprovalList() {
  const { client, mode } = useSession();
  const approvals = useInfiniteQuery({
    queryKey: ['approvals', 'list'],
    initialPageParam: { pageSize: PAGE_SIZE } as ListApprovalsParameters,
    queryFn: ({ pageParam }) => client.listApprovals(pageParam),
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
  });
  const found = approvals.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Loaded query={approvals}>
      {() =>
        found.length === 0 ? (
          <EmptyState icon={CheckCheckIcon} title={t('No approvals yet')}>
            {t(
              'An action that calls Svc.Actions.requireApproval ends until the wallets and passkeys that its code names have signed.',
            )}
          </EmptyState>
        ) : (
          <Stack>
            <DataTable
              label={t('Approvals')}
              items={found}
              rowKey={({ id }) => id}
              minWidth={820}
              columns={columns}
            />
            <ListEnd query={approvals} />
          </Stack>
        )
      }
    </Loaded>
  );
}

const columns: Column<Approval>[] = [
  {
    title: t('Asked'),
    cell: ({ id, createdAt }) => (
      <TextLink to="/approvals/$id" params={{ id }} size="sm" style={{ whiteSpace: 'nowrap' }}>
        <Time value={createdAt} />
      </TextLink>
    ),
  },
  { title: t('State'), cell: ({ state }) => <State state={state} /> },
  {
    title: t('The action says'),
    cell: ({ summary }) => (
      <Text size="sm" maw={240} truncate title={summary}>
        {summary}
      </Text>
    ),
  },
  { title: t('Action'), cell: ({ cid }) => <ActionName cid={cid} /> },
  { title: t('Usage key'), cell: ({ usageKeyHash }) => <KeyName hash={usageKeyHash} /> },
  {
    title: t('Signed'),
    ta: 'right',
    cell: ({ signedBy, threshold }) => t('{count} of {threshold}', { count: signedBy.length, threshold }),
  },
  {
    title: <VisuallyHidden>{t('Changes')}</VisuallyHidden>,
    ta: 'right',
    cell: (approval) => isOpen(approval) && <End {...approval} />,
  },
];

function End({ id, summary }: Approval) {
  const { client } = useSession();
  const queries = useQueryClient();
  const end = async (): Promise<void> => {
    await client.cancelApproval({ approvalId: id });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <ConfirmButton
      label={t('End')}
      aria-label={t('End the approval: {summary}', { summary })}
      title={t('End the approval')}
      confirm={t('End the approval')}
      send={end}
      size="xs"
      variant="subtle"
    >
      {t('The run that waits for it does not go on, whoever has signed.')}
    </ConfirmButton>
  );
}
