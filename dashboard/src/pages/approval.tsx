/** One approval, for its approvers: they need a wallet or a passkey, and no account. */
import type { Approval } from '@latchkey/sdk';
import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Loaded, Page } from '../components/page.tsx';
import { Facts, Section } from '../components/section.tsx';
import { Identifier, Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { toWord } from '../names.ts';
import { Decide, useKeylessClient } from './approvals/decide.tsx';
import { isOpen, State } from './approvals/state.tsx';

const REFRESH_MS = 5_000;

export default function ApprovalPage() {
  const { id } = useParams({ from: '/approvals/$id' });
  const client = useKeylessClient();
  const approval = useQuery({
    queryKey: ['approvals', 'one', id],
    queryFn: () => client.getApproval({ approvalId: id }),
    refetchInterval: ({ state }) => state.data?.state === 'waiting' && REFRESH_MS,
  });
  return (
    <Page
      title={t('Approval')}
      about={t('A run of an action waits. It goes on once when enough of its approvers have signed.')}
    >
      <Loaded query={approval}>{(found) => <Details approval={found} />}</Loaded>
    </Page>
  );
}

function Details({ approval }: { approval: Approval }) {
  return (
    <Stack gap="lg">
      <Section
        title={t('The action says')}
        about={t(
          'This text comes from the action. Sign only when you know the action by its CID, and trust its code.',
        )}
      >
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {approval.summary}
        </Code>
      </Section>
      <Facts
        label={t('Approval')}
        facts={{
          [t('State')]: <State state={approval.state} />,
          [t('Action (CID)')]: <Whole value={approval.cid} />,
          [t('Account')]: <Whole value={toWord(approval.account)} />,
          [t('Hash')]: <Whole value={approval.hash} />,
          [t('Usage key')]: (
            <Identifier value={toWord(approval.usageKeyHash)} label={t('Copy the hash of the key')} />
          ),
          [t('Asked')]: <Time value={approval.createdAt} />,
          [t('Expires')]: <Time value={approval.expiresAt} />,
          [t('Needed')]: t('{threshold} of {count}', {
            threshold: approval.threshold,
            count: approversOf(approval).length,
          }),
          [t('Approvers')]: <Approvers approval={approval} />,
        }}
      />
      {isOpen(approval) && <Decide approval={approval} />}
    </Stack>
  );
}

/** A value to compare, not only to copy. */
function Whole({ value }: { value: string }) {
  return (
    <Text component="span" ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {value}
    </Text>
  );
}

const approversOf = ({ approvers, contractApprovers, passkeyApprovers }: Approval) => [
  ...approvers.map((value) => ({ value, label: t('Copy the address') })),
  ...contractApprovers.map((value) => ({ value, label: t('Copy the address') })),
  ...passkeyApprovers.map((value) => ({ value, label: t('Copy the public key of the passkey') })),
];

function Approvers({ approval }: { approval: Approval }) {
  const { signedBy, refusedBy } = approval;
  return (
    <Stack gap={4}>
      {approversOf(approval).map(({ value, label }) => (
        <Group key={value} gap="xs">
          <Identifier value={value} label={label} />
          {signedBy.includes(value) && <Text size="sm">{t('has signed')}</Text>}
          {refusedBy === value && <Text size="sm">{t('has refused')}</Text>}
        </Group>
      ))}
    </Stack>
  );
}
