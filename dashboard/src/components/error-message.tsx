import { LatchkeyError } from '@latchkey/sdk';
import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { CircleAlertIcon } from 'lucide-react';
import { BaseError } from 'viem';
import { t } from '../i18n.ts';
import { inPageWords } from './api-words.ts';

/** The error, the fix, and the request id by which the operator finds it in the log. */
export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, fix, requestId } = describeError(error);
  return (
    <Alert color="red" icon={<CircleAlertIcon aria-hidden />} role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">{message}</Text>
        {fix && <Text size="sm">{fix}</Text>}
        {requestId && <Text size="xs">{t('Request {code}', { code: <Code>{requestId}</Code> })}</Text>}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

const sentence = (text: string): string => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
};

function describeError(error: unknown): {
  message: string;
  fix?: string | undefined;
  requestId?: string | undefined;
} {
  if (error instanceof LatchkeyError) {
    const { message, fix, requestId, code } = error;
    if (code === 'network')
      return { message: t('The service does not answer.'), fix: t('Check the connection and try again.') };
    return { message: sentence(inPageWords(message)), fix: fix && sentence(inPageWords(fix)), requestId };
  }
  // viem's messages have the whole request.
  if (error instanceof BaseError) return { message: sentence(error.shortMessage) };
  return { message: sentence(error instanceof Error ? error.message : String(error)) };
}
