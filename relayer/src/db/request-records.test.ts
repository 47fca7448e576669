import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expectNarrow, watchPlans } from '@latchkey/testing/plans';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { listRequests, type NewRequest, type RequestFilter, storeRequests } from './request-records.ts';
import { sweep } from './retention.ts';
import * as schema from './schema.ts';
import { hashText } from './text.ts';

const COUNT = 20_000;
/** Nearly all requests of the first succeeded, nearly all of the second were refused. */
const [succeeding, refused] = [hashText(0x1000n), hashText(0x2000n)] as [string, string];
const BIG = ['account_requests'];
const RARE = { route: '/core/v1/rare', key: hashText(99n) };

const database = disposeAfterAll(await openTestDatabase());
const watched = disposeAfterAll(watchPlans(database.url, schema));
beforeAll(async () => {
  for (const account of [succeeding, refused])
    await database.db.execute(sql`
      insert into account_requests (account, request_id, key, method, route, outcome, status, duration_ms, charged_micros, at, omitted)
      select ${account}, gen_random_uuid(), case when n = 5 then ${RARE.key} else ${hashText(1n)} end, 'GET',
        case when n = 5 then ${RARE.route} else '/core/v1/list_groups' end,
        case when (n = 5) = (${account} = ${succeeding}) then 'refused' else 'success' end, 200, 1, 0, now() - make_interval(secs => ${COUNT} - n), 0
      from generate_series(1, ${COUNT}::int) n`);
}, 120_000);

const row = (fields: Partial<NewRequest>): NewRequest => ({
  account: hashText(3n),
  requestId: 'id',
  key: hashText(4n),
  method: 'POST',
  route: '/core/v1/add_group',
  outcome: 'refused',
  status: 402,
  error: 'payment_required',
  durationMs: 12,
  chargedMicros: 0,
  at: new Date(1_700_000_000_000 + (Date.now() % 1_000)),
  omitted: 0,
  ...fields,
});

describe.each(['before', 'after'])('%s the statistics of the table are known', (when) => {
  beforeAll(async () => {
    if (when === 'after') await database.db.execute(sql`analyze account_requests`);
  });

  test.each([succeeding, refused])('a list with each filter reads no other requests: %s', async (account) => {
    const filters: RequestFilter[] = [
      {},
      ...(['success', 'refused', 'failed'] as const).map((outcome) => ({ outcome })),
      { key: RARE.key },
      { key: hashText(1n) },
      { key: hashText(2n) },
      { route: RARE.route },
      { route: '/core/v1/list_groups' },
      { route: '/core/v1/unknown' },
    ];
    for (const filter of filters)
      for (const before of [undefined, COUNT, 1]) {
        const plans = await watched.plansOf(() =>
          listRequests(watched.db, { account, filter, before, limit: 20 }),
        );
        expect(plans).toHaveLength(1);
        expectNarrow(plans, BIG);
      }
  });
});

test('each filter finds its requests, newest first, and none of another account', async () => {
  const find = (account: string, filter: RequestFilter, before?: number) =>
    listRequests(database.db, { account, filter, before, limit: 1_000 });
  for (const filter of [{ outcome: 'refused' as const }, { key: RARE.key }, { route: RARE.route }])
    expect(await find(succeeding, filter)).toMatchObject([{ ...RARE, outcome: 'refused' }]);
  expect(await find(hashText(5n), {})).toEqual([]);
  const [newest, next] = await find(succeeding, {});
  expect((newest?.id ?? 0) > (next?.id ?? 0)).toBe(true);
  expect((await find(succeeding, {}, newest?.id))[0]).toEqual(next);
});

test('one statement stores a batch as it is', async () => {
  const rows = [
    row({}),
    row({ status: null, error: null, outcome: 'aborted', omitted: 5, chargedMicros: 10_000 }),
  ];
  const plans = await watched.plansOf(() => storeRequests(watched.db, rows));
  expect(plans).toHaveLength(1);
  const stored = await listRequests(database.db, { account: hashText(3n), filter: {}, limit: 10 });
  expect(stored.map(({ id: _id, ...fields }) => fields)).toEqual(rows.toReversed());
});

test('the sweep deletes requests after seven days, in batches, and reads no others', async () => {
  const account = hashText(6n);
  const at = new Date(Date.now() - 7 * 86_400_000 - 60_000);
  const old = Array.from({ length: 2_500 }, () => row({ account, at }));
  await storeRequests(database.db, [...old, row({ account, at: new Date(at.getTime() + 120_000) })]);
  await database.db.execute(sql`analyze account_requests`);
  const plans = await watched.plansOf(() => sweep(watched.db, 30));
  expectNarrow(plans, BIG);
  expect(await listRequests(database.db, { account, filter: {}, limit: 1_000 })).toHaveLength(1);
  expect(await listRequests(database.db, { account: refused, filter: {}, limit: 10 })).toHaveLength(10);
});
