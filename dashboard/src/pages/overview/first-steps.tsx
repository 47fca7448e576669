import { List, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CheckIcon, CircleDashedIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCreditAccess } from '../../components/credit-access.tsx';
import { Loading } from '../../components/page.tsx';
import { Dimmed, Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';
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

type Step = { to: string; title: string; why: string; isDone: boolean };

/** Undefined while it is not known. */
function useSteps(hasRun: boolean | undefined): Step[] | undefined {
  const lists = [useWallets(), useActions(), useGroups(), useUsageKeys()];
  if (lists.some(({ isPending }) => isPending)) return undefined;
  const done = [...lists.map(({ data = [] }) => data.length > 0), hasRun === true];
  return texts.map(([to, title, why], i) => ({ to, title, why, isDone: done[i] === true }));
}

const texts = [
  ['/wallets', t('Create a wallet'), t('Actions sign and decrypt with it. Its key stays with the service.')],
  ['/actions', t('Register an action'), t('An action is JavaScript code, named by the CID of its text.')],
  ['/groups', t('Create a group'), t('It says which actions may use which wallets.')],
  [
    '/keys',
    t('Create a usage key'),
    t('Your application runs the actions of a group with it. It cannot change the account.'),
  ],
  ['/actions', t('Run the action'), t('Run it from its page with the usage key, and see its output here.')],
] as const;

/** Shows the steps of a new account above the page until its first run. Shows nothing until it is known whether there was a run. */
export function FirstSteps({ children }: { children: ReactNode }) {
  const hasAccess = useCreditAccess();
  const hasRun = useHasRun();
  const steps = useSteps(hasRun);
  if (!steps || (hasAccess && hasRun === undefined)) return <Loading height={320} />;
  const done = steps.filter(({ isDone }) => isDone).length;
  if (hasRun || (!hasAccess && done === steps.length - 1)) return children;
  return (
    <>
      <Section title={t('First steps')} about={t('{done} of {count} done', { done, count: steps.length })}>
        <List listStyleType="none" spacing="sm" aria-label={t('First steps')}>
          {steps.map((step) => (
            <StepItem key={step.title} {...step} />
          ))}
        </List>
      </Section>
      {children}
    </>
  );
}

function StepItem({ to, title, why, isDone }: Step) {
  return (
    <List.Item
      icon={
        <ThemeIcon size={24} radius="xl" variant="light" color={isDone ? 'teal' : 'gray'} aria-hidden>
          {isDone ? <CheckIcon size={16} /> : <CircleDashedIcon size={16} />}
        </ThemeIcon>
      }
    >
      <TextLink to={to} size="sm" fw={600}>
        {title}
      </TextLink>
      <VisuallyHidden> ({isDone ? t('done') : t('to do')})</VisuallyHidden>
      <Dimmed>{why}</Dimmed>
    </List.Item>
  );
}
