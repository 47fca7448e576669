import type { RunOutput, RunRecord } from '@latchkey/sdk';
import { Code, ScrollArea, Stack, Text, Title } from '@mantine/core';

const formatResponse = (response: unknown): string =>
  typeof response === 'string' ? response : JSON.stringify(response, undefined, 2);

/** Text that can be long: it scrolls, also with the keyboard. */
function Lines({ text, label }: { text: string; label: string }) {
  return (
    <ScrollArea.Autosize mah={320}>
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text === '' ? '(empty)' : text}
      </Code>
    </ScrollArea.Autosize>
  );
}

/** The recorded output, or how to get one. */
export function Output({ run: { output, status } }: { run: RunRecord }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Output
      </Title>
      {output ? (
        <Parts output={output} />
      ) : (
        <Text size="sm" c="dimmed">
          {status === 'running'
            ? 'The output is shown here when the run has ended, if its usage key records output.'
            : 'Not recorded. Turn on “Record output” of the usage key: the records of its later runs then have what they return, log and throw.'}
        </Text>
      )}
    </Stack>
  );
}

function Parts({ output: { response, logs, error } }: { output: RunOutput }) {
  return (
    <Stack gap="sm">
      {error ? (
        <>
          <Text size="sm" fw={600}>
            {error.name}: {error.message}
          </Text>
          <Lines text={error.stack} label="Stack of the error" />
        </>
      ) : (
        <>
          <Text size="sm" fw={600}>
            Response
          </Text>
          <Lines text={formatResponse(response)} label="Response" />
        </>
      )}
      <Text size="sm" fw={600}>
        Logs
      </Text>
      <Lines text={logs} label="Logs" />
    </Stack>
  );
}
