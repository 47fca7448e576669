/** Records of runs. */
import { oneLine, safeLines } from '@latchkey/command/text';
import type { RunRecord } from '@latchkey/sdk';
import { command, showPage, type Topic } from '../command.ts';
import { untilInterrupted } from '../interrupt.ts';
import * as options from '../options.ts';
import { oneOf, parseCidText, parseCount, parseHash } from '../parse.ts';
import { cents, fields, hex, table } from '../text.ts';

const filters = {
  key: { value: 'hash', parse: parseHash, help: 'only runs of this usage key' },
  cid: { value: 'cid', parse: parseCidText, help: 'only runs of this action' },
  status: {
    value: 'status',
    parse: oneOf('running', 'success', 'failed', 'waiting_for_approval', 'released'),
    help: 'running, success, failed, waiting_for_approval or released',
  },
} as const;

const price = ({ chargedMicros }: RunRecord) =>
  chargedMicros === undefined ? undefined : cents(chargedMicros);

/** A line of `runs tail`. */
const line = (run: RunRecord): string =>
  [
    run.startedAt.toISOString(),
    run.id,
    run.status,
    run.errorName === undefined ? '' : oneLine(run.errorName),
    run.durationMs === undefined ? '' : `${run.durationMs} ms`,
    price(run) ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');

function showRun({ output, receipt: _receipt, keyOperations, fetchHosts, ...run }: RunRecord): string {
  const head = fields({
    run: run.id,
    status: run.status,
    error: run.errorName,
    action: run.cid,
    key: hex(run.usageKeyHash),
    started: run.startedAt,
    ended: run.endedAt,
    'duration ms': run.durationMs,
    'processor ms': run.cpuMs,
    'memory bytes': run.memoryPeakBytes,
    price: price({ ...run, keyOperations, fetchHosts }),
    'key operations': keyOperations.length === 0 ? undefined : JSON.stringify(keyOperations),
    hosts: fetchHosts.length === 0 ? undefined : fetchHosts.join(', '),
  });
  if (!output) return head;
  return `${head}\n\n${safeLines(output.logs)}${output.error ? output.error.stack : JSON.stringify(output.response, null, 2)}`;
}

export const runs: Topic = {
  summary: 'records of runs',
  commands: {
    list: command({
      summary: 'lists runs, the newest first',
      options: {
        ...filters,
        ...options.period,
        before: { value: 'id', help: 'runs that began before this run' },
        pageSize: options.pages.pageSize,
      },
      examples: ['runs list', 'runs list --status failed --from 2027-01-01'],
      run: async (session, { key, ...filter }) =>
        (await session.client()).listRuns({ ...filter, usageKey: key }),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            RUN: ({ id }) => id,
            STARTED: ({ startedAt }) => startedAt,
            STATUS: ({ status }) => status,
            ERROR: ({ errorName }) => errorName,
            MS: ({ durationMs }) => durationMs,
            PRICE: price,
          }),
        ),
    }),
    show: command({
      summary: 'shows the record of a run, with its output where it is recorded',
      arguments: { id: options.id },
      examples: ['runs show 018f…'],
      run: async (session, { id }) => (await session.client()).getRun({ runId: id }),
      show: showRun,
    }),
    stop: command({
      summary: 'stops a run',
      arguments: { id: options.id },
      examples: ['runs stop 018f…'],
      run: async (session, { id }) => (await session.client()).stopRun({ runId: id }),
      show: showRun,
    }),
    tail: command({
      summary: 'prints each run when it begins and when it ends, until Ctrl-C',
      options: {
        ...filters,
        last: { value: 'count', parse: parseCount, help: 'begins with so many earlier runs (default 10)' },
      },
      examples: ['runs tail', 'runs tail --json --last 0'],
      run: async (session, { key, last = 10, ...filter }) => {
        const client = await session.client();
        /** Statuses of the page before. A run that has left the page does not come back. */
        let seen: ReadonlyMap<string, string> | undefined;
        await untilInterrupted(1_000, async () => {
          const { items } = await client.listRuns({ ...filter, usageKey: key, pageSize: 100 });
          const shown = seen ? items : items.slice(0, last);
          for (const run of shown.toReversed())
            if (seen?.get(run.id) !== run.status) session.printNext(run, line(run));
          seen = new Map(items.map(({ id, status }) => [id, status]));
        });
      },
    }),
  },
};
