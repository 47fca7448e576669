/** Parts of a page. */
import { Card, Code, Group, ScrollArea, Stack, type StackProps, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Heading({ children }: { children: ReactNode }) {
  return (
    <Title order={2} size="h4">
      {children}
    </Title>
  );
}

export function Dimmed({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" maw={640} component="div">
      {children}
    </Text>
  );
}

export function Section({
  title,
  about,
  align,
  children,
}: {
  title: string;
  about?: ReactNode;
  align?: StackProps['align'];
  children: ReactNode;
}) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm" align={align}>
        <div>
          <Heading>{title}</Heading>
          {about && <Dimmed>{about}</Dimmed>}
        </div>
        {children}
      </Stack>
    </Card>
  );
}

/** Names and values in a table. Omits values that are undefined or false. */
export function Facts({ label, facts }: { label: string; facts: { [name: string]: ReactNode } }) {
  return (
    <Table variant="vertical" withTableBorder aria-label={label}>
      <Table.Tbody>
        {Object.entries(facts).map(
          ([name, value]) =>
            value !== undefined &&
            value !== false && (
              <Table.Tr key={name}>
                <Table.Th scope="row" w={{ base: 110, sm: 160 }}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ),
        )}
      </Table.Tbody>
    </Table>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" align="start">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}

const wrapped = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** Text that can be long: it scrolls, also with the keyboard. */
export function CodeBlock({
  label,
  role = 'region',
  children,
}: {
  label: string;
  role?: string | undefined;
  children: ReactNode;
}) {
  return (
    <ScrollArea.Autosize mah={320}>
      <Code block tabIndex={0} role={role} aria-label={label} style={wrapped}>
        {children}
      </Code>
    </ScrollArea.Autosize>
  );
}
