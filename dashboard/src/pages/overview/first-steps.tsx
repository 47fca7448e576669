import {
  Anchor,
  Center,
  Group,
  List,
  Loader,
  Paper,
  Stack,
  Text,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CheckIcon, CircleDashedIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCreditAccess } from '../../components/credit-access.tsx';
import { useActions, useGroups, useUsageKeys, useWallets } from '../../queries.ts';
import { useSession } from '../../session/session-context.tsx';

/** Undefined while it is not known: before the wallet of a ChainSecured account has signed. */
function useHasRun(): boolean | undefined {
  const { client, mode } = useSession();
  const hasAccess = useCreditAccess();
  const first = useQuery({
    queryKey: ['runs', 'any'],
    queryFn: async () => (await client.listRuns({ pageSize: 1 })).items.length > 0,
    enabled: hasAccess,
    refetchOnWindowFocus: mode === 'api',
  });
  if (first.error) return true;
  return first.data;
}

/** The steps of a new account until its first run, above the page. The page waits until it is known whether to show them. */
export function FirstSteps({ children }: { children: ReactNode }) {
  const wallets = useWallets();
  const actions = useActions();
  const groups = useGroups();
  const keys = useUsageKeys();
  const hasRun = useHasRun();
  const hasAccess = useCreditAccess();
  const lists = [wallets, actions, groups, keys];
  const isUnknown = lists.some(({ isPending }) => isPending) || (hasAccess && hasRun === undefined);
  if (isUnknown)
    return (
      <Center mih={320} role="status" aria-label="Loading">
        <Loader aria-hidden />
      </Center>
    );
  const has = (list: { data?: readonly unknown[] | undefined }): boolean => (list.data?.length ?? 0) > 0;
  const steps = [
    {
      to: '/wallets',
      title: 'Create a wallet',
      why: 'Actions sign and decrypt with it. Its key stays with the service.',
      isDone: has(wallets),
    },
    {
      to: '/actions',
      title: 'Register an action',
      why: 'An action is JavaScript code, named by the CID of its text.',
      isDone: has(actions),
    },
    {
      to: '/groups',
      title: 'Create a group',
      why: 'It says which actions may use which wallets.',
      isDone: has(groups),
    },
    {
      to: '/keys',
      title: 'Create a usage key',
      why: 'Your application runs the actions of a group with it. It cannot change the account.',
      isDone: has(keys),
    },
    {
      to: '/actions',
      title: 'Run the action',
      why: 'Run it from its page with the usage key, and see its output here.',
      isDone: hasRun === true,
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (hasRun || (!hasAccess && done === steps.length - 1)) return children;
  return (
    <>
      <Paper withBorder p="lg" radius="md">
        <Stack>
          <Group justify="space-between">
            <Title order={2} size="h4">
              First steps
            </Title>
            <Text size="sm" c="dimmed">
              {done} of {steps.length} done
            </Text>
          </Group>
          <List listStyleType="none" spacing="sm" aria-label="First steps">
            {steps.map(({ to, title, why, isDone }) => (
              <List.Item
                key={title}
                icon={
                  <ThemeIcon
                    size={24}
                    radius="xl"
                    variant="light"
                    color={isDone ? 'teal' : 'gray'}
                    aria-hidden
                  >
                    {isDone ? <CheckIcon size={16} /> : <CircleDashedIcon size={16} />}
                  </ThemeIcon>
                }
              >
                <Anchor component={Link} to={to} size="sm" fw={600}>
                  {title}
                </Anchor>
                <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
                <Text size="sm" c="dimmed">
                  {why}
                </Text>
              </List.Item>
            ))}
          </List>
        </Stack>
      </Paper>
      {children}
    </>
  );
}
