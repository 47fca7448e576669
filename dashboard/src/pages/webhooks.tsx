import type { Webhook, WebhookEventType } from '@latchkey/sdk';
import { Button, Checkbox, Group, NumberInput, Stack, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { Deliveries, DeliveryState, WebhookSecret } from '../components/deliveries.tsx';
import { ConfirmButton, DialogButton } from '../components/dialog.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Form, text } from '../components/form.tsx';
import { type Column, DataTable, nameCell } from '../components/lists.tsx';
import { EmptyState, Loaded, Page } from '../components/page.tsx';
import { t } from '../i18n.ts';
import { useSendOnce } from '../session/send-once.ts';
import { useSession } from '../session/session-context.tsx';

const types: { value: WebhookEventType; label: string }[] = [
  { value: 'run.finished', label: t('A run has ended') },
  { value: 'approval.wanted', label: t('A run waits for an approval') },
  { value: 'credit.low', label: t('The credit is low') },
  { value: 'auto_top_up.paused', label: t('The automatic top-up was paused') },
  { value: 'usage_key.removed', label: t('A usage key was removed') },
  { value: 'account.changed', label: t('The account was changed on the chain') },
  { value: 'transaction.broadcast', label: t('A transaction was broadcast, or undone by a reorg') },
  { value: 'transaction.mined', label: t('A transaction was mined') },
  { value: 'transaction.confirmed', label: t('A transaction was confirmed') },
  { value: 'transaction.failed', label: t('A transaction failed') },
  { value: 'transaction.replaced', label: t('A transaction was replaced') },
];

const webhooksKey = ['webhooks'];

export default function Webhooks() {
  return (
    <Page title={t('Webhooks')} about={t('Events of your account are sent to these URLs, signed.')}>
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
    <Stack>
      {/* Not in the list, whose first reload would close the dialog with the secret. */}
      <DialogButton label={t('Add a webhook')} variant="filled" style={{ alignSelf: 'start' }}>
        {(close) => <Add onDone={close} />}
      </DialogButton>
      <Loaded query={webhooks}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={WebhookIcon} title={t('No webhooks yet')}>
              {t('A webhook gets a POST when a run ends, credit is low, or the account changes.')}
            </EmptyState>
          ) : (
            <DataTable
              label={t('Webhooks')}
              items={items}
              isPaged
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
  { title: t('URL'), props: nameCell, cell: ({ url }) => <bdi>{url}</bdi> },
  { title: t('Events'), cell: (webhook) => webhook.types.join(', ') },
  { title: t('State'), cell: (webhook) => <DeliveryState of={webhook} /> },
  {
    title: <VisuallyHidden>{t('Actions')}</VisuallyHidden>,
    ta: 'right',
    cell: (webhook) => <Actions webhook={webhook} />,
  },
];

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
      <DialogButton label={t('Deliveries')} modal={{ size: 'xl' }} {...small}>
        {() => (
          <Deliveries
            queryKey={['webhook deliveries', id]}
            list={(part) => client.listWebhookDeliveries({ webhookId: id, ...part })}
            replay={(which) => client.replayWebhookDeliveries({ webhookId: id, ...which })}
          />
        )}
      </DialogButton>
      <Button onClick={() => toggle.mutate()} loading={toggle.isPending} {...small}>
        {enabled ? t('Disable') : t('Enable')}
      </Button>
      <ConfirmButton
        label={t('Delete')}
        title={t('Delete the webhook')}
        confirm={t('Delete the webhook')}
        send={remove}
        {...small}
      >
        {t('Events are no longer sent to {url}. Its deliveries are deleted.', { url: <bdi>{url}</bdi> })}
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
  if (secret !== undefined) return <WebhookSecret secret={secret} onDone={onDone} />;
  return (
    <Form label={t('Add the webhook')} send={send} onDone={setSecret}>
      <TextInput
        label={t('URL')}
        description={t('https, with a public address')}
        {...text(url, setUrl)}
        required
        data-autofocus
      />
      <Checkbox.Group
        label={t('Events')}
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
        <NumberInput
          label={t('Credit is low below (cents)')}
          value={cents}
          onChange={setCents}
          min={1}
          required
        />
      )}
    </Form>
  );
}
