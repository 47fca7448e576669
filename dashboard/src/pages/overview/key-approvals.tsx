import { Alert, Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlertIcon } from 'lucide-react';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSessionState } from '../../session/session-context.tsx';

/** `/health` of the relayer. Unix seconds. */
type Health = { key_approvals?: { node: number; since: number; until: number }[] };

const timeOf = (unixSec: number) => new Date(1_000 * unixSec);

/** Lists the key nodes that wait before they deal in a newly approved group, as the relayer sees them. Empty when no node waits. */
export function KeyApprovals() {
  const { relayerUrl } = useSessionState().config;
  const { data: approvals = [] } = useQuery({
    queryKey: ['key approvals'],
    // The status does not matter: a relayer with an unhealthy part replies 503 with the same body.
    queryFn: async ({ signal }) => {
      const response = await fetch(new URL('/health', relayerUrl), { signal });
      return ((await response.json()) as Health).key_approvals ?? [];
    },
    retry: false,
  });
  if (approvals.length === 0) return null;
  return (
    <Alert
      icon={<TriangleAlertIcon aria-hidden />}
      color="yellow"
      title={t('Key nodes wait for their operators')}
      mb="lg"
    >
      <Text size="sm">
        {t(
          'The contract approved a new group of key nodes. t nodes of this group can derive every key once the nodes deal in it:',
        )}
      </Text>
      <List size="sm" my="xs">
        {approvals.map(({ node, since, until }) => (
          <List.Item key={node}>
            {t('Key node {node} waits since {since}, and deals in the group {until}.', {
              node,
              since: <Time value={timeOf(since)} />,
              until: <Time value={timeOf(until)} />,
            })}
          </List.Item>
        ))}
      </List>
      <Text size="sm">
        {t(
          'The operator of a node decides on its machine: {code} ends the wait, {code2} keeps the node out. An approval that no operator expected must be refused.',
          { code: <Code>npm run keys -- accept</Code>, code2: <Code>npm run keys -- refuse</Code> },
        )}
      </Text>
    </Alert>
  );
}
