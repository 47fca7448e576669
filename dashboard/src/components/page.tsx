import { LatchkeyError } from '@latchkey/sdk';
import { Box, Center, Group, Loader, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { t } from '../i18n.ts';
import { isMalformedPath } from './api-words.ts';
import { ErrorMessage } from './error-message.tsx';
import { Dimmed, Heading } from './section.tsx';
import { TextLink } from './text-link.tsx';

/** Title, one sentence on what the page is for, its main action, and the content. */
export function Page({
  title,
  about,
  action,
  children,
}: {
  title: string;
  about?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(t('{title} · Latchkey', { title }));
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="start">
        <Box>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && <Dimmed>{about}</Dimmed>}
        </Box>
        {action}
      </Group>
      {children}
    </Stack>
  );
}

/** The page of an item that does not exist. `why` gives a possible reason. */
export function Missing({ title, why, to }: { title: string; why: string; to: string }) {
  return (
    <Page title={title}>
      <Text>
        {why} <TextLink to={to}>{t('Show the list')}</TextLink>.
      </Text>
    </Page>
  );
}

/** An empty list: what its items are for, and the button that makes the first one. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: ComponentType<{ size?: number }>;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="sm" ta="center">
        <ThemeIcon variant="light" size={48} radius="xl" aria-hidden>
          <Icon size={24} />
        </ThemeIcon>
        <Heading>{title}</Heading>
        <Text c="dimmed" size="sm" maw={480}>
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}

/**
 * The content of a query: its height is kept while it loads, and an error has a button to try again. After a failed refresh the
 * error is above the content.
 */
export function Loaded<Data>({
  query,
  height = 240,
  missing,
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number;
  /** Shown when the service has no such item. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (missing && isMissing(query.error)) return missing;
  const error = query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data !== undefined)
    return (
      <>
        {error && <Box mb="md">{error}</Box>}
        {children(query.data)}
      </>
    );
  return error || <Loading height={height} />;
}

/** True for an item that does not exist, also when the path of the page has no well-formed id. */
export function isMissing(error: unknown): boolean {
  return error instanceof LatchkeyError && (error.status === 404 || isMalformedPath(error.message));
}

export function Loading({ height, label = t('Loading') }: { height: number; label?: string }) {
  return (
    <Center mih={height} role="status" aria-label={label}>
      <Loader aria-hidden />
    </Center>
  );
}
