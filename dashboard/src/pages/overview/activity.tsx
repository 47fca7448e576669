import {
  Alert,
  Box,
  Center,
  Group,
  Loader,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { InfoIcon } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { DataTable } from '../../components/lists.tsx';
import { Heading } from '../../components/section.tsx';
import { formatMicros } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { formatDuration } from '../runs/status.tsx';
import type { Bars } from './chart.tsx';
import { type Period, periods, READ_LIMIT, type Step } from './history.ts';

const Chart = lazy(() => import('./chart.tsx'));

const CHART_HEIGHT = 220;

const labelOf = (start: Date, period: Period): string =>
  start.toLocaleString(
    locale,
    period === 'day'
      ? { hour: '2-digit', hourCycle: 'h23', minute: '2-digit' }
      : { month: 'short', day: 'numeric' },
  );

export const sum = (steps: readonly Step[]) =>
  steps.reduce(
    (total, { succeeded, failed, spentMicros }) => ({
      succeeded: total.succeeded + succeeded,
      failed: total.failed + failed,
      spentMicros: total.spentMicros + spentMicros,
    }),
    { succeeded: 0, failed: 0, spentMicros: 0n },
  );

/** Says from when on a history has all runs. */
export function NotWhole({ cutAt }: { cutAt: Date }) {
  return (
    <Alert icon={<InfoIcon aria-hidden />} color="yellow" title={t('Not the whole period')}>
      {t(
        'The page reads the newest {limit} runs and ledger entries. Entries before {cutAt} are not counted. Choose a shorter period, or read the runs and the ledger on their pages.',
        {
          limit: READ_LIMIT.toLocaleString(locale),
          cutAt: cutAt.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
        },
      )}
    </Alert>
  );
}

/** Runs, spending and durations over time, as charts or as a table. */
export function Activity({ steps, period }: { steps: readonly Step[]; period: Period }) {
  const [view, setView] = useState('chart');
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Heading>{t('Activity')}</Heading>
        <SegmentedControl
          aria-label={t('Show the activity as')}
          size="xs"
          value={view}
          onChange={setView}
          data={[
            { value: 'chart', label: t('Chart') },
            { value: 'table', label: t('Table') },
          ]}
        />
      </Group>
      {view === 'table' ? (
        <ActivityTable steps={steps} period={period} />
      ) : (
        <Charts steps={steps} period={period} />
      )}
    </Stack>
  );
}

function Charts({ steps, period }: { steps: readonly Step[]; period: Period }) {
  const { succeeded, failed, spentMicros } = sum(steps);
  const longest = Math.max(...steps.map(({ p95Ms = 0 }) => p95Ms));
  const dataOf = (values: (step: Step) => { [series: string]: number }) =>
    steps.map((step) => ({ label: labelOf(step.start, period), ...values(step) }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }}>
      <Figure
        title={t('Runs')}
        summary={t(
          '{succeeded, plural, one {# run} other {# runs}} succeeded and {failed, plural, one {# run} other {# runs}} failed in the last {period, select, day {24 hours} week {7 days} other {30 days}}.',
          { succeeded, failed, period },
        )}
        data={dataOf(({ succeeded, failed }) => ({ succeeded, failed }))}
        series={[
          { name: 'succeeded', label: t('Succeeded'), color: 'teal.6' },
          { name: 'failed', label: t('Failed'), color: 'red.6' },
        ]}
      />
      <Figure
        title={t('Spending')}
        summary={t(
          '{amount} spent in the last {period, select, day {24 hours} week {7 days} other {30 days}}.',
          { amount: formatMicros(spentMicros), period },
        )}
        data={dataOf(({ spentMicros }) => ({ spent: Number(spentMicros) / 1_000_000 }))}
        series={[{ name: 'spent', label: t('Spent'), color: 'indigo.6' }]}
        format={(value) => formatMicros(BigInt(Math.round(value * 1_000_000)))}
      />
      <Figure
        title={t('Duration of runs')}
        summary={t(
          'The longest p95 in the last {period, select, day {24 hours} week {7 days} other {30 days}} is {longest}.',
          { period, longest: formatDuration(longest) },
        )}
        data={dataOf(({ p50Ms = 0, p95Ms = 0 }) => ({ p50: p50Ms, p95: p95Ms }))}
        series={[
          { name: 'p50', label: t('p50'), color: 'indigo.3' },
          { name: 'p95', label: t('p95'), color: 'indigo.7' },
        ]}
        type="default"
        format={formatDuration}
      />
    </SimpleGrid>
  );
}

function Figure({ title, summary, ...bars }: Bars & { title: string; summary: string }) {
  const id = useId();
  return (
    <Paper component="figure" withBorder p="md" m={0} radius="md" aria-labelledby={id} miw={0}>
      <Text component="figcaption" fw={600} mb="sm" id={id}>
        {title}
        <VisuallyHidden>
          : {summary} {t('Choose the table to read each value.')}
        </VisuallyHidden>
      </Text>
      <Box mih={CHART_HEIGHT} aria-hidden>
        <Suspense
          fallback={
            <Center h={CHART_HEIGHT}>
              <Loader size="sm" />
            </Center>
          }
        >
          <Chart {...bars} />
        </Suspense>
      </Box>
    </Paper>
  );
}

function ActivityTable({ steps, period }: { steps: readonly Step[]; period: Period }) {
  return (
    <DataTable
      label={t('Activity')}
      items={steps.toReversed()}
      rowKey={({ start }) => start.getTime()}
      minWidth={320}
      columns={[
        {
          title: periods[period].step === 'hour' ? t('Hour') : t('Day'),
          isRowHeading: true,
          cell: ({ start }) => labelOf(start, period),
        },
        { title: t('Succeeded'), ta: 'right', cell: ({ succeeded }) => succeeded },
        { title: t('Failed'), ta: 'right', cell: ({ failed }) => failed },
        { title: t('Spent'), ta: 'right', cell: ({ spentMicros }) => formatMicros(spentMicros) },
        { title: t('p50'), ta: 'right', cell: ({ p50Ms }) => formatDuration(p50Ms) },
        { title: t('p95'), ta: 'right', cell: ({ p95Ms }) => formatDuration(p95Ms) },
      ]}
    />
  );
}
