/** Runs an action: parameters, logs as they come, and the result with its receipt. */
import { cidOf } from '@latchkey/protocol';
import { type ActionSource, createClient, type RunActionResult } from '@latchkey/sdk';
import {
  Badge,
  Button,
  Code,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CheckIcon, PlayIcon, SquareIcon, XIcon } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { parseObject } from '../../components/json-object.ts';
import { Receipt } from '../../components/receipt.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, Identifier } from '../../components/values.tsx';
import { useSendOnce } from '../../session/send-once.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';

export function RunPanel({ source, initialParams }: { source: ActionSource; initialParams: string }) {
  const { client } = useSession();
  const { config } = useSessionState();
  const queries = useQueryClient();
  const [usageKey, setUsageKey] = useState('');
  const [text, setText] = useState(initialParams);
  const [live, setLive] = useState({ runId: '', logs: '' });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const params = parseObject(text);
  const sendOnce = useSendOnce();

  const run = useMutation({
    mutationFn: async (): Promise<Ran> => {
      if ('error' in params) throw new Error(params.error);
      const jsParams = params.value;
      setLive({ runId: '', logs: '' });
      const request = { ...source, jsParams, usageKey: usageKey.trim() };
      const result = await sendOnce(request, (idempotencyKey) =>
        client.runAction(request, {
          idempotencyKey,
          signal: leaving.current.signal,
          onStart: ({ runId }) => setLive((now) => ({ ...now, runId })),
          onLog: (line) => setLive((now) => ({ ...now, logs: now.logs + line })),
        }),
      );
      // The reply to a run that is sent again does not say it.
      const cid = source.code === undefined ? source.cid : await cidOf(source.code);
      return { result, cid, jsParams };
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['runs', 'list'] }),
  });
  const stop = useMutation({
    // With the usage key, so that a wallet signs nothing.
    mutationFn: () =>
      createClient({ url: config.relayerUrl, apiKey: usageKey.trim() }).stopRun({ runId: live.runId }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    stop.reset();
    run.mutate();
  };
  const logs = run.data?.result.logs ?? live.logs;
  return (
    <Paper withBorder p="md" radius="md" component="section" aria-label="Run">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Title order={2} size="h4">
            Run
          </Title>
          <PasswordInput
            label="Usage key"
            description="It must be permitted to run this action. It stays in the memory of this page."
            value={usageKey}
            onChange={({ currentTarget }) => setUsageKey(currentTarget.value)}
            autoComplete="off"
            required
          />
          <Textarea
            label="Parameters"
            description="A JSON object, which main gets."
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={'error' in params ? params.error : undefined}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
          <Group gap="xs">
            <Button
              type="submit"
              leftSection={<PlayIcon size={16} aria-hidden />}
              loading={run.isPending}
              disabled={'error' in params}
            >
              Run the action
            </Button>
            {run.isPending && live.runId !== '' && (
              <Button
                variant="default"
                leftSection={<SquareIcon size={16} aria-hidden />}
                loading={stop.isPending}
                onClick={() => stop.mutate()}
              >
                Stop the run
              </Button>
            )}
          </Group>
          {run.error && <ErrorMessage error={run.error} />}
          {stop.error && <ErrorMessage error={stop.error} />}
          {(run.isPending || run.data) && <Output name="Logs" text={logs} none="No output yet." role="log" />}
          {run.data && <Result ran={run.data} />}
        </Stack>
      </form>
    </Paper>
  );
}

function Output({ name, text, none, role }: { name: string; text: string; none: string; role?: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Code
        block
        tabIndex={0}
        role={role ?? 'region'}
        aria-label={name}
        mah={320}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text === '' ? none : text}
      </Code>
    </div>
  );
}

/** A run that has ended. */
type Ran = { result: RunActionResult; cid: string; jsParams: { [name: string]: unknown } };

function Result({ ran: { result, cid, jsParams } }: { ran: Ran }) {
  const { response, hasError, error, runId, costMicros, receipt } = result;
  return (
    <Stack gap="sm">
      <Group gap="lg" role="status">
        <Badge
          variant="default"
          leftSection={hasError ? <XIcon size={12} aria-hidden /> : <CheckIcon size={12} aria-hidden />}
        >
          {hasError ? 'Failed' : 'Success'}
        </Badge>
        <Fact name="Cost">{formatMicros(costMicros)}</Fact>
        {receipt && <Fact name="Duration">{receipt.message.durationMs.toLocaleString('en')} ms</Fact>}
        <Fact name="Run">
          <Identifier value={runId} label="the id of the run" />{' '}
          <TextLink to="/runs/$id" params={{ id: runId }} size="sm">
            Open its record
          </TextLink>
        </Fact>
      </Group>
      {error ? (
        <Output name="Error" text={error.stack || `${error.name}: ${error.message}`} none="No message." />
      ) : (
        <Output
          name="Response"
          text={typeof response === 'string' ? response : JSON.stringify(response, null, 2)}
          none="main returned nothing."
        />
      )}
      {receipt ? (
        <Receipt receipt={receipt} stated={{ cid, jsParams, response: hasError ? undefined : response }} />
      ) : (
        <Text size="sm">This run has no receipt: it ended before its code began.</Text>
      )}
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group gap={6}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </Group>
  );
}
