import type { Agent, Pairing, TriggersClient } from '@latchkey/sdk';
import {
  Alert,
  Button,
  Code,
  Group,
  List,
  Modal,
  Paper,
  Stack,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useInterval } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BotIcon } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../components/error-message.tsx';
import { DataTable } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { describeTime, Time } from '../components/values.tsx';
import { WithTriggers } from '../session/triggers.tsx';

export default function Agents() {
  const [isApproving, approving] = useDisclosure(false);
  return (
    <Page
      title="Agents"
      about="An agent is a program that manages your triggers with a token of its own. It has no key of your account."
      action={<Button onClick={approving.open}>Approve an agent</Button>}
    >
      <WithTriggers>
        {(client) => (
          <>
            <PairedAgents client={client} onApprove={approving.open} />
            <Modal opened={isApproving} onClose={approving.close} title="Approve an agent">
              <Approve client={client} onDone={approving.close} />
            </Modal>
          </>
        )}
      </WithTriggers>
    </Page>
  );
}

function PairedAgents({ client, onApprove }: { client: TriggersClient; onApprove: () => void }) {
  const agents = useQuery({ queryKey: ['agents'], queryFn: () => client.listAgents() });
  const [revoked, setRevoked] = useState<Agent>();
  return (
    <Loaded query={agents}>
      {(items) => (
        <>
          {items.length === 0 ? (
            <EmptyState
              icon={BotIcon}
              title="No agents yet"
              action={{ label: 'Approve an agent', onClick: onApprove }}
            >
              An agent asks for access with <Code>POST /agent/pair</Code> and shows you a link and a code.
              Paste the link here, compare the code, and approve.
            </EmptyState>
          ) : (
            <DataTable
              label="Agents"
              items={items}
              of="agents"
              rowKey={({ id }) => id}
              minWidth={520}
              columns={[
                { title: 'Name', cell: ({ label }) => <bdi>{label}</bdi> },
                { title: 'Paired', cell: ({ createdAt }) => <Time value={createdAt} /> },
                {
                  title: 'Last use',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} /> : 'never'),
                },
                { title: 'Expires', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
                {
                  title: <VisuallyHidden>Revoke</VisuallyHidden>,
                  ta: 'right',
                  cell: (agent) => (
                    <Button size="xs" variant="subtle" color="red" onClick={() => setRevoked(agent)}>
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )}
          <Modal
            opened={revoked !== undefined}
            onClose={() => setRevoked(undefined)}
            title="Revoke the agent"
          >
            {revoked && <Revoke client={client} agent={revoked} onDone={() => setRevoked(undefined)} />}
          </Modal>
        </>
      )}
    </Loaded>
  );
}

function Revoke({ client, agent, onDone }: { client: TriggersClient; agent: Agent; onDone: () => void }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => client.revokeAgent({ agentId: agent.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['agents'] });
      notifications.show({ message: 'The agent was revoked.', color: 'teal' });
      onDone();
    },
  });
  return (
    <Stack>
      <Text size="sm">
        The token of <bdi>{agent.label}</bdi> is refused from now on. Triggers that it made go on.
      </Text>
      {revoke.error && <ErrorMessage error={revoke.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button color="red" onClick={() => revoke.mutate()} loading={revoke.isPending}>
          Revoke the agent
        </Button>
      </Group>
    </Stack>
  );
}

/** Returns the code of a pairing link, or the text itself when it is no link. */
export function codeOf(text: string): string {
  try {
    return new URL(text.trim()).searchParams.get('code') ?? text.trim();
  } catch {
    return text.trim();
  }
}

function Approve({ client, onDone }: { client: TriggersClient; onDone: () => void }) {
  const [link, setLink] = useState('');
  const review = useMutation({ mutationFn: (code: string) => client.reviewPairing({ code }) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    review.mutate(codeOf(link));
  };
  if (review.data)
    return <Review client={client} code={codeOf(link)} pairing={review.data} onDone={onDone} />;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Link that your agent shows"
          value={link}
          onChange={({ currentTarget }) => setLink(currentTarget.value)}
          autoComplete="off"
          required
          data-autofocus
        />
        {review.error && <ErrorMessage error={review.error} />}
        <Button type="submit" loading={review.isPending}>
          Review the agent
        </Button>
      </Stack>
    </form>
  );
}

/** What the agent is, what it gets, and the code to compare. */
function Review({
  client,
  code,
  pairing,
  onDone,
}: {
  client: TriggersClient;
  code: string;
  pairing: Pairing;
  onDone: () => void;
}) {
  const queries = useQueryClient();
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const isExpired = pairing.expiresAt.getTime() <= now;
  const decide = useMutation({
    mutationFn: (isApproved: boolean) =>
      isApproved ? client.approvePairing({ code }) : client.denyPairing({ code }),
    onSuccess: async (_nothing, isApproved) => {
      await queries.invalidateQueries({ queryKey: ['agents'] });
      notifications.show({
        message: isApproved
          ? 'The agent was approved. It appears here when it has fetched its access.'
          : 'The agent was denied.',
        color: isApproved ? 'teal' : 'gray',
      });
      onDone();
    },
  });
  return (
    <Stack>
      <Text size="sm">
        <bdi>
          <strong>{pairing.label}</strong>
        </bdi>{' '}
        asks from {pairing.requestedFrom ?? 'an unknown address'}. Approve only if you started it and it shows
        this code:
      </Text>
      <Paper withBorder p="md" radius="md">
        <Title order={2} ta="center" ff="monospace" style={{ letterSpacing: '0.1em' }}>
          {pairing.userCode}
        </Title>
      </Paper>
      <Text size="sm">For {pairing.validDays} days it can:</Text>
      <List size="sm">
        {pairing.grants.map((grant) => (
          <List.Item key={grant}>{grant}</List.Item>
        ))}
      </List>
      {isExpired ? (
        <Alert color="orange">The request has expired. Ask the agent for a new link.</Alert>
      ) : (
        <Text size="xs" c="dimmed">
          Expires {describeTime(pairing.expiresAt, now)}.
        </Text>
      )}
      {decide.error && <ErrorMessage error={decide.error} />}
      <Group grow>
        <Button
          variant="default"
          onClick={() => decide.mutate(false)}
          loading={decide.isPending && !decide.variables}
        >
          Deny
        </Button>
        <Button
          onClick={() => decide.mutate(true)}
          loading={decide.isPending && decide.variables}
          disabled={isExpired}
        >
          Approve
        </Button>
      </Group>
    </Stack>
  );
}
