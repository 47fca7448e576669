import { Box, Button, Center, Group, Loader, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { ErrorMessage } from './error-message.tsx';

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
  useDocumentTitle(`${title} · Latchkey`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="start">
        <Box>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm" mt={4} maw={640} component="div">
              {about}
            </Text>
          )}
        </Box>
        {action}
      </Group>
      {children}
    </Stack>
  );
}

/** A page without content yet: what the things are, why one wants them, and the button that makes the first. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: ComponentType<{ size?: number }>;
  title: string;
  children: ReactNode;
  action?: { label: string; onClick: () => void };
}) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="sm" ta="center">
        <ThemeIcon variant="light" size={48} radius="xl" aria-hidden>
          <Icon size={24} />
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" size="sm" maw={480}>
          {children}
        </Text>
        {action && <Button onClick={action.onClick}>{action.label}</Button>}
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
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number;
  children: (data: Data) => ReactNode;
}) {
  const error = query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data !== undefined)
    return (
      <>
        {error && <Box mb="md">{error}</Box>}
        {children(query.data)}
      </>
    );
  if (error) return error;
  return (
    <Center mih={height} role="status" aria-label="Loading">
      <Loader aria-hidden />
    </Center>
  );
}
