/** The runs of a usage key, and their cost. */
import type { ListRunsParameters, RunRecord } from '@latchkey/sdk';
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../components/lists.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, MICROS_PER_CENT } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { type ListedUsageKey, toWord } from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';
import { Activity, NotWhole } from '../overview/activity.tsx';
import { Errors } from '../overview/errors.tsx';
import { READ_LIMIT, readSince, useHistory } from '../overview/history.ts';
import { PeriodChoice, usePeriod } from '../overview/period.tsx';
import { runColumns } from '../runs/columns.tsx';

const SHOWN = 10;

/** The runs of the key over time: how many, how long, their cost and their errors. */
export function KeyHistory({ usageKeyHash }: { usageKeyHash: bigint }) {
  const [period, setPeriod] = usePeriod();
  const history = useHistory(period, usageKeyHash);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <PeriodChoice value={period} onChange={setPeriod} />
        <TextLink to="/" search={{ period } as never} size="sm">
          {t('Compare with the other keys')}
        </TextLink>
      </Group>
      <Loaded query={history} height={320}>
        {({ steps, runs, cutAt }) => (
          <>
            {cutAt && <NotWhole cutAt={cutAt} />}
            <Activity steps={steps} period={period} />
            <Errors runs={runs} usageKeyHash={usageKeyHash} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

export function NewestRuns({ usageKeyHash }: { usageKeyHash: bigint }) {
  const { client, mode } = useSession();
  const runs = useQuery({
    queryKey: ['runs', 'newest of', String(usageKeyHash)],
    queryFn: async () => (await client.listRuns({ usageKey: usageKeyHash, pageSize: SHOWN })).items,
    refetchOnWindowFocus: mode === 'api',
  });
  return (
    <Loaded query={runs} height={80}>
      {(items) =>
        items.length === 0 ? (
          <Dimmed>{t('The key has not run an action, or the records were deleted after their time.')}</Dimmed>
        ) : (
          <Stack gap="sm">
            <DataTable
              label={t('Runs of the key')}
              items={items}
              rowKey={({ id }) => id}
              minWidth={760}
              columns={runColumns}
            />
            <TextLink to="/runs" search={{ key: toWord(usageKeyHash) }} size="sm">
              {t('All runs of this key')}
            </TextLink>
          </Stack>
        )
      }
    </Loaded>
  );
}

const DAY_SEC = 86_400;

/**
 * Charges of the recorded runs: since the longest time at which the window of the cap can have begun, or all without a window. Without a cap, of
 * a day.
 */
export function Spend({
  usageKey: { usageKeyHash, ...caps },
}: {
  usageKey: ListedUsageKey & { spendCapCents?: number | undefined; spendWindowSeconds?: number | undefined };
}) {
  const { client } = useSession();
  const { spendCapCents: cap, spendWindowSeconds } = caps;
  const windowSec = cap === undefined ? DAY_SEC : spendWindowSeconds;
  const spent = useQuery({
    queryKey: ['runs', 'spend', String(usageKeyHash), windowSec ?? 0],
    queryFn: async () => {
      const from = windowSec === undefined ? undefined : new Date(Date.now() - windowSec * 1_000);
      const { items, isCut } = await readSince<RunRecord, ListRunsParameters>(
        () => true,
        (page) => client.listRuns(page),
        { usageKey: usageKeyHash, from, pageSize: 1_000 },
      );
      return { micros: items.reduce((sum, { chargedMicros = 0n }) => sum + chargedMicros, 0n), isCut };
    },
    staleTime: 60_000,
  });
  return (
    <Loaded query={spent} height={24}>
      {({ micros, isCut }) => {
        const amount = formatMicros(micros);
        const note = isCut && (
          <Dimmed>{t('Only the newest {count, number} runs are counted.', { count: READ_LIMIT })}</Dimmed>
        );
        if (cap === undefined)
          return (
            <>
              {t('{amount} in the last 24 hours', { amount })}
              {note}
            </>
          );
        const limit = BigInt(cap) * MICROS_PER_CENT;
        const share = limit === 0n ? 100 : Math.min(100, Number((micros * 100n) / limit));
        return (
          <Stack gap={4}>
            <Text size="sm">
              {t(
                '{amount} of {limit} {seconds, plural, =0 {by the recorded runs} =3600 {in the last hour} =86400 {in the last 24 hours} =604800 {in the last 7 days} =2592000 {in the last 30 days} other {in the last # seconds}}',
                { amount, limit: formatMicros(limit), seconds: spendWindowSeconds ?? 0 },
              )}
            </Text>
            <Progress value={share} aria-label={t('Share of the cap that is spent')} />
            {note}
          </Stack>
        );
      }}
    </Loaded>
  );
}
