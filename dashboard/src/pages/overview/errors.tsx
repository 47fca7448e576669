import type { RunRecord } from '@latchkey/sdk';
import { Stack, Table, Text, Title } from '@mantine/core';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/values.tsx';

/** Failed runs by the name of their error, the most frequent first. */
function byName(runs: readonly RunRecord[]): { name: string; count: number; newest: RunRecord }[] {
  const failed = runs.filter(({ status }) => status === 'failed');
  const groups = Map.groupBy(failed, ({ errorName }) => errorName ?? 'Error');
  return [...groups]
    .map(([name, [newest, ...others]]) => ({
      name,
      count: 1 + others.length,
      newest: newest as RunRecord,
    }))
    .sort((one, other) => other.count - one.count);
}

export function Errors({ runs }: { runs: readonly RunRecord[] }) {
  const errors = byName(runs);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Errors
      </Title>
      {errors.length === 0 ? (
        <Text size="sm" c="dimmed">
          No run failed in this period.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={320}>
          <Table aria-label="Errors">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Error</Table.Th>
                <Table.Th ta="right">Runs</Table.Th>
                <Table.Th>Newest</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {errors.map(({ name, count, newest }) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <TextLink to="/runs" search={{ status: 'failed', error: name }} size="sm">
                      {name}
                    </TextLink>
                  </Table.Td>
                  <Table.Td ta="right">{count.toLocaleString('en')}</Table.Td>
                  <Table.Td>
                    <TextLink to="/runs/$id" params={{ id: newest.id }} size="sm">
                      <Time value={newest.startedAt} />
                    </TextLink>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
