/** Runs and spending of a period, counted in steps of time. */
import type { LedgerEntry, ListRunsParameters, Page, PageParameters, RunRecord } from '@latchkey/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCreditAccess } from '../../components/credit-access.tsx';
import { t } from '../../i18n.ts';
import type { Session } from '../../session/session.ts';
import { useSession } from '../../session/session-context.tsx';

export const periods = {
  day: { label: t('24 hours'), steps: 24, step: 'hour' },
  week: { label: t('7 days'), steps: 7, step: 'day' },
  month: { label: t('30 days'), steps: 30, step: 'day' },
} as const;
export type Period = keyof typeof periods;

export const READ_LIMIT = 5_000;
const PAGE_SIZE = 1_000;

type Reading<Item> = {
  items: Item[];
  /** True when the period has more items than were read. */
  isCut: boolean;
};

/** Reads pages, newest first, until the last one, an item that is too old, or the limit. */
export async function readSince<Item, Parameters>(
  isRecent: (item: Item) => boolean,
  list: (page: Parameters) => Promise<Page<Item, Parameters>>,
  first: Parameters,
): Promise<Reading<Item>> {
  const items: Item[] = [];
  let next: Parameters | undefined = first;
  while (next && items.length < READ_LIMIT) {
    const page: Page<Item, Parameters> = await list(next);
    const recent = page.items.filter(isRecent);
    items.push(...recent);
    next = recent.length < page.items.length ? undefined : page.nextPage;
  }
  return { items, isCut: next !== undefined };
}

/** Starts of the steps of a period, oldest first, in local time. */
function stepsOf(period: Period, now = new Date()): Date[] {
  const { steps, step } = periods[period];
  return Array.from({ length: steps }, (_, i) => {
    const start = new Date(now);
    const back = steps - 1 - i;
    if (step === 'hour') start.setHours(start.getHours() - back, 0, 0, 0);
    else {
      start.setDate(start.getDate() - back);
      start.setHours(0, 0, 0, 0);
    }
    return start;
  });
}

export type Step = {
  start: Date;
  succeeded: number;
  failed: number;
  spentMicros: bigint;
  /** The duration that half, and 95 % of the ended runs do not exceed. Undefined without such a run. */
  p50Ms: number | undefined;
  p95Ms: number | undefined;
};

export type History = {
  steps: Step[];
  runs: RunRecord[];
  /** Runs or ledger entries before this time were not read. */
  cutAt?: Date | undefined;
};

type Charge = { at: Date; micros: bigint };

/** The smallest duration that a share of the runs does not exceed. */
export function percentile(
  runs: readonly Pick<RunRecord, 'durationMs'>[],
  share: number,
): number | undefined {
  const durations = runs.flatMap(({ durationMs }) => durationMs ?? []).sort((one, other) => one - other);
  return durations[Math.ceil(share * durations.length) - 1];
}

function count(starts: readonly Date[], runs: readonly RunRecord[], charges: readonly Charge[]): Step[] {
  const steps = starts.map((start) => ({ start, runs: [] as RunRecord[], spentMicros: 0n }));
  const stepAt = (time: Date) => steps.findLast(({ start }) => start <= time);
  for (const run of runs) stepAt(run.startedAt)?.runs.push(run);
  for (const { at, micros } of charges) {
    const step = stepAt(at);
    if (step) step.spentMicros += micros;
  }
  return steps.map(({ runs, ...step }) => ({
    ...step,
    succeeded: runs.filter(({ status }) => status === 'success').length,
    failed: runs.filter(({ status }) => status === 'failed').length,
    p50Ms: percentile(runs, 0.5),
    p95Ms: percentile(runs, 0.95),
  }));
}

type Spent = { charges: Charge[]; cutAt: Date | undefined };

/** The charges of the account, for runs and for writes. */
async function readCharges(client: Session['client'], from: Date): Promise<Spent> {
  const { items, isCut } = await readSince<LedgerEntry, PageParameters>(
    ({ createdAt }) => createdAt >= from,
    (page) => client.listLedger(page),
    { pageSize: PAGE_SIZE },
  );
  // A page shifts when entries are added while it is read.
  const captures = new Map(
    items.filter(({ kind }) => kind === 'capture').map((entry) => [entry.number, entry]),
  );
  return {
    charges: [...captures.values()].map(({ createdAt, amountMicros }) => ({
      at: createdAt,
      micros: amountMicros,
    })),
    cutAt: isCut ? items.at(-1)?.createdAt : undefined,
  };
}

const chargesOf = (runs: readonly RunRecord[]): Charge[] =>
  runs.map(({ startedAt, chargedMicros = 0n }) => ({ at: startedAt, micros: chargedMicros }));

/** The history of the account, or of the runs of one usage key. */
export function useHistory(period: Period, usageKey?: bigint) {
  const { client, mode } = useSession();
  const hasAccess = useCreditAccess();
  return useQuery({
    queryKey: ['runs', 'history', period, String(usageKey)],
    enabled: hasAccess,
    refetchOnWindowFocus: mode === 'api',
    queryFn: async (): Promise<History> => {
      const starts = stepsOf(period);
      const from = starts[0] as Date;
      const [{ items: runs, isCut }, account] = await Promise.all([
        readSince<RunRecord, ListRunsParameters>(
          () => true,
          (page) => client.listRuns(page),
          { usageKey, from, pageSize: PAGE_SIZE },
        ),
        usageKey === undefined ? readCharges(client, from) : undefined,
      ]);
      const { charges, cutAt } = account ?? { charges: chargesOf(runs), cutAt: undefined };
      const cuts = [isCut ? runs.at(-1)?.startedAt : undefined, cutAt].filter((time) => time !== undefined);
      return {
        steps: count(starts, runs, charges),
        runs,
        cutAt: cuts.length === 0 ? undefined : new Date(Math.max(...cuts.map(Number))),
      };
    },
  });
}
