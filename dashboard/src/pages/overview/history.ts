/** Runs and spending of a period, counted in steps of time. */
import type { LedgerEntry, ListRunsParameters, Page, PageParameters, RunRecord } from '@latchkey/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCreditAccess } from '../../components/credit-access.tsx';
import { useSession } from '../../session/session-context.tsx';

export const periods = {
  day: { label: '24 hours', steps: 24, step: 'hour' },
  week: { label: '7 days', steps: 7, step: 'day' },
  month: { label: '30 days', steps: 30, step: 'day' },
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

export type Step = { start: Date; succeeded: number; failed: number; spentMicros: bigint };

export type History = {
  steps: Step[];
  runs: RunRecord[];
  /** Runs or ledger entries before this time were not read. */
  cutAt?: Date | undefined;
};

function count(starts: readonly Date[], runs: readonly RunRecord[], charges: readonly LedgerEntry[]): Step[] {
  const steps = starts.map((start) => ({ start, succeeded: 0, failed: 0, spentMicros: 0n }));
  const stepAt = (time: Date) => steps.findLast(({ start }) => start <= time);
  for (const { status, startedAt } of runs) {
    const step = stepAt(startedAt);
    if (step && status === 'success') step.succeeded++;
    if (step && status === 'failed') step.failed++;
  }
  for (const { createdAt, amountMicros } of charges) {
    const step = stepAt(createdAt);
    if (step) step.spentMicros += amountMicros;
  }
  return steps;
}

export function useHistory(period: Period) {
  const { client, mode } = useSession();
  const hasAccess = useCreditAccess();
  return useQuery({
    queryKey: ['runs', 'history', period],
    enabled: hasAccess,
    refetchOnWindowFocus: mode === 'api',
    queryFn: async (): Promise<History> => {
      const starts = stepsOf(period);
      const from = starts[0] as Date;
      const [runs, entries] = await Promise.all([
        readSince<RunRecord, ListRunsParameters>(
          () => true,
          (page) => client.listRuns(page),
          { from, pageSize: PAGE_SIZE },
        ),
        readSince<LedgerEntry, PageParameters>(
          ({ createdAt }) => createdAt >= from,
          (page) => client.listLedger(page),
          { pageSize: PAGE_SIZE },
        ),
      ]);
      // A page shifts when entries are added while it is read.
      const charges = new Map(
        entries.items.filter(({ kind }) => kind === 'capture').map((entry) => [entry.number, entry]),
      );
      const cuts = [
        ...(runs.isCut ? [runs.items.at(-1)?.startedAt] : []),
        ...(entries.isCut ? [entries.items.at(-1)?.createdAt] : []),
      ].filter((time) => time !== undefined);
      return {
        steps: count(starts, runs.items, [...charges.values()]),
        runs: runs.items,
        cutAt: cuts.length === 0 ? undefined : new Date(Math.max(...cuts.map(Number))),
      };
    },
  });
}
