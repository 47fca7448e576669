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
import { useInterval } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { BotIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { visible } from '../components/api-words.ts';
import { ConfirmButton, DialogButton } from '../components/dialog.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Form, text } from '../components/form.tsx';
import { type Column, DataTable, nameCell } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { describeTime, Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { WithTriggers } from '../session/triggers.tsx';

/** The code of a pairing in the fragment of the path, to which the trigger service links. */
const codeInPath = (hash: string): string => new URLSearchParams(hash).get('code') ?? '';

export default function Agents() {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const linked = codeInPath(hash);
  const forget = (): void => void navigate({ to: '/agents', hash: '', replace: true });
  const approve = (
    <DialogButton label={t('Approve an agent')} variant="filled">
      {(close) => <WithTriggers>{(client) => <Approve client={client} onDone={close} />}</WithTriggers>}
    </DialogButton>
  );
  return (
    <Page
      title={t('Agents')}
      about={t(
        'An agent is a program that manages your triggers with a token of its own. It has no key of your account.',
      )}
      action={approve}
    >
      <WithTriggers>
        {(client) => (
          <>
            <PairedAgents client={client} approve={approve} />
            <Modal
              opened={linked !== ''}
              onClose={forget}
              closeOnClickOutside={false}
              title={t('Approve an agent')}
            >
              <Approve client={client} linked={linked} onDone={forget} />
            </Modal>
          </>
        )}
      </WithTriggers>
    </Page>
  );
}

const columns = (client: TriggersClient): Column<Agent>[] => [
  { title: t('Name'), props: nameCell, cell: ({ label }) => <bdi>{visible(label)}</bdi> },
  { title: t('Paired'), cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: t('Last use'), cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} /> : 'never') },
  { title: t('Expires'), cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  {
    title: <VisuallyHidden>{t('Revoke')}</VisuallyHidden>,
    ta: 'right',
    cell: (agent) => <Revoke client={client} agent={agent} />,
  },
];

function PairedAgents({ client, approve }: { client: TriggersClient; approve: ReactNode }) {
  const agents = useQuery({ queryKey: ['agents'], queryFn: () => client.listAgents() });
  return (
    <Loaded query={agents}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={BotIcon} title={t('No agents yet')} action={approve}>
            {t(
              'An agent asks for access with {code} and shows you a link and a code. Paste the link here, compare the code, and approve.',
              { code: <Code>POST /agent/pair</Code> },
            )}
          </EmptyState>
        ) : (
          <DataTable
            label={t('Agents')}
            items={items}
            isPaged
            rowKey={({ id }) => id}
            minWidth={520}
            columns={columns(client)}
          />
        )
      }
    </Loaded>
  );
}

function Revoke({ client, agent }: { client: TriggersClient; agent: Agent }) {
  const queries = useQueryClient();
  const revoke = async (): Promise<void> => {
    await client.revokeAgent({ agentId: agent.id });
    await queries.invalidateQueries({ queryKey: ['agents'] });
    notifications.show({ message: t('The agent was revoked.'), color: 'teal' });
  };
  return (
    <ConfirmButton
      label={t('Revoke')}
      title={t('Revoke the agent')}
      confirm={t('Revoke the agent')}
      size="xs"
      variant="subtle"
      send={revoke}
    >
      {t('The token of {agent} is refused from now on. Triggers that it made go on.', {
        agent: <bdi>{visible(agent.label)}</bdi>,
      })}
    </ConfirmButton>
  );
}

/** Returns the code of a pairing link, or the text itself when it is not a link. */
function codeOf(text: string): string {
  try {
    return new URL(text.trim()).searchParams.get('code') ?? text.trim();
  } catch {
    return text.trim();
  }
}

function Approve({
  client,
  linked = '',
  onDone,
}: {
  client: TriggersClient;
  linked?: string;
  onDone: () => void;
}) {
  const [link, setLink] = useState(linked);
  const [reviewed, setReviewed] = useState<Reviewed>();
  const review = async (): Promise<Reviewed> => {
    const code = codeOf(link);
    return { code, pairing: await client.reviewPairing({ code }) };
  };
  if (reviewed) return <Review client={client} {...reviewed} onDone={onDone} />;
  return (
    <Form label={t('Review the agent')} send={review} onDone={setReviewed}>
      <TextInput
        label={t('Link that your agent shows')}
        {...text(link, setLink)}
        autoComplete="off"
        required
        data-autofocus
      />
    </Form>
  );
}

type Reviewed = { code: string; pairing: Pairing };

/** Lets the user compare the code, and approve or deny. */
function Review({
  client,
  code,
  pairing,
  onDone,
}: Reviewed & { client: TriggersClient; onDone: () => void }) {
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
          ? t('The agent was approved. It appears here when it has fetched its access.')
          : t('The agent was denied.'),
        color: isApproved ? 'teal' : 'gray',
      });
      onDone();
    },
  });
  return (
    <Stack>
      <Asks pairing={pairing} />
      {isExpired ? (
        <Alert color="orange">{t('The request has expired. Ask the agent for a new link.')}</Alert>
      ) : (
        <Text size="xs" c="dimmed">
          {t('Expires {expiresAt}.', { expiresAt: describeTime(pairing.expiresAt, now) })}
        </Text>
      )}
      {decide.error && <ErrorMessage error={decide.error} />}
      <Group grow>
        <Button
          variant="default"
          onClick={() => decide.mutate(false)}
          loading={decide.isPending && !decide.variables}
        >
          {t('Deny')}
        </Button>
        <Button
          onClick={() => decide.mutate(true)}
          loading={decide.isPending && decide.variables}
          disabled={isExpired}
        >
          {t('Approve')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The agent, its code, and its permissions. */
function Asks({ pairing: { label, requestedFrom, userCode, validDays, grants } }: { pairing: Pairing }) {
  return (
    <>
      <Text size="sm">
        {t(
          '{agent} asks from {isKnown, select, true {{requestedFrom}} other {an unknown address}}. Approve only if you started it and it shows this code:',
          {
            agent: (
              <bdi>
                <strong>{visible(label)}</strong>
              </bdi>
            ),
            isKnown: requestedFrom !== undefined,
            requestedFrom,
          },
        )}
      </Text>
      <Paper withBorder p="md" radius="md">
        <Title order={2} ta="center" ff="monospace" style={{ letterSpacing: '0.1em' }}>
          {userCode}
        </Title>
      </Paper>
      <Text size="sm">{t('For {validDays} days it can:', { validDays })}</Text>
      <List size="sm">
        {grants.map((grant) => (
          <List.Item key={grant}>{grant}</List.Item>
        ))}
      </List>
    </>
  );
}
