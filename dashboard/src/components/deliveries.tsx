/** Deliveries of a webhook, of the relayer or of the trigger service: their list, replay, the state of the webhook and its secret. */
import type { Page, WebhookDelivery } from '@latchkey/sdk';
import { Alert, Badge, Button, Code, Stack, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { t } from '../i18n.ts';
import { useSession } from '../session/session-context.tsx';
import { ErrorMessage } from './error-message.tsx';
import { type Column, DataTable, LoadMore } from './lists.tsx';
import { Loaded } from './page.tsx';
import { Dimmed } from './section.tsx';
import { Unsaved } from './unsaved.tsx';
import { SecretText, Time } from './values.tsx';

type Part = { pageSize?: number | undefined; before?: string | undefined };

const DAY_MS = 86_400_000;
const statuses = {
  delivered: { name: t('Delivered'), color: 'teal' },
  waiting: { name: t('Waiting'), color: 'blue' },
  failed: { name: t('Failed'), color: 'red' },
};

export function Deliveries({
  queryKey,
  list,
  replay: send,
}: {
  queryKey: readonly string[];
  list: (part: Part) => Promise<Page<WebhookDelivery, Part>>;
  replay: (which: { deliveryId: string } | { failedSince: Date }) => Promise<number>;
}) {
  const { mode } = useSession();
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => list(pageParam),
    initialPageParam: { pageSize: 50 } as Part,
    getNextPageParam: ({ nextPage }) => nextPage,
    refetchOnWindowFocus: mode === 'api',
  });
  const replay = useMutation({
    mutationFn: send,
    onSuccess: async (count) => {
      await queries.invalidateQueries({ queryKey });
      notifications.show({ message: t('Events that are sent again: {count}.', { count }), color: 'teal' });
    },
  });
  return (
    <Loaded query={query}>
      {({ pages }) =>
        pages[0]?.items.length === 0 ? (
          <Dimmed>{t('Nothing was sent yet.')}</Dimmed>
        ) : (
          <Stack>
            {replay.error && <ErrorMessage error={replay.error} />}
            <DataTable
              label={t('Deliveries')}
              items={pages.flatMap(({ items }) => items)}
              isPaged
              rowKey={({ id }) => id}
              minWidth={520}
              columns={[
                ...deliveryColumns,
                replayOf(replay.isPending, (deliveryId) => replay.mutate({ deliveryId })),
              ]}
            />
            <LoadMore query={query} label={t('Show earlier deliveries')} />
            <Button
              variant="default"
              onClick={() => replay.mutate({ failedSince: new Date(Date.now() - DAY_MS) })}
              loading={replay.isPending}
            >
              {t('Replay what failed in the last day')}
            </Button>
          </Stack>
        )
      }
    </Loaded>
  );
}

/** The column of the buttons that send a delivery again. */
const replayOf = (isPending: boolean, onReplay: (id: string) => void): Column<WebhookDelivery> => ({
  title: <VisuallyHidden>{t('Replay')}</VisuallyHidden>,
  ta: 'right',
  cell: ({ id, status }) =>
    status !== 'waiting' && (
      <Button size="xs" variant="subtle" onClick={() => onReplay(id)} loading={isPending}>
        {t('Replay')}
      </Button>
    ),
});

const deliveryColumns: Column<WebhookDelivery>[] = [
  { title: t('Event'), cell: ({ type }) => <Code>{type}</Code> },
  { title: t('Time'), cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: t('Status'),
    cell: ({ status }) => <Badge color={statuses[status].color}>{statuses[status].name}</Badge>,
  },
  { title: t('Attempts'), cell: ({ attempts }) => attempts },
  {
    title: t('Last result'),
    cell: ({ responseStatus, error }) => (
      <Text size="sm" component="span">
        {error ?? responseStatus ?? '–'}
      </Text>
    ),
  },
];

/** Whether events are sent, and why not. */
export function DeliveryState({
  of: { enabled, disabledReason, failingSince },
}: {
  of: { enabled: boolean; disabledReason?: string | undefined; failingSince?: Date | undefined };
}) {
  if (!enabled)
    return (
      <>
        <Badge color="red">{t('Disabled')}</Badge> {disabledReason}
      </>
    );
  if (!failingSince) return <Badge color="teal">{t('Enabled')}</Badge>;
  return t('<badge>Failing</badge> since {time}', {
    badge: (inner) => <Badge color="orange">{inner}</Badge>,
    time: <Time value={failingSince} />,
  });
}

/** The secret of a webhook, which is shown once. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert title={t('Store the secret now: it is not shown again')}>
        {t('Verify events with a library of Standard Webhooks and this secret.')}
      </Alert>
      <SecretText value={secret} label={t('Secret')} copy={t('Copy the secret')} />
      <Unsaved isLost={() => true}>{t('This is the only copy of the secret. Store it first.')}</Unsaved>
      <Button onClick={onDone}>{t('Done')}</Button>
    </Stack>
  );
}
