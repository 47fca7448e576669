import type { RunActionResult } from '@latchkey/sdk';
import { Alert, Button, Group, JsonInput, PasswordInput, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ActionName, useKeyName } from '../../components/names.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros } from '../../components/values.tsx';
import { useSession } from '../../session/session-context.tsx';
import { formatResponse, Lines } from './output.tsx';

function readParams(text: string): { [name: string]: unknown } | undefined {
  if (text.trim() === '') return undefined;
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The parameters are not a JSON object: write {"name": "value"}.');
  return value as { [name: string]: unknown };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs the action of a record again. The usage key is asked for, and forgotten with the form. */
export function Replay({ cid, usageKeyHash }: { cid: string; usageKeyHash: bigint }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const keyName = useKeyName()(usageKeyHash);
  const [params, setParams] = useState('');
  const [usageKey, setUsageKey] = useState('');
  const [logs, setLogs] = useState('');
  const run = useMutation({
    mutationFn: () => {
      setLogs('');
      return client.runAction(
        { ipfsId: cid, jsParams: readParams(params), usageKey: usageKey.trim() },
        { onLog: (text) => setLogs((before) => before + text) },
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['runs', 'list'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" component="div">
          Runs <ActionName cid={cid} /> again, as a new run that costs credit. What the first one did is not
          undone.
        </Text>
        <JsonInput
          label="Parameters"
          description="Records have none: enter those that main(params) needs, as a JSON object."
          placeholder="{}"
          value={params}
          onChange={setParams}
          validationError="This is not JSON."
          formatOnBlur
          autosize
          minRows={3}
          maxRows={12}
        />
        <PasswordInput
          label="Usage key"
          description={`Records have hashes of keys only. ${keyName ? `The first run used “${keyName}”.` : ''} The key stays in the memory of this form.`}
          value={usageKey}
          onChange={({ currentTarget }) => setUsageKey(currentTarget.value)}
          autoComplete="off"
          required
        />
        {(run.isPending || run.data) && (
          <div role="log" aria-label="Output of the run">
            <Lines text={run.isPending && logs === '' ? 'Running…' : (run.data?.logs ?? logs)} label="Logs" />
          </div>
        )}
        {run.error && <ErrorMessage error={run.error} />}
        {run.data && <Result result={run.data} />}
        <Group justify="end">
          <Button type="submit" loading={run.isPending}>
            Run the action
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Result({ result: { hasError, error, response, costMicros, runId } }: { result: RunActionResult }) {
  return (
    <Alert
      color={hasError ? 'red' : 'teal'}
      icon={hasError ? <IconX aria-hidden /> : <IconCheck aria-hidden />}
      title={hasError ? `The run failed: ${error?.name ?? 'Error'}` : 'The run succeeded'}
      role="status"
    >
      <Stack gap="xs">
        {error ? (
          <Text size="sm">{error.message}</Text>
        ) : (
          <Lines text={formatResponse(response)} label="Response" />
        )}
        <Text size="sm">
          It cost {formatMicros(costMicros)}.{' '}
          <TextLink to="/runs/$id" params={{ id: runId }} size="sm" c="inherit">
            Open its record
          </TextLink>
        </Text>
      </Stack>
    </Alert>
  );
}
