/** The trigger that started a run, as the trigger service knows it. A wallet must log in to read it, so its user asks for it. */
import type { RunRecord } from '@latchkey/sdk';
import { skipToken, useQuery } from '@tanstack/react-query';
import { SmallButton } from '../../components/small-button.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';
import { useTriggersLogin } from '../../session/triggers.tsx';

const REFRESH_MS = 1_500;

export function TriggerOfRun({ run: { id, status } }: { run: RunRecord }) {
  const login = useTriggersLogin();
  const client = login.data;
  const trigger = useQuery({
    // The trigger service knows the id of a run half a second after its code has begun, and when it has ended.
    queryKey: ['triggers', 'of run', id, status],
    queryFn: client
      ? async () => (await client.searchTriggerRuns({ relayerRunId: id, pageSize: 1 })).items[0] ?? null
      : skipToken,
    refetchInterval: ({ state }) => status === 'running' && !state.data && REFRESH_MS,
  });
  const failed = [login, trigger].find(({ error }) => error);
  if (failed && !failed.isFetching)
    return <SmallButton onClick={() => void failed.refetch()}>{t('Not loaded: try again')}</SmallButton>;
  if (!client && !login.isFetching)
    return <SmallButton onClick={() => void login.refetch()}>{t('Log in to the triggers')}</SmallButton>;
  if (trigger.data === undefined) return '…';
  if (trigger.data === null) return t('None');
  const { id: runId, triggerId, triggerName } = trigger.data;
  return t('{trigger}, by its <link>run</link>', {
    trigger: (
      <TextLink to="/triggers/$id" params={{ id: triggerId }} size="sm">
        {triggerName}
      </TextLink>
    ),
    link: (inner) => (
      <TextLink to="/triggers/runs/$runId" params={{ runId }} size="sm">
        {inner}
      </TextLink>
    ),
  });
}
