import {
  createIdentity,
  type DealingMessage,
  type SignedCommand,
  signCommand,
  signDealingMessage,
} from '@latchkey/key-protocol';
import { type JointState, jointRound, type Round } from '@latchkey/threshold';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DealingView } from '../src/dealing/view.ts';
import {
  type Deployed,
  operator,
  outputOf,
  type Run,
  runnerFor,
  sharesOf,
  startConfigurationOnly,
  startNode,
  type TestNode,
} from './key-nodes.ts';

const INPUT = new TextEncoder().encode('an input');

let deployed: Deployed;
let nodes: TestNode[];
let liar: TestNode;
let run: Run;
let output: string;

beforeAll(async () => {
  deployed = await startConfigurationOnly();
  nodes = [];
  for (let i = 0; i < 3; i++) nodes.push(await startNode(deployed));
  liar = nodes[2] as TestNode;
  run = runnerFor(deployed);
  await run({ kind: 'generation', nodes, threshold: 2 });
  output = outputOf(sharesOf(nodes), INPUT);
});
afterAll(async () => {
  for (const node of nodes ?? []) await node[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
});

/** Changes the last byte of hexadecimal text. */
const flip = (hex: string): string => hex.slice(0, -2) + (hex.endsWith('00') ? '01' : '00');

/** Lets the liar send other messages in a round. Messages for all also change its own view. */
function lieInState(of: Round, to: number): () => void {
  const { store } = liar.context;
  const { change } = store;
  store.change = async (members) => {
    await change(members);
    const { dealing } = store.read();
    if (!dealing?.state || jointRound(dealing.state) !== 'commit hash') return;
    const state = dealing.state.map((each) => lying(each, of, to)) as JointState;
    await change(() => ({ dealing: { ...dealing, state } }));
    store.change = change;
  };
  return () => {
    store.change = change;
  };
}

function lying(state: JointState[0], of: Round, to: number): JointState[0] {
  const sent = state.sent.map((own) =>
    own.round === of && own.receiver === to ? { ...own, message: flip(own.message) } : own,
  );
  const own = sent.find(({ round, receiver }) => round === of && receiver === to)?.message ?? '';
  const { dealer = 0 } = state.party;
  const received =
    to === 0 ? { ...state.received, [of]: { ...state.received[of], [dealer]: own } } : state.received;
  return { ...state, sent, received };
}

/** Lets the liar return other envelopes in a round. */
function lieInReplies(
  of: Round,
  change: (message: DealingMessage, session: string) => DealingMessage,
): () => void {
  const { dealings } = liar.context;
  const { run: honest } = dealings;
  dealings.run = async (signed): Promise<DealingView> => {
    const view = await honest(signed);
    const { dealing } = view;
    if (dealing?.round !== of) return view;
    const messages = dealing.messages.map((message) => change(message, dealing.session ?? ''));
    return { ...view, dealing: { ...dealing, messages } };
  };
  return () => {
    dealings.run = honest;
  };
}

const garbage = Buffer.alloc(120, 7).toString('base64');

/** Collects the names of nodes that broke the protocol, as the audit log of the first node has them. */
function watchAudit(): string[] {
  const faults: string[] = [];
  const { log } = (nodes[0] as TestNode).context;
  log.warn = (fields: object) => {
    if ('fault' in fields) faults.push(String(fields.fault));
  };
  return faults;
}

/** Checks that all nodes have shares of one group, which derives the same keys as before. */
function checkGroup(): void {
  expect(new Set(sharesOf(nodes).map(({ parameters }) => parameters)).size).toBe(1);
  expect(outputOf(sharesOf(nodes).slice(1), INPUT)).toBe(output);
}

describe('the command names a node that sends', () => {
  test.each<[string, () => () => void, string]>([
    ['a wrong subshare', () => lieInState('subshares', 1), 'dealer 3, answers: wrong subshare of receiver 1'],
    [
      'wrong commitments',
      () => lieInState('commitments', 0),
      'dealer 3, commitments: not the committed message',
    ],
    [
      'subshares that do not open',
      () =>
        lieInReplies('subshares', ({ receiver }, session) =>
          signDealingMessage(session, { receiver, payload: garbage }, liar.context.identity),
        ),
      'dealer 3, complaints: receivers 1, 2 complain',
    ],
  ])('%s, and all nodes get shares without its dealing', async (_, lie, expected) => {
    const stop = lie();
    const before = sharesOf(nodes);
    const faults = watchAudit();
    const lines = await run({ kind: 'refresh', nodes }).finally(stop);
    expect(lines).toContain(`FAULT of ${liar.url}: ${expected}`);
    expect(faults).toContain(expected);
    expect(sharesOf(nodes)[0]?.parameters).not.toBe(before[0]?.parameters);
    checkGroup();
  });

  test('a message that it has not signed; without its confirmation the previous shares stay in use', async () => {
    const stop = lieInReplies('commit hash', (message) => ({ ...message, payload: 'AAAA' }));
    const before = sharesOf(nodes);
    const failed = expect(run({ kind: 'refresh', nodes }).finally(stop)).rejects;
    await failed.toThrow(
      new RegExp(
        `${liar.url} returns a message that it has not signed(.|\n)*` +
          `FAULT of ${liar.url}: dealer 3, commit hash: no message(.|\n)*` +
          'the previous shares stay in use. Repeat the command without the faulty nodes',
      ),
    );
    expect(sharesOf(nodes)).toEqual(before);
    await run({ kind: 'refresh', nodes });
    checkGroup();
  });
});

test('a node that stays away in a round is named, and the repeated command continues', async () => {
  const { dealings } = liar.context;
  const { run: honest } = dealings;
  let isAway = true;
  dealings.run = async (signed) => {
    if (isAway && signed.command.action.do === 'deliver') throw new Error('away');
    return honest(signed);
  };
  await expect(run({ kind: 'refresh', nodes, waitMs: 0 })).rejects.toThrow(
    `${liar.url} fails with 500: read its log: start it and repeat the command`,
  );
  isAway = false;
  const lines = await run({ kind: 'refresh', nodes });
  dealings.run = honest;
  expect(lines[0]).toMatch(/^continuing the refresh [0-9a-f]{8} of epoch \d+$/);
  expect(outputOf(sharesOf(nodes).slice(1), INPUT)).toBe(output);
  expect(await deployed.configuration().read('key-nodes')).toBe(sharesOf(nodes)[0]?.parameters);
});

test('the command goes on without a leaving node that stops answering, and the node deletes its share at the end', async () => {
  const { dealings, store } = liar.context;
  const { run: honest } = dealings;
  dealings.run = async (signed) => {
    if (signed.command.action.do === 'deliver') throw new Error('away');
    return honest(signed);
  };
  const staying = nodes.slice(0, 2);
  const leaving = run({ kind: 'resharing', nodes: staying, from: [liar], threshold: 2, waitMs: 0 });
  const lines = await leaving.finally(() => {
    dealings.run = honest;
  });
  expect(lines).toContain(`${liar.url} fails with 500: read its log: going on without it`);
  expect(lines).toContain(`${liar.url} has left the group`);
  expect(store.read()).toMatchObject({ current: null, next: null, dealing: null });
  expect(outputOf(sharesOf(staying), INPUT)).toBe(output);
});

describe('POST /v1/dealing', () => {
  const post = async (body: unknown): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${liar.url}/v1/dealing`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return reply.status;
  };
  const command = async (signer = operator, nowMs = Date.now()): Promise<SignedCommand> => {
    const { public_key: node, boot } = await liar.context.dealings.view();
    return signCommand({ node, boot }, { do: 'join', nonce: '0a'.repeat(32), replace: false }, signer, nowMs);
  };
  const changed = (signed: SignedCommand, fields: object) => ({
    ...signed,
    command: { ...signed.command, ...fields },
  });

  test('returns 400 or 422 for a malformed command, and changes nothing', async () => {
    const before = liar.context.store.read();
    const signed = await command();
    for (const body of [
      {},
      { ...signed, extra: 1 },
      { ...signed, signature: 'zz' },
      changed(signed, { action: { do: 'steal' } }),
      changed(signed, { action: { do: 'join', nonce: 'short', replace: false } }),
      changed(signed, { expiresAt: 'soon' }),
    ])
      expect([400, 422]).toContain(await post(body));
    expect(liar.context.store.read()).toBe(before);
  });

  test('returns 403 for a command that the operator has not signed for this node and time, and changes nothing', async () => {
    const before = liar.context.store.read();
    const { boot } = await liar.context.dealings.view();
    const other = { node: createIdentity('0f'.repeat(32)).publicKey, boot };
    for (const body of [
      { ...(await command()), signature: '00'.repeat(64) },
      await command(createIdentity('0f'.repeat(32))),
      changed(await command(), { action: { do: 'show' } }),
      signCommand(other, { do: 'show' }, operator, Date.now()),
      await command(operator, Date.now() - 40_000),
      await command(operator, Date.now() + 40_000),
    ])
      expect(await post(body)).toBe(403);
    expect(liar.context.store.read()).toBe(before);
  });

  test('returns 403 for a replayed command and 409 for one from before a restart', async () => {
    const { public_key: node, boot } = await liar.context.dealings.view();
    const show = signCommand({ node, boot }, { do: 'show' }, operator, Date.now());
    expect(await post(show)).toBe(200);
    expect(await post(show)).toBe(403);
    expect(
      await post(signCommand({ node, boot: '00'.repeat(16) }, { do: 'show' }, operator, Date.now())),
    ).toBe(409);
  });
});
