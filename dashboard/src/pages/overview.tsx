import { Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { CreditAccess } from '../components/credit-access.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Page } from '../components/page.tsx';
import { formatMicros } from '../components/values.tsx';
import { locale, t } from '../i18n.ts';
import { useBalance } from '../queries.ts';
import { Activity, NotWhole, sum } from './overview/activity.tsx';
import { ByKey } from './overview/by-key.tsx';
import { Errors } from './overview/errors.tsx';
import { FirstSteps } from './overview/first-steps.tsx';
import { type History, type Period, useHistory } from './overview/history.ts';
import { KeyApprovals } from './overview/key-approvals.tsx';
import { PeriodChoice, usePeriod } from './overview/period.tsx';

export default function Overview() {
  const [period, setPeriod] = usePeriod();
  return (
    <Page
      title={t('Overview')}
      about={t('Spending, runs and failures of the account.')}
      action={<PeriodChoice value={period} onChange={setPeriod} />}
    >
      <KeyApprovals />
      <FirstSteps>
        <CreditAccess>
          <Figures period={period} />
        </CreditAccess>
      </FirstSteps>
    </Page>
  );
}

function Figures({ period }: { period: Period }) {
  const balance = useBalance();
  const history = useHistory(period);
  const { data } = history;
  if (history.error && !data)
    return <ErrorMessage error={history.error} onRetry={() => void history.refetch()} />;
  const total = data && sum(data.steps);
  const runs = total && total.succeeded + total.failed;
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure label={t('Credit')} value={balance.data && formatMicros(balance.data.creditMicros)} />
        <Figure label={t('Spent')} value={total && formatMicros(total.spentMicros)} />
        <Figure label={t('Runs')} value={runs?.toLocaleString(locale)} />
        <Figure label={t('Failed runs')} value={total && share(total.failed, runs ?? 0)} />
      </SimpleGrid>
      {data ? <Loaded history={data} period={period} /> : <Skeleton h={320} />}
    </Stack>
  );
}

const share = (part: number, whole: number): string =>
  whole === 0 ? '0' : `${part.toLocaleString(locale)} (${((100 * part) / whole).toFixed(1)} %)`;

function Figure({ label, value }: { label: string; value: string | undefined }) {
  return (
    <Paper withBorder p="md" radius="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton h={28} w={80} role="status" aria-label={t('Loading')} />
      ) : (
        <Text fw={700} fz={20} lh="28px">
          {value}
        </Text>
      )}
    </Paper>
  );
}

function Loaded({ history: { steps, runs, cutAt }, period }: { history: History; period: Period }) {
  return (
    <>
      {cutAt && <NotWhole cutAt={cutAt} />}
      <Activity steps={steps} period={period} />
      <ByKey runs={runs} period={period} />
      <Errors runs={runs} />
    </>
  );
}
