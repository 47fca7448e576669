/** One run: its record, output and receipt; stop and replay. */
import type { RunRecord } from '@latchkey/sdk';
import { Button, Code, Group, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { RefreshCwIcon, RepeatIcon, SquareIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ConfirmButton, DialogButton } from '../components/dialog.tsx';
import { ActionName, KeyName, WalletName } from '../components/names.tsx';
import { Loaded, Missing, Page } from '../components/page.tsx';
import { Receipt } from '../components/receipt.tsx';
import { Facts } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { formatMicros, Identifier, Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useSession } from '../session/session-context.tsx';
import { Output } from './runs/output.tsx';
import { Replay } from './runs/replay.tsx';
import { formatDuration, formatMemory, formatProcessorTime, Status } from './runs/status.tsx';
import { TriggerOfRun } from './runs/trigger.tsx';

const REFRESH_MS = 1_500;

export default function Run() {
  const { id } = useParams({ from: '/runs/$id' });
  return (
    <Page
      title={t('Run')}
      about={t('<link>All runs</link> · The record has no code and no parameters.', {
        link: (inner) => (
          <TextLink to="/runs" size="sm">
            {inner}
          </TextLink>
        ),
      })}
    >
      <CreditAccess>
        <LoadedRun id={id} />
      </CreditAccess>
    </Page>
  );
}

function LoadedRun({ id }: { id: string }) {
  const { client, mode } = useSession();
  const run = useQuery({
    queryKey: ['runs', 'one', id],
    queryFn: () => client.getRun({ runId: id }),
    refetchOnWindowFocus: mode === 'api',
    // A wallet is asked to sign again only when the user does something.
    refetchInterval: ({ state }) => mode === 'api' && state.data?.status === 'running' && REFRESH_MS,
  });
  return (
    <Loaded
      query={run}
      missing={
        <Missing
          title={t('There is no such run')}
          why={t('Its record may have been deleted after its time.')}
          to="/runs"
        />
      }
    >
      {(record) => <Details run={record} onRefresh={() => void run.refetch()} />}
    </Loaded>
  );
}

function Details({ run, onRefresh }: { run: RunRecord; onRefresh: () => void }) {
  const isRunning = run.status === 'running';
  return (
    <Stack gap="lg">
      <Group>
        {isRunning && <Stop id={run.id} />}
        {run.cid && (
          <DialogButton
            label={t('Replay')}
            title={t('Replay the run')}
            leftSection={<RepeatIcon size={16} aria-hidden />}
            modal={{ size: 'lg' }}
          >
            {() => run.cid && <Replay cid={run.cid} usageKeyHash={run.usageKeyHash} />}
          </DialogButton>
        )}
        {isRunning && (
          <Button variant="subtle" leftSection={<RefreshCwIcon size={16} aria-hidden />} onClick={onRefresh}>
            {t('Refresh')}
          </Button>
        )}
      </Group>
      <Record run={run} />
      <Output run={run} />
      {run.receipt && <Receipt receipt={run.receipt} stated={{ cid: run.cid }} />}
    </Stack>
  );
}

function Stop({ id }: { id: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const stop = async (): Promise<void> => {
    await client.stopRun({ runId: id });
    await queries.invalidateQueries({ queryKey: ['runs'] });
  };
  return (
    <ConfirmButton
      label={t('Stop')}
      title={t('Stop the run')}
      confirm={t('Stop the run')}
      variant="filled"
      leftSection={<SquareIcon size={16} aria-hidden />}
      send={stop}
    >
      {t(
        'The run ends with StoppedError and is charged for the seconds that it used. Requests and signatures that it has already sent are not undone.',
      )}
    </ConfirmButton>
  );
}

function Record({ run }: { run: RunRecord }) {
  const afterEnd = (value: ReactNode): ReactNode =>
    run.status === 'running' ? t('Known when the run has ended') : value;
  return (
    <Facts
      label={t('Record')}
      facts={{
        [t('Status')]: <Status run={run} />,
        [t('Id')]: <Identifier value={run.id} label={t('Copy the id')} />,
        [t('Action')]: run.cid ? <ActionName cid={run.cid} /> : t('Not known yet'),
        [t('Usage key')]: <KeyName hash={run.usageKeyHash} />,
        [t('Trigger')]: <TriggerOfRun run={run} />,
        [t('Started')]: <Time value={run.startedAt} />,
        [t('Ended')]: run.endedAt ? <Time value={run.endedAt} /> : afterEnd('–'),
        [t('Duration')]: afterEnd(formatDuration(run.durationMs)),
        [t('Processor time')]: afterEnd(formatProcessorTime(run.cpuMs)),
        [t('Highest memory')]: afterEnd(formatMemory(run.memoryPeakBytes)),
        [t('Charged')]: run.chargedMicros === undefined ? afterEnd('–') : formatMicros(run.chargedMicros),
        [t('Key functions')]: afterEnd(<KeyOperations run={run} />),
        [t('Hosts of fetch')]: afterEnd(
          run.fetchHosts.length === 0 ? t('None') : <Hosts hosts={run.fetchHosts} />,
        ),
      }}
    />
  );
}

function Hosts({ hosts }: { hosts: readonly string[] }) {
  return hosts.map((host) => (
    <div key={host}>
      <Code>{host}</Code>
    </div>
  ));
}

function KeyOperations({ run: { keyOperations } }: { run: RunRecord }) {
  if (keyOperations.length === 0) return t('None');
  return (
    <Stack gap={4}>
      {keyOperations.map(({ operation, wallet }, i) => (
        <Group key={i} gap="xs">
          <Code>{operation}</Code>
          {wallet && <WalletName address={wallet} />}
        </Group>
      ))}
    </Stack>
  );
}
