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
      title="Run"
      about={
        <>
          <TextLink to="/runs" size="sm">
            All runs
          </TextLink>{' '}
          · The record has no code and no parameters.
        </>
      }
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
      missing={<Missing one="run" why="Its record may have been deleted after its time." to="/runs" />}
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
            label="Replay"
            title="Replay the run"
            leftSection={<RepeatIcon size={16} aria-hidden />}
            modal={{ size: 'lg' }}
          >
            {() => run.cid && <Replay cid={run.cid} usageKeyHash={run.usageKeyHash} />}
          </DialogButton>
        )}
        {isRunning && (
          <Button variant="subtle" leftSection={<RefreshCwIcon size={16} aria-hidden />} onClick={onRefresh}>
            Refresh
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
      label="Stop"
      title="Stop the run"
      confirm="Stop the run"
      variant="filled"
      leftSection={<SquareIcon size={16} aria-hidden />}
      send={stop}
    >
      The run ends with StoppedError and is charged for the seconds that it used. Requests and signatures that
      it has already sent are not undone.
    </ConfirmButton>
  );
}

function Record({ run }: { run: RunRecord }) {
  const afterEnd = (value: ReactNode): ReactNode =>
    run.status === 'running' ? 'Known when the run has ended' : value;
  return (
    <Facts
      label="Record"
      facts={{
        Status: <Status run={run} />,
        Id: <Identifier value={run.id} label="the id" />,
        Action: run.cid ? <ActionName cid={run.cid} /> : 'Not known yet',
        'Usage key': <KeyName hash={run.usageKeyHash} />,
        Trigger: <TriggerOfRun run={run} />,
        Started: <Time value={run.startedAt} />,
        Ended: run.endedAt ? <Time value={run.endedAt} /> : afterEnd('–'),
        Duration: afterEnd(formatDuration(run.durationMs)),
        'Processor time': afterEnd(formatProcessorTime(run.cpuMs)),
        'Highest memory': afterEnd(formatMemory(run.memoryPeakBytes)),
        Charged: run.chargedMicros === undefined ? afterEnd('–') : formatMicros(run.chargedMicros),
        'Key functions': afterEnd(<KeyOperations run={run} />),
        'Hosts of fetch': afterEnd(run.fetchHosts.length === 0 ? 'None' : <Hosts hosts={run.fetchHosts} />),
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
  if (keyOperations.length === 0) return 'None';
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
