import type { RunOutput, RunRecord } from '@latchkey/sdk';
import { Stack, Text } from '@mantine/core';
import { CodeBlock, Dimmed, Heading } from '../../components/section.tsx';
import { t } from '../../i18n.ts';

const formatResponse = (response: unknown): string =>
  typeof response === 'string' ? response : JSON.stringify(response, undefined, 2);

/** The recorded output, or how to get one. */
export function Output({ run: { output, status } }: { run: RunRecord }) {
  return (
    <Stack gap="xs">
      <Heading>{t('Output')}</Heading>
      {output ? (
        <Parts output={output} />
      ) : (
        <Dimmed>
          {status === 'running'
            ? t('The output is shown here when the run has ended, if its usage key records output.')
            : t(
                'Not recorded. Choose “Record the output” on the page of the usage key: the records of its later runs then have what they return, log and throw.',
              )}
        </Dimmed>
      )}
    </Stack>
  );
}

function Parts({ output: { response, logs, error } }: { output: RunOutput }) {
  return (
    <Stack gap="sm">
      {error ? (
        <Named title={`${error.name}: ${error.message}`} label={t('Stack of the error')} text={error.stack} />
      ) : (
        <Named title={t('Response')} text={formatResponse(response)} />
      )}
      <Named title={t('Logs')} text={logs} />
    </Stack>
  );
}

function Named({ title, label = title, text }: { title: string; label?: string; text: string }) {
  return (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <CodeBlock label={label}>{text || t('(empty)')}</CodeBlock>
    </>
  );
}
