/** One run: its record, output and receipt; stop and replay. */
import type { RunRecord } from '@latchkey/sdk';
import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { RefreshCwIcon, RepeatIcon, SquareIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CreditAccess } from '../components/credit-access.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { ActionName, KeyName, WalletName } from '../components/names.tsx';
import { Loaded, Page } from '../components/page.tsx';
import { Receipt } from '../components/receipt.tsx';
import { TextLink } from '../components/text-link.tsx';
import { formatMicros, Identifier, Time } from '../components/values.tsx';
import { useSession } from '../session/session-context.tsx';
import { Output } from './runs/output.tsx';
import { Replay } from './runs/replay.tsx';
import { formatDuration, formatMemory, formatProcessorTime, Status } from './runs/status.tsx';

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
    <Loaded query={run}>{(record) => <Details run={record} onRefresh={() => void run.refetch()} />}</Loaded>
  );
}

function Details({ run, onRefresh }: { run: RunRecord; onRefresh: () => void }) {
  const [isReplaying, replaying] = useDisclosure(false);
  const isRunning = run.status === 'running';
  return (
    <Stack gap="lg">
      <Group>
        {isRunning && <Stop id={run.id} />}
        {run.cid && (
          <Button
            variant="default"
            leftSection={<RepeatIcon size={16} aria-hidden />}
            onClick={replaying.open}
          >
            Replay
          </Button>
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
      <Modal opened={isReplaying} onClose={replaying.close} title="Replay the run" size="lg">
        {run.cid && <Replay cid={run.cid} usageKeyHash={run.usageKeyHash} />}
      </Modal>
    </Stack>
  );
}

function Stop({ id }: { id: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const stop = useMutation({
    mutationFn: () => client.stopRun({ runId: id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      asking.close();
    },
  });
  return (
    <>
      <Button color="red" leftSection={<SquareIcon size={16} aria-hidden />} onClick={asking.open}>
        Stop
      </Button>
      <Modal opened={isAsking} onClose={asking.close} title="Stop the run">
        <Stack>
          <Text size="sm">
            The run ends with StoppedError and is charged for the seconds that it used. What it has already
            sent or signed is not undone.
          </Text>
          {stop.error && <ErrorMessage error={stop.error} />}
          <Group justify="end">
            <Button variant="default" onClick={asking.close}>
              Cancel
            </Button>
            <Button color="red" onClick={() => stop.mutate()} loading={stop.isPending}>
              Stop the run
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Record({ run }: { run: RunRecord }) {
  const isRunning = run.status === 'running';
  const afterEnd = (value: ReactNode): ReactNode => (isRunning ? 'Known when the run has ended' : value);
  const rows: [string, ReactNode][] = [
    ['Status', <Status key="status" run={run} />],
    ['Id', <Identifier key="id" value={run.id} label="the id" />],
    ['Action', run.cid ? <ActionName key="action" cid={run.cid} /> : 'Not known yet'],
    ['Usage key', <KeyName key="key" hash={run.usageKeyHash} />],
    ['Started', <Time key="started" value={run.startedAt} />],
    ['Ended', run.endedAt ? <Time key="ended" value={run.endedAt} /> : afterEnd('–')],
    ['Duration', afterEnd(formatDuration(run.durationMs))],
    ['Processor time', afterEnd(formatProcessorTime(run.cpuMs))],
    ['Highest memory', afterEnd(formatMemory(run.memoryPeakBytes))],
    ['Charged', run.chargedMicros === undefined ? afterEnd('–') : formatMicros(run.chargedMicros)],
    ['Key functions', afterEnd(<KeyOperations key="operations" run={run} />)],
    [
      'Hosts of fetch',
      afterEnd(run.fetchHosts.length === 0 ? 'None' : <Hosts key="hosts" hosts={run.fetchHosts} />),
    ],
  ];
  return (
    <Table variant="vertical" withTableBorder aria-label="Record">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={{ base: 110, sm: 160 }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
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
