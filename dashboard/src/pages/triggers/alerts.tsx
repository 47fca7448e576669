/** The alert webhook: where the trigger service tells about triggers that need attention. */
import type { AlertWebhook, TriggersClient } from '@latchkey/sdk';
import { Alert, Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BellIcon } from 'lucide-react';
import { useState } from 'react';
import { Deliveries, DeliveryState, WebhookSecret } from '../../components/deliveries.tsx';
import { ConfirmButton, DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form, text } from '../../components/form.tsx';
import { EmptyState, Loaded, Page } from '../../components/page.tsx';
import { Facts, Heading } from '../../components/section.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { WithTriggers } from '../../session/triggers.tsx';

const queryKey = ['alerts'];
type Client = { client: TriggersClient };

export default function Alerts() {
  return (
    <Page
      title={t('Alerts')}
      about={t(
        'The service sends an alert when a trigger fails several times in a row, is paused by the service, or waits for credit.',
      )}
    >
      <WithTriggers>{(client) => <AlertsOf client={client} />}</WithTriggers>
    </Page>
  );
}

function AlertsOf({ client }: Client) {
  const alerts = useQuery({ queryKey, queryFn: async () => (await client.getAlerts()) ?? null });
  return (
    <Loaded query={alerts}>
      {(found) =>
        found ? (
          <Webhook client={client} found={found} />
        ) : (
          <EmptyState icon={BellIcon} title={t('No alerts yet')} action={<SetAlerts client={client} />}>
            {t('Alerts are POST requests to a URL of yours, signed.')}
          </EmptyState>
        )
      }
    </Loaded>
  );
}

function Webhook({ client, found }: Client & { found: AlertWebhook }) {
  const refresh = useRefresh();
  const test = useMutation({ mutationFn: async () => (await client.testAlerts()) ?? null });
  const remove = async (): Promise<void> => {
    await client.removeAlerts();
    await refresh();
  };
  return (
    <Stack>
      <Facts
        label={t('Alerts')}
        facts={{
          [t('URL')]: <bdi>{found.url}</bdi>,
          [t('After failures')]: t('{afterFailures} in a row', { afterFailures: found.afterFailures }),
          [t('State')]: <DeliveryState of={found} />,
          [t('Changed')]: <Time value={found.updatedAt} />,
        }}
      />
      {test.error && <ErrorMessage error={test.error} />}
      {test.data !== undefined && (
        <Alert color={test.data === null ? 'teal' : 'orange'} role="status">
          {test.data === null
            ? t('The test alert was delivered.')
            : t('The test alert was not delivered: {reason}.', { reason: test.data })}
        </Alert>
      )}
      <Group>
        <SetAlerts client={client} found={found} />
        <Button variant="default" onClick={() => test.mutate()} loading={test.isPending}>
          {t('Send a test alert')}
        </Button>
        <ConfirmButton
          label={t('Delete')}
          title={t('Delete the alerts')}
          confirm={t('Delete the alerts')}
          send={remove}
        >
          {t('Alerts are no longer sent. Waiting ones are deleted.')}
        </ConfirmButton>
      </Group>
      <Heading>{t('Sent alerts')}</Heading>
      <Deliveries
        queryKey={[...queryKey, 'deliveries']}
        list={(part) => client.listAlertDeliveries(part)}
        replay={(which) => client.replayAlerts(which)}
      />
    </Stack>
  );
}

/** The button of the form that sets the webhook. */
function SetAlerts({ client, found }: Client & { found?: AlertWebhook }) {
  return (
    <DialogButton label={found ? t('Change') : t('Set up alerts')} variant={found ? 'default' : 'filled'}>
      {(close) => <Settings client={client} found={found} onDone={close} />}
    </DialogButton>
  );
}

function Settings({
  client,
  found,
  onDone,
}: Client & { found: AlertWebhook | undefined; onDone: () => void }) {
  const refresh = useRefresh();
  const [url, setUrl] = useState(found?.url ?? '');
  const [failures, setFailures] = useState<number | string>(found?.afterFailures ?? 3);
  const [secret, setSecret] = useState<string>();
  const done = (): void => {
    onDone();
    void refresh();
  };
  const send = async (): Promise<true> => {
    const stored = await client.setAlerts({ url: url.trim(), afterFailures: Number(failures) });
    if (stored.secret === undefined) done();
    else setSecret(stored.secret);
    return true;
  };
  if (secret !== undefined) return <WebhookSecret secret={secret} onDone={done} />;
  return (
    <Form label={t('Save the alerts')} send={send}>
      <TextInput
        label={t('URL')}
        description={t('https, with a public address')}
        {...text(url, setUrl)}
        required
        data-autofocus
      />
      <NumberInput
        label={t('After failed runs in a row')}
        value={failures}
        onChange={setFailures}
        min={1}
        max={1_000}
        required
      />
    </Form>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey });
}
