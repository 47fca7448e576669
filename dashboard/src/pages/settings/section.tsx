import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about: ReactNode;
  children: ReactNode;
}) {
  return (
    <Card withBorder padding="lg" radius="md" component="section">
      <Stack align="start">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed" maw={640} mt={4} component="div">
            {about}
          </Text>
        </div>
        {children}
      </Stack>
    </Card>
  );
}
