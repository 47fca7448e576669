import { apiKeyHash } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  expectError,
  get,
  hex,
  newAccount,
  pay,
  payAndConfirm,
  post,
  stack,
} from '@latchkey/testing/stack';
import { accountOf, billingAuth, eoa, multisig } from '@latchkey/testing/wallet-proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { bank, CENT, type Entry, inShort, readCredit, readLedger, stripe } from '../../../test/credit.ts';

/**
 * The ledger of one account: a starter credit, two writes, a payment with a partial refund and a dispute, and a run.
 */
let account: Account;
let headers: Record<string, string>;
let usageKey: string;
let intent: string;
let runId: string;
let refund: string;
let dispute: string;
beforeAll(async () => {
  account = await newAccount();
  headers = { 'X-Api-Key': account.key };
  await addGroup(account.key);
  usageKey = await addUsageKey(account.key, { execute_in_groups: [0] });
  intent = await pay(headers, { cents: 800 });
  await post('billing/confirm_payment', { payment_intent_id: intent }, account.key);
  const run = await post('svc_action', { code: 'function main() {}' }, usageKey);
  runId = run.headers.get('x-run-id') ?? '';
  ({ id: refund } = await stripe.refunds.create({ payment_intent: intent, amount: 250 }));
  await post('billing/confirm_payment', { payment_intent_id: intent }, account.key);
  ({ id: dispute } = await bank('disputes', { of: intent, amount: 100 }));
  await post('billing/confirm_payment', { payment_intent_id: intent }, account.key);
});
const page = (query: string, of = headers) => get(`billing/ledger${query}`, undefined, of);

describe('200', () => {
  test('returns every movement with its reason and key; the running balance ends in the balance', async () => {
    const entries = await readLedger(headers);
    // A run of more than half a second reserves more than one.
    const ofRun = entries.filter(({ reason }) => reason === `run ${runId}`);
    const first = entries.indexOf(ofRun[0] as Entry);
    expect(inShort(entries.toSpliced(first, ofRun.length))).toEqual([
      ['credit', 100_000, 'starter credit'],
      ['reserve', 1, 'add_group'],
      ['capture', 1, 'add_group'],
      ['reserve', 1, 'add_usage_api_key'],
      ['capture', 1, 'add_usage_api_key'],
      ['credit', 800, `payment ${intent}`],
      ['reverse', 250, `refund ${refund}`],
      ['reverse', 100, `dispute ${dispute}`],
    ]);
    const reserves = ofRun.filter(({ kind }) => kind === 'reserve');
    const ends = ofRun.filter(({ kind }) => kind === 'capture' || kind === 'release');
    expect(ends.map(({ kind }) => kind)).toContain('capture');
    expect(reserves.concat(ends)).toHaveLength(ofRun.length);
    expect(ends.map(({ reserve }) => reserve).toSorted()).toEqual(reserves.map(({ number }) => number));
    for (const { amount_micros: amount } of ofRun) expect(amount).toBe(CENT);

    const linked = entries.toSpliced(first, ofRun.length).map(({ reserve }) => reserve);
    expect(linked).toEqual([null, null, 2, null, 4, null, null, null]);
    const [own, used] = [hex(account.hash), hex(apiKeyHash(usageKey))];
    expect(entries.map(({ api_key_hash: key }) => key)).toEqual([
      ...[null, own, own, own, own, null],
      ...ofRun.map(() => used),
      ...[null, null],
    ]);
    expect(entries.at(-1)?.available_micros_after).toBe(await readCredit(headers));
    for (const { created_at: at } of entries) expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
  });

  test('returns pages, latest first, that are parts of the whole; past the end they are empty', async () => {
    const whole = (await readLedger(headers)).toReversed();
    const pages = Math.ceil(whole.length / 3);
    const paged: unknown[] = [];
    for (let number = 0; number < pages; number++) {
      const { body, headers: sent } = await page(`?page_size=3&page_number=${number}`);
      expect(sent.get('x-total-count')).toBe(String(whole.length));
      paged.push(...(body as Entry[]));
    }
    expect(paged).toEqual(whole);
    expect(await page(`?page_size=3&page_number=${pages}`)).toMatchObject({ status: 200, body: [] });
    expect(await page('?page_number=4294967295&page_size=1000')).toMatchObject({ status: 200, body: [] });
    expect((await page('')).body).toEqual(whole);
  });

  test('returns CSV with the columns of the JSON in its order', async () => {
    const response = await fetch(`${stack.url}/core/v1/billing/ledger?page_size=4`, {
      headers: { ...headers, Accept: 'text/csv' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('x-total-count')).toBe(String((await readLedger(headers)).length));
    const [names, ...rows] = (await response.text()).trimEnd().split('\r\n');
    const entries = (await page('?page_size=4')).body as Entry[];
    expect(names).toBe(Object.keys(entries[0] as Entry).join(','));
    expect(rows).toEqual(
      entries.map((entry) =>
        Object.values(entry)
          .map((value) => value ?? '')
          .join(','),
      ),
    );
  });

  test('returns only the entries of the account', async () => {
    const other = await newAccount();
    expect(inShort(await readLedger({ 'X-Api-Key': other.key }))).toEqual([
      ['credit', 100_000, 'starter credit'],
    ]);
  });

  test.each([
    ['an EOA', eoa],
    ['a multisig', multisig],
  ])('accepts the admin wallet of a ChainSecured account: %s', async (_what, open) => {
    const admin = await open();
    await accountOf(admin)('newChainSecuredAccount', ['', '']);
    const auth = await billingAuth(admin);
    expect(await readLedger(auth)).toEqual([]);
    await payAndConfirm(auth, { cents: 600 });
    expect(await readLedger(auth)).toMatchObject([
      { kind: 'credit', amount_micros: 600 * CENT, available_micros_after: 600 * CENT },
    ]);
  });
});

test.each(['?page_size=0', '?page_size=1001', '?page_number=-1', '?page_size=x', '?page_number=1.5'])(
  'returns 400 or 422 for %s',
  async (query) => {
    const reply = await page(query);
    expect([400, 422]).toContain(reply.status);
    expectError(reply, reply.status as 400);
  },
);
