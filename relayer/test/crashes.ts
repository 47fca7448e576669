/**
 * Kills the relayer (SIGKILL) during requests that move credit, restarts it, repeats the request with its
 * Idempotency-Key, and checks the invariants: no acknowledged effect is lost, no effect or price is doubled, no credit
 * stays reserved, and the entries add up to the balance.
 *
 * node relayer/test/crashes.ts [--points all|N] [--kills N] [--seed S]
 *
 * `--points`: kills at every message between the relayer and its database, chain and card processor, once before the
 * message and once before its reply; or at N of them. `--kills`: number of kills at random times under load.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postAsPayer, signatureHeader } from '@latchkey/stripe-stand-in/testing';
import type { Entry } from '@latchkey/testing/ledger';
import { until } from '@latchkey/testing/until';
import {
  type Account,
  type CrashHarness,
  openAccount,
  settled,
  startCrashHarness,
  victims,
  WEBHOOK_SECRET,
} from './crash-harness.ts';

/** Upper bound for the messages of a flow. */
const MOST_MESSAGES = 500;
const CLIENTS = 12;
/** On a machine where a start takes longer, kills are further apart, so that a run of two seconds can end between two of them. */
const USUAL_START_MS = 4_000;

const sumCents = (entries: Entry[], kind: string, reason: RegExp): number =>
  entries
    .filter((entry) => entry.kind === kind && reason.test(entry.reason))
    .reduce((sum, { amount_micros }) => sum + amount_micros / 10_000, 0);

/** Checks that `done` runs were paid: each costs a cent per started second, at least `cents`. */
function expectPaidRuns(entries: Entry[], done: number, cents: number): void {
  const ofRuns = entries.filter(({ reason }) => reason.startsWith('run '));
  const paid = [...Map.groupBy(ofRuns, ({ reason }) => reason).values()]
    .map((ofRun) => {
      const times = ofRun.map(({ created_at: at }) => Date.parse(at));
      const seconds = Math.ceil((Math.max(...times) - Math.min(...times)) / 1_000);
      return { cents: ofRun.filter(({ kind }) => kind === 'capture').length, seconds };
    })
    .filter((run) => run.cents > 0);
  expectEqual('runs that were paid', paid.length, done);
  const isWrong = (run: { cents: number; seconds: number }) =>
    run.cents < cents || run.cents > Math.max(cents, run.seconds);
  expectEqual('runs with a wrong price', paid.filter(isWrong), []);
}

function expectEqual(name: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${name}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}

/** One request that moves credit. `done` counts its acknowledgements. */
type Flow = {
  name: string;
  /** Returns the request; all attempts send the same one. */
  prepare: (harness: CrashHarness, account: Account) => Promise<Parameters<CrashHarness['call']>>;
  check: (harness: CrashHarness, account: Account, entries: Entry[], done: number) => Promise<void>;
};

async function paidIntent(harness: CrashHarness, { auth }: Account): Promise<string> {
  const intent = await harness.insist('POST', 'billing/create_payment_intent', {
    body: { amount_cents: 500 },
    headers: { ...auth, 'Idempotency-Key': crypto.randomUUID() },
  });
  const { client_secret, payment_intent_id: id } = intent as Record<string, string>;
  const paid = await postAsPayer(`${harness.stripe.url}/v1/payment_intents/${id}/confirm`, {
    client_secret: client_secret as string,
    payment_method: 'pm_card_visa',
  });
  expectEqual('the payment', paid.body.status, 'succeeded');
  return id as string;
}
const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });
const group = { group_name: 'g', group_description: '', pkp_ids_permitted: [], cid_hashes_permitted: [] };
const prepareRun =
  (code: string) =>
  async (_harness: CrashHarness, { runner }: Account) =>
    ['POST', 'svc_action', { body: { code }, headers: { 'X-Api-Key': runner, ...once() } }] as Parameters<
      CrashHarness['call']
    >;

const flows: Flow[] = [
  {
    name: 'a write',
    prepare: async (_harness, { auth }) => [
      'POST',
      'add_group',
      { body: group, headers: { ...auth, ...once() } },
    ],
    async check(harness, account, entries, done) {
      expectEqual('groups', (await harness.sizes(account.hash)).groups, done);
      expectEqual('cents for groups', sumCents(entries, 'capture', /^add_group$/), done);
    },
  },
  {
    name: 'a key with caps',
    prepare: async (_harness, { auth }) => [
      'POST',
      'add_usage_api_key',
      { body: { spend_cap_cents: 1, execute_in_groups: [0] }, headers: { ...auth, ...once() } },
    ],
    async check(harness, account, entries, done) {
      expectEqual('keys', (await harness.sizes(account.hash)).keys, done + 1);
      expectEqual('cents for keys', sumCents(entries, 'capture', /^add_usage_api_key$/), done + 1);
    },
  },
  {
    name: 'a run',
    prepare: prepareRun('function main() { return 1 }'),
    async check(_harness, _account, entries, done) {
      expectPaidRuns(entries, done, 1);
    },
  },
  {
    name: 'a run of two seconds',
    prepare: prepareRun('async function main() { await new Promise((end) => setTimeout(end, 1200)) }'),
    async check(_harness, _account, entries, done) {
      expectPaidRuns(entries, done, 2);
    },
  },
  {
    name: 'a confirm',
    prepare: async (harness, account) => [
      'POST',
      'billing/confirm_payment',
      {
        body: { payment_intent_id: await paidIntent(harness, account) },
        headers: { ...account.auth, ...once() },
      },
    ],
    async check(_harness, _account, entries, done) {
      expectEqual('cents paid', sumCents(entries, 'credit', /^payment /), 500 * done);
    },
  },
  {
    name: 'an event',
    async prepare(harness, account) {
      const id = await paidIntent(harness, account);
      const event = harness.stripe
        .events()
        .find(
          ({ type, data }) =>
            type === 'payment_intent.succeeded' && (data.object as { id: string }).id === id,
        );
      const body = JSON.stringify(event);
      const header = signatureHeader(body, [WEBHOOK_SECRET], Math.floor(Date.now() / 1_000));
      return ['POST', 'billing/webhook', { body, headers: { 'Stripe-Signature': header } }];
    },
    async check(_harness, _account, entries, done) {
      expectEqual('cents paid', sumCents(entries, 'credit', /^payment /), 500 * done);
    },
  },
];

export type PointsOutcome = { killed: number; labels: Set<string> };

/** Kills at every `stride`-th message of each flow, beginning with `offset`. */
export async function killAtPoints(
  { stride, offset }: { stride: number; offset: number },
  onProgress: (text: string) => void = () => {},
): Promise<PointsOutcome> {
  await using harness = await startCrashHarness();
  const outcome: PointsOutcome = { killed: 0, labels: new Set() };
  let position = offset;
  for (const flow of flows) {
    const account = await openAccount(harness);
    let done = 0;
    let killedHere = 0;
    for (let at = 1 + (position % stride); at < MOST_MESSAGES; at += stride) {
      const request = await flow.prepare(harness, account);
      harness.killAt(at);
      const reply = await harness.call(...request).catch(() => undefined);
      const label = harness.disarm();
      if (label !== undefined) {
        await harness.restart();
        outcome.killed++;
        killedHere++;
        outcome.labels.add(`${flow.name}: ${label}`);
      }
      try {
        const again = await harness.insist(...request);
        if (reply?.status === 200) expectEqual('the second reply', again, reply.body);
        done++;
        await flow.check(harness, account, await settled(harness, account), done);
      } catch (cause) {
        throw new Error(`${flow.name}, killed at message ${at}: ${label}`, { cause });
      }
      // The request had no further messages.
      if (label === undefined) break;
    }
    position += stride - 1;
    onProgress(`${flow.name}: killed at ${killedHere} messages`);
  }
  return outcome;
}

/** Kills relayer, runner and both in turn at random moments while clients send all flows concurrently. */
export async function killUnderLoad(
  kills: number,
  seed: number,
  onProgress: (text: string) => void = () => {},
): Promise<{ acknowledged: number }> {
  await using harness = await startCrashHarness();
  const accounts = await Promise.all(flows.map(() => openAccount(harness)));
  const done = flows.map(() => 0);
  let isOver = false;
  let failure: unknown;
  const client = async (index: number): Promise<void> => {
    const which = index % flows.length;
    const [flow, account] = [flows[which] as Flow, accounts[which] as Account];
    while (!isOver && failure === undefined) {
      await harness.insist(...(await flow.prepare(harness, account)));
      done[which] = (done[which] ?? 0) + 1;
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    client(index).catch((error: unknown) => {
      failure ??= error;
    }),
  );
  let state = seed;
  let slowness = 1;
  for (let kill = 1; kill <= kills && failure === undefined; kill++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    await delay(slowness * (300 + (state % 2_500)));
    const killedAt = performance.now();
    await harness.restart(victims[kill % victims.length]);
    slowness = Math.max(1, (performance.now() - killedAt) / USUAL_START_MS);
    if (kill % 10 === 0)
      onProgress(`${kill} of ${kills} kills, ${done.reduce((a, b) => a + b)} acknowledged`);
  }
  isOver = true;
  await Promise.all(clients);
  if (failure !== undefined) throw failure;
  for (const [which, flow] of flows.entries()) {
    const account = accounts[which] as Account;
    await flow.check(harness, account, await settled(harness, account), done[which] ?? 0);
  }
  await until('killed runners leave nothing behind', async () => harness.leftovers().length === 0).catch(
    (cause) => {
      throw new Error(`killed runners left ${harness.leftovers().join(', ')}`, { cause });
    },
  );
  return { acknowledged: done.reduce((a, b) => a + b) };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      points: { type: 'string', default: 'all' },
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  const isSettings =
    /^(all|\d+)$/.test(values.points) && Number.isSafeInteger(kills) && Number.isSafeInteger(seed);
  if (!isSettings) {
    console.error('node relayer/test/crashes.ts [--points all|N] [--kills N] [--seed S]');
    process.exit(2);
  }
  const say = (text: string) => console.log(text);
  if (values.points !== '0') {
    const stride = values.points === 'all' ? 1 : Math.max(1, Math.ceil(300 / Number(values.points)));
    const { killed, labels } = await killAtPoints({ stride, offset: seed }, say);
    say(`killed at ${killed} points of ${labels.size} kinds`);
  }
  if (kills > 0) {
    const { acknowledged } = await killUnderLoad(kills, seed, say);
    say(`killed ${kills} times under load, ${acknowledged} requests acknowledged`);
  }
  console.log('no effect lost, none doubled, no credit left reserved');
}
