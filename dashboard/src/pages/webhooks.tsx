import type {
  ListWebhookDeliveriesParameters,
  Webhook,
  WebhookDelivery,
  WebhookEventType,
} from '@latchkey/sdk';
import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Code,
  Group,
  NumberInput,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ConfirmButton, DialogButton } from '../components/dialog.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Form, text } from '../components/form.tsx';
import { type Column, DataTable, LoadMore, nameCell } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { Unsaved } from '../components/unsaved.tsx';
import { SecretText, Time } from '../components/values.tsx';
import { useSendOnce } from '../session/send-once.ts';
import { useSession } from '../session/session-context.tsx';

const types: { value: WebhookEventType; label: string }[] = [
  { value: 'run.finished', label: 'A run has ended' },
  { value: 'approval.wanted', label: 'A run waits for an approval' },
  { value: 'credit.low', label: 'The credit is low' },
  { value: 'usage_key.removed', label: 'A usage key was removed' },
  { value: 'account.changed', label: 'The account was changed on the chain' },
  { value: 'transaction.broadcast', label: 'A transaction was broadcast, or undone by a reorg' },
  { value: 'transaction.mined', label: 'A transaction was mined' },
  { value: 'transaction.confirmed', label: 'A transaction was confirmed' },
  { value: 'transaction.failed', label: 'A transaction failed' },
  { value: 'transaction.replaced', label: 'A transaction was replaced' },
];

const webhooksKey = ['webhooks'];

export default function Webhooks() {
  return (
    <Page title="Webhooks" about="Events of your account are sent to these URLs, signed.">
      <CreditAccess>
        <WebhookList />
      </CreditAccess>
    </Page>
  );
}

function WebhookList() {
  const { client, mode } = useSession();
  const webhooks = useQuery({
    queryKey: webhooksKey,
    queryFn: () => client.listWebhooks(),
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Stack align="start">
      {/* Not in the list, whose first reload would close the dialog with the secret. */}
      <DialogButton label="Add a webhook" variant="filled">
        {(close) => <Add onDone={close} />}
      </DialogButton>
      <Loaded query={webhooks}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={WebhookIcon} title="No webhooks yet">
              A webhook gets a POST when a run ends, credit is low, or the account changes.
            </EmptyState>
          ) : (
            <DataTable
              label="Webhooks"
              items={items}
              of="webhooks"
              rowKey={({ id }) => id}
              minWidth={640}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Stack>
  );
}

const columns: Column<Webhook>[] = [
  { title: 'URL', props: nameCell, cell: ({ url }) => <bdi>{url}</bdi> },
  { title: 'Events', cell: (webhook) => webhook.types.join(', ') },
  { title: 'State', cell: (webhook) => <State webhook={webhook} /> },
  {
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    ta: 'right',
    cell: (webhook) => <Actions webhook={webhook} />,
  },
];

function State({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!enabled)
    return (
      <>
        <Badge color="red">Disabled</Badge> {disabledReason}
      </>
    );
  if (!failingSince) return <Badge color="teal">Enabled</Badge>;
  return (
    <>
      <Badge color="orange">Failing</Badge> since <Time value={failingSince} />
    </>
  );
}

function Actions({ webhook: { id, url, enabled } }: { webhook: Webhook }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: webhooksKey });
  const toggle = useMutation({
    mutationFn: () => client.updateWebhook({ webhookId: id, enabled: !enabled }),
    onSuccess: changed,
  });
  const remove = async (): Promise<void> => {
    await client.removeWebhook({ webhookId: id });
    await changed();
  };
  const small = { size: 'xs', variant: 'subtle' } as const;
  return (
    <Group justify="end" gap={4}>
      {toggle.error && <ErrorMessage error={toggle.error} />}
      <DialogButton label="Deliveries" modal={{ size: 'xl' }} {...small}>
        {() => <Deliveries webhookId={id} />}
      </DialogButton>
      <Button onClick={() => toggle.mutate()} loading={toggle.isPending} {...small}>
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <ConfirmButton
        label="Delete"
        title="Delete the webhook"
        confirm="Delete the webhook"
        send={remove}
        {...small}
      >
        Events are no longer sent to <bdi>{url}</bdi>. Its deliveries are deleted.
      </ConfirmButton>
    </Group>
  );
}

function Add({ onDone }: { onDone: () => void }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const sendOnce = useSendOnce();
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<WebhookEventType[]>(['run.finished']);
  const [cents, setCents] = useState<number | string>(500);
  const [secret, setSecret] = useState<string>();
  const send = async (): Promise<string> => {
    const threshold = chosen.includes('credit.low') && { creditLowCents: Number(cents) };
    const webhook = { url: url.trim(), types: chosen, ...threshold };
    const added = await sendOnce(webhook, (idempotencyKey) => client.addWebhook(webhook, { idempotencyKey }));
    await queries.invalidateQueries({ queryKey: webhooksKey });
    return added.secret;
  };
  if (secret !== undefined) return <Secret secret={secret} onDone={onDone} />;
  return (
    <Form label="Add the webhook" send={send} onDone={setSecret}>
      <TextInput
        label="URL"
        description="https, with a public address"
        {...text(url, setUrl)}
        required
        data-autofocus
      />
      <Checkbox.Group
        label="Events"
        value={chosen}
        onChange={(values) => setChosen(values as WebhookEventType[])}
      >
        <Stack gap="xs" mt="xs">
          {types.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      {chosen.includes('credit.low') && (
        <NumberInput label="Credit is low below (cents)" value={cents} onChange={setCents} min={1} required />
      )}
    </Form>
  );
}

function Secret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert title="Store the secret now: it is not shown again">
        Verify events with a library of Standard Webhooks and this secret.
      </Alert>
      <SecretText value={secret} label="Secret" />
      <Unsaved isLost={() => true}>This is the only copy of the secret. Store it first.</Unsaved>
      <Button onClick={onDone}>Done</Button>
    </Stack>
  );
}

const DAY_MS = 86_400_000;
const colors = { delivered: 'teal', waiting: 'blue', failed: 'red' };

function Deliveries({ webhookId }: { webhookId: string }) {
  const { client, mode } = useSession();
  const queries = useQueryClient();
  const queryKey = ['webhook deliveries', webhookId];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => client.listWebhookDeliveries(pageParam),
    initialPageParam: { webhookId, pageSize: 50 } as ListWebhookDeliveriesParameters,
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
  });
  const replay = useMutation({
    mutationFn: (which: { deliveryId: string } | { failedSince: Date }) =>
      client.replayWebhookDeliveries({ webhookId, ...which }),
    onSuccess: async (count) => {
      await queries.invalidateQueries({ queryKey });
      notifications.show({ message: `Events that are sent again: ${count}.`, color: 'teal' });
    },
  });
  const replayOf: Column<WebhookDelivery> = {
    title: <VisuallyHidden>Replay</VisuallyHidden>,
    ta: 'right',
    cell: ({ id, status }) =>
      status !== 'waiting' && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => replay.mutate({ deliveryId: id })}
          loading={replay.isPending}
        >
          Replay
        </Button>
      ),
  };
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <Stack>
          {replay.error && <ErrorMessage error={replay.error} />}
          <DataTable
            label="Deliveries"
            items={pages.flatMap(({ items }) => items)}
            of="deliveries"
            rowKey={({ id }) => id}
            minWidth={520}
            columns={[...deliveryColumns, replayOf]}
          />
          <LoadMore query={query} label="Show earlier deliveries" />
          <Button
            variant="default"
            onClick={() => replay.mutate({ failedSince: new Date(Date.now() - DAY_MS) })}
            loading={replay.isPending}
          >
            Replay what failed in the last day
          </Button>
        </Stack>
      )}
    </Loaded>
  );
}

const deliveryColumns: Column<WebhookDelivery>[] = [
  { title: 'Event', cell: ({ type }) => <Code>{type}</Code> },
  { title: 'Time', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: 'Status',
    cell: ({ status }) => <Badge color={colors[status]}>{status}</Badge>,
  },
  { title: 'Attempts', cell: ({ attempts }) => attempts },
  {
    title: 'Last result',
    cell: ({ responseStatus, error }) => (
      <Text size="sm" component="span">
        {error ?? responseStatus ?? '–'}
      </Text>
    ),
  },
];
