/** One approval, for its approvers: they need a wallet and no account. */
import { type Approval, createClient, type Wallet } from '@latchkey/sdk';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ChooseWallet } from '../components/choose-wallet.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Loaded, Page } from '../components/page.tsx';
import { Facts, Section } from '../components/section.tsx';
import { Identifier, Time } from '../components/values.tsx';
import { toWord } from '../names.ts';
import { useSessionState } from '../session/session-context.tsx';
import { isOpen, State } from './approvals/state.tsx';

const REFRESH_MS = 5_000;

/** A client without a key: an approval is read by its id, and decided by a signature. */
function useKeylessClient() {
  const { config } = useSessionState();
  return useMemo(() => createClient({ url: config.relayerUrl }), [config.relayerUrl]);
}

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
      title="Approval"
      about="A run of an action waits. It goes on once when enough of its approvers have signed."
    >
      <Loaded query={approval}>{(found) => <Details approval={found} />}</Loaded>
    </Page>
  );
}

function Details({ approval }: { approval: Approval }) {
  return (
    <Stack gap="lg">
      <Section
        title="The action says"
        about="This text comes from the action. Sign only when you know the action by its CID, and trust its code."
      >
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {approval.summary}
        </Code>
      </Section>
      <Facts
        label="Approval"
        facts={{
          State: <State state={approval.state} />,
          'Action (CID)': <Whole value={approval.cid} />,
          Account: <Whole value={toWord(approval.account)} />,
          Hash: <Whole value={approval.hash} />,
          'Usage key': <Identifier value={toWord(approval.usageKeyHash)} label="the hash of the key" />,
          Asked: <Time value={approval.createdAt} />,
          Expires: <Time value={approval.expiresAt} />,
          Needed: `${approval.threshold} of ${approval.approvers.length + approval.contractApprovers.length}`,
          Approvers: <Approvers approval={approval} />,
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

function Approvers({ approval }: { approval: Approval }) {
  const { approvers, contractApprovers, signedBy, refusedBy } = approval;
  return (
    <Stack gap={4}>
      {[...approvers, ...contractApprovers].map((address) => (
        <Group key={address} gap="xs">
          <Identifier value={address} label="the address" />
          {signedBy.includes(address) && <Text size="sm">has signed</Text>}
          {refusedBy === address && <Text size="sm">has refused</Text>}
        </Group>
      ))}
    </Stack>
  );
}

function Decide({ approval }: { approval: Approval }) {
  const [wallet, setWallet] = useState<Wallet>();
  const queries = useQueryClient();
  const client = useKeylessClient();
  const decide = useMutation({
    mutationFn: async (decision: 'approveRun' | 'refuseRun') => {
      if (wallet) await client[decision]({ approval, wallet });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  if (!wallet)
    return (
      <Section title="Decide" about="Choose the wallet of an approver.">
        <ChooseWallet onConnect={(connected) => setWallet(connected.wallet)} />
      </Section>
    );
  const { address } = wallet.account;
  if (![...approval.approvers, ...approval.contractApprovers].includes(address))
    return (
      <Section title="Decide">
        <Text size="sm">The wallet {address} is not an approver of this run.</Text>
        <Button variant="default" onClick={() => setWallet(undefined)}>
          Choose another wallet
        </Button>
      </Section>
    );
  return (
    <Section title="Decide" about="Your wallet shows the same values. Signing is free.">
      {decide.error && <ErrorMessage error={decide.error} />}
      <Group>
        <Button
          onClick={() => decide.mutate('approveRun')}
          loading={decide.isPending}
          disabled={approval.signedBy.includes(address)}
        >
          Approve
        </Button>
        <Button
          variant="outline"
          color="red"
          onClick={() => decide.mutate('refuseRun')}
          loading={decide.isPending}
        >
          Refuse
        </Button>
      </Group>
    </Section>
  );
}
