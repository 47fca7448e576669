import { tmpdir } from 'node:os';
import { RuntimeUnavailableError } from '@latchkey/runner-protocol';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { freePort } from '@latchkey/testing/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answers,
  certificate,
  connectNamed,
  foreign,
  NAME,
  runAt,
  selfSigned,
  startRunnerAt,
  startStandIn,
  startStranger,
  TOKEN,
  trustAuthority,
} from '../../test/named-runners.ts';
import { lookupAddresses } from './named-runners.ts';

const [ONE, TWO] = ['127.0.0.1', '127.0.0.2'] as const;
const NO_ADDRESS = 'entry 1 of RUNNER_URLS has no address';
const NO_ANSWER = 'DNS does not answer for entry 1 of RUNNER_URLS';
const NO_CERTIFICATE = /^the certificate of a runner does not hold: /;

let trusted: Disposable;
beforeAll(() => {
  trusted = trustAuthority();
});
afterAll(() => trusted[Symbol.dispose]());

/** A name of its own for a test, and what DNS says of it: no address at first. */
async function newName() {
  const answers: Answers = { now: () => [], asked: 0 };
  const port = await freePort();
  return {
    port,
    url: `dns+wss://${NAME}:${port}`,
    answers,
    answer(...addresses: string[]) {
      answers.now = () => addresses;
    },
    fail(code: string) {
      answers.now = () => Promise.reject(Object.assign(new Error(code), { code }));
    },
  };
}

describe.concurrent('a name with several addresses', () => {
  test('is one runner per address, also when DNS repeats one', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using first = await startStandIn(ONE, port);
    await using second = await startStandIn(TWO, port);
    answer(ONE, TWO, ONE);
    using runners = connectNamed([url], answers);
    await expect.poll(() => [first.connections(), second.connections()]).toEqual([1, 1]);
    await expect.poll(() => runners.missing()).toEqual([]);
  });

  test('has a new runner some seconds after DNS names it, without any setting', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using first = await startStandIn(ONE, port);
    answer(ONE);
    using runners = connectNamed([url], answers);
    await expect.poll(() => first.connections()).toBe(1);
    await using second = await startStandIn(TWO, port);
    answer(ONE, TWO);
    await expect.poll(() => second.connections(), { timeout: 7_000 }).toBe(1);
    await expect.poll(() => runners.missing()).toEqual([]);
  });

  test('reaches a runner once that two names lead to', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using runner = await startStandIn(ONE, port);
    answer(ONE);
    using _ = connectNamed([url, url, `dns+wss://other.test:${port}`], answers);
    await expect.poll(() => answers.asked).toBeGreaterThanOrEqual(3);
    await expect.poll(() => runner.connections()).toBe(1);
    await expect.poll(() => answers.asked, { timeout: 10_000 }).toBeGreaterThanOrEqual(6);
    expect(runner.connections()).toBe(1);
  });

  test('loses a runner that DNS no longer names after its runs, and gives new runs to others', async ({
    expect,
  }) => {
    const { port, url, answers, answer } = await newName();
    await using first = await startStandIn(ONE, port, { isHolding: true });
    answer(ONE);
    using runners = connectNamed([url], answers);
    const running = runAt(runners);
    await expect.poll(() => first.ran()).toBe(1);
    await using second = await startStandIn(TWO, port, { isHolding: true });
    answer(TWO);
    await expect.poll(() => second.connections(), { timeout: 7_000 }).toBe(1);
    await expect.poll(() => runners.missing()).toEqual([]);
    // The other runner is busier with the second of them.
    const further = [runAt(runners), runAt(runners)];
    await expect.poll(() => second.ran(), { timeout: 7_000 }).toBe(2);
    second.release();
    expect(await Promise.all(further)).toEqual([TWO, TWO]);
    first.release();
    expect(await running).toBe(ONE);
    // It is still connected, and its end leaves nothing to wait for.
    expect(first.connections()).toBe(1);
    await first[Symbol.asyncDispose]();
    await expect.poll(() => runners.faults()).toEqual([]);
    await expect.poll(() => runners.missing()).toEqual([]);
  });

  test('of a thousand addresses tries a hundred, and keeps the runners that it has', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using runner = await startStandIn(ONE, port);
    answer(ONE);
    using runners = connectNamed([url], answers);
    await expect.poll(() => runner.connections()).toBe(1);
    const flood = Array.from({ length: 1_000 }, (_, i) => `127.9.${i >> 8}.${i & 255}`);
    answer(...flood, ONE);
    await expect.poll(() => runners.missing().length, { timeout: 7_000 }).toBe(99);
    expect(runners.faults()).toEqual(['entry 1 of RUNNER_URLS has 1001 addresses, of which 100 are used']);
    expect(await runAt(runners)).toBe(ONE);
    answer(ONE);
    await expect.poll(() => [runners.missing(), runners.faults()]).toEqual([[], []]);
    expect(runner.connections()).toBe(1);
  });
});

describe.concurrent('DNS', () => {
  test('without an address is a fault that heals: a run waits for it', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using _ = await startStandIn(ONE, port);
    using runners = connectNamed([url], answers);
    await expect.poll(() => runners.faults()).toEqual([NO_ADDRESS]);
    expect(runners.missing()).toEqual([url]);
    const waiting = runAt(runners);
    answer(ONE);
    expect(await waiting).toBe(ONE);
    expect([runners.missing(), runners.faults()]).toEqual([[], []]);
  });

  test('that fails, flaps, or names no address any more takes no connected runner', async ({ expect }) => {
    const { port, url, answers, answer, fail } = await newName();
    await using runner = await startStandIn(ONE, port, { isHolding: true });
    answer(ONE);
    using runners = connectNamed([url], answers);
    const running = runAt(runners);
    await expect.poll(() => runner.ran()).toBe(1);
    fail('EAI_AGAIN');
    await expect.poll(() => runners.faults(), { timeout: 7_000 }).toEqual([NO_ANSWER]);
    expect(runners.missing()).toEqual([]);
    answer();
    await expect.poll(() => runners.faults()).toEqual([NO_ADDRESS]);
    expect(runners.missing()).toEqual([url]);
    answer(ONE);
    await expect.poll(() => runners.faults()).toEqual([]);
    runner.release();
    expect([await running, await runAt(runners), runner.connections()]).toEqual([ONE, ONE, 1]);
  });

  test('that does not answer is a fault, and is not asked again meanwhile', async ({ expect }) => {
    const { url, answers } = await newName();
    answers.now = () => new Promise(() => {});
    using runners = connectNamed([url], answers);
    await expect.poll(() => runners.faults(), { timeout: 7_000 }).toEqual([NO_ANSWER]);
    await expect(runAt(runners)).rejects.toThrow(RuntimeUnavailableError);
    expect(answers.asked).toBe(1);
  });

  test('is not asked after the relayer has stopped', async ({ expect }) => {
    const { port, url, answers } = await newName();
    const asked = Promise.withResolvers<string[]>();
    answers.now = () => asked.promise;
    await using runner = await startStandIn(ONE, port);
    const runners = connectNamed([url], answers);
    await expect.poll(() => answers.asked).toBe(1);
    runners.close();
    asked.resolve([ONE]);
    await new Promise((waited) => setTimeout(waited, 1_500));
    expect([answers.asked, runner.connections(), runners.missing()]).toEqual([1, 0, [url]]);
  });
});

describe.concurrent('a runner that is replaced under a new address', () => {
  test('loses no run that had not begun, however long it waited there', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    using directory = temporaryDirectory(tmpdir());
    await using first = await startRunnerAt(ONE, port, directory.path);
    answer(ONE);
    using runners = connectNamed([url], answers);
    const begun = runAt(runners, 'const main = () => new Promise((done) => setTimeout(done, 60_000))');
    await expect.poll(() => runners.load().running).toBe(1);
    const waiting = runAt(runners, 'const main = () => "moved"');
    await expect.poll(() => runners.load().queued).toBe(1);
    const queuedAtMs = performance.now();
    await using _ = await startRunnerAt(TWO, port, directory.path);
    await expect.poll(() => performance.now() - queuedAtMs).toBeGreaterThan(4_500);
    answer(TWO);
    first.child.kill('SIGKILL');
    await expect(begun).rejects.toThrow(RuntimeUnavailableError);
    expect(await waiting).toBe('moved');
    await expect.poll(() => runners.missing()).toEqual([]);
  });
});

describe.concurrent('an address of another machine', () => {
  test.for([
    ['a certificate of another name', foreign],
    ['a self-signed certificate', selfSigned],
  ] as const)('with %s never gets the token', async ([, issued], { expect }) => {
    const { port, url, answers, answer } = await newName();
    await using runner = await startStandIn(ONE, port);
    await using stranger = await startStranger(TWO, port, issued);
    answer(TWO, ONE);
    using runners = connectNamed([url], answers);
    await expect.poll(() => stranger.connections()).toBeGreaterThan(2);
    expect(stranger.received()).toBe('');
    expect(runners.missing()).toEqual([`wss://${NAME}:${port} at ${TWO}`]);
    expect(runners.faults()).toEqual([expect.stringMatching(NO_CERTIFICATE)]);
    expect([await runAt(runners), runner.ran()]).toEqual([ONE, 1]);
  });

  test('with the certificate, but without a runner, takes no run', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using _ = await startStandIn(ONE, port);
    await using stranger = await startStranger(TWO, port, certificate);
    answer(TWO, ONE);
    using runners = connectNamed([url], answers);
    // Shows that a stranger of these tests reads what it gets.
    await expect.poll(() => stranger.received()).toContain(`Bearer ${TOKEN}`);
    expect([await runAt(runners), await runAt(runners)]).toEqual([ONE, ONE]);
    expect(runners.missing()).toHaveLength(1);
  });

  test('in an answer that leaves out all runners takes none of their runs', async ({ expect }) => {
    const { port, url, answers, answer } = await newName();
    await using runner = await startStandIn(ONE, port);
    answer(ONE);
    using runners = connectNamed([url], answers);
    await expect.poll(() => runner.connections()).toBe(1);
    await using stranger = await startStranger(TWO, port, foreign);
    answer(TWO);
    await expect.poll(() => stranger.connections(), { timeout: 7_000 }).toBeGreaterThan(0);
    expect([await runAt(runners), stranger.received()]).toEqual([ONE, '']);
  });
});

describe('a lookup', () => {
  test('asks the system, and finds one family of addresses', async () => {
    expect(await lookupAddresses('localhost')).toEqual(['127.0.0.1']);
    expect(await lookupAddresses('::1')).toEqual(['::1']);
  });

  test('finds no address where there is none', async () => {
    // Too long for DNS, so that no server is asked.
    expect(await lookupAddresses(`${'x'.repeat(64)}.test`)).toEqual([]);
  });
});
