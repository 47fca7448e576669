import {
  createIdentity,
  type DealingAction,
  type DealingMessage,
  encodeApprovedNodes,
  type Participant,
  sessionOf,
  signCommand,
  signDealingMessage,
} from '@latchkey/key-protocol';
import { createLogger } from '@latchkey/service/logger';
import { encodeJointSetup, jointGeneration } from '@latchkey/threshold';
import { beforeEach, expect, test } from 'vitest';
import type { NodeState, NodeStore } from '../node-store.ts';
import { createAcceptedCommands } from './commands.ts';
import { createDealings } from './dealings.ts';
import type { Published } from './proposal.ts';
import { DealingError } from './stored-dealing.ts';
import type { DealingView } from './view.ts';

const operator = createIdentity('0b'.repeat(32));
const boot = '0e'.repeat(16);
const nonce = 'ab'.repeat(32);

/** The group that the operators of all nodes refuse. */
let refused: string | undefined;
let isWaiting = false;
const consent = {
  async require() {
    if (isWaiting) throw new DealingError('refused', 'the node waits');
  },
  async requireNotRefused(group: string) {
    if (group === refused) throw new DealingError('refused', 'the operator of this node refused this group');
  },
};

type TestNode = {
  publicKey: string;
  store: NodeStore;
  command: (action: DealingAction) => Promise<DealingView>;
};

/** A node with its store in memory, on a contract that publishes this. */
function createNode(seed: string, published: Published, chainId = 31_337): TestNode {
  const identity = createIdentity(seed);
  let state: NodeState = { identity: seed, current: null, next: null, dealing: null };
  const store: NodeStore = {
    read: () => state,
    async change(members) {
      state = { ...state, ...members(state) };
    },
  };
  const { publicKey } = identity;
  const dealings = createDealings({
    chainId,
    store,
    identity,
    boot,
    commands: createAcceptedCommands({ operator: operator.publicKey, node: publicKey, boot }),
    published: async () => published,
    consent,
    peers: undefined,
    promote: async () => {},
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  return {
    publicKey,
    store,
    command: (action) => dealings.run(signCommand({ node: publicKey, boot }, action, operator, Date.now())),
  };
}

let published: Published;
let nodes: TestNode[];
let participants: Participant[];
const at = (index: number): TestNode => nodes[index] as TestNode;

const proposalOf = (members: Participant[], threshold = 2, session = sessionOf(nonce, members)) => {
  const setup = jointGeneration(session, { threshold, nodes: [1, 2, 3] });
  return {
    do: 'propose' as const,
    nonce,
    setup: Buffer.from(encodeJointSetup(setup)).toString('hex'),
    participants: members,
  };
};

beforeEach(async () => {
  refused = undefined;
  isWaiting = false;
  published = { group: '', approved: '' };
  nodes = ['01', '02', '03'].map((byte) => createNode(byte.repeat(32), published));
  published.approved = encodeApprovedNodes({
    threshold: 2,
    identities: nodes.map(({ publicKey }) => publicKey),
  });
  participants = [];
  for (const [i, node] of nodes.entries()) {
    const { dealing } = await node.command({ do: 'join', nonce, replace: false });
    if (!dealing) throw new Error('no dealing');
    participants.push({ dealer: i + 1, receiver: i + 1, ...dealing.invitation });
  }
});

const replaced = (index: number, fields: Partial<Participant>): Participant[] =>
  participants.map((participant, i) => (i === index ? { ...participant, ...fields } : participant));

test.each<[string, () => DealingAction, string]>([
  [
    'whose session is not the hash of its keys',
    () => proposalOf(participants, 2, '00'.repeat(32)),
    'the session is not the hash',
  ],
  [
    'with an encryption key that the node has not signed',
    () => proposalOf(replaced(1, { encryption: '09'.repeat(32) })),
    'has not signed its keys',
  ],
  [
    'with two participants of one identity',
    () => proposalOf(replaced(1, { ...participants[0], dealer: 2, receiver: 2 })),
    'two participants have one key',
  ],
  [
    'whose participants differ from the setup',
    () => proposalOf(replaced(2, { receiver: null })),
    'the participants',
  ],
  [
    'of a lower threshold than approved',
    () => proposalOf(participants, 1),
    'approves a group of 2 of 3 nodes, not one of 1 of 3 nodes',
  ],
  [
    'with a node that the contract does not approve',
    () => {
      published.approved = encodeApprovedNodes({
        threshold: 2,
        identities: [at(0).publicKey, at(1).publicKey],
      });
      return proposalOf(participants);
    },
    `does not approve the node with the key`,
  ],
  [
    'when the contract approves no nodes',
    () => {
      published.approved = '';
      return proposalOf(participants);
    },
    'approves no key nodes',
  ],
  [
    'of a first group when the contract publishes one',
    () => {
      published.group = 'another group';
      return proposalOf(participants);
    },
    'not the one that the contract publishes',
  ],
  ['with a malformed setup', () => ({ ...proposalOf(participants), setup: '00' }), 'malformed setup'],
  [
    'of a dealing that the node has not joined',
    () => ({ ...proposalOf(participants), nonce: '00'.repeat(32) }),
    'has not joined this dealing',
  ],
])('refuses a proposal %s', async (_, propose, expected) => {
  const before = at(0).store.read();
  await expect(at(0).command(propose())).rejects.toThrow(expected);
  expect(at(0).store.read()).toBe(before);
});

test.each([
  [1, 'the threshold must be at least 2'],
  [3, 'must have at least 5 nodes, not 3'],
])(
  'refuses a group of three nodes with threshold %s outside the local chain, although it is approved',
  async (threshold, expected) => {
    published.approved = encodeApprovedNodes({
      threshold: 1,
      identities: nodes.map(({ publicKey }) => publicKey),
    });
    const node = createNode('01'.repeat(32), published, 1);
    const { dealing } = await node.command({ do: 'join', nonce, replace: false });
    if (!dealing) throw new Error('no dealing');
    const members = replaced(0, dealing.invitation);
    await expect(node.command(proposalOf(members, threshold))).rejects.toThrow(expected);
    published.approved = encodeApprovedNodes({
      threshold: 2,
      identities: nodes.map(({ publicKey }) => publicKey),
    });
    expect((await node.command(proposalOf(members, 2))).dealing?.messages).toHaveLength(3);
  },
);

test('returns the same state for a repeated proposal, and takes no other one of the session', async () => {
  const first = await at(0).command(proposalOf(participants));
  expect(first.dealing?.messages).toHaveLength(3);
  expect(await at(0).command(proposalOf(participants))).toEqual(first);
  await expect(at(0).command(proposalOf(replaced(0, { dealer: 3 })))).rejects.toThrow(
    'with other participants',
  );
});

test('replaces an unfinished dealing only when the operator says so', async () => {
  await at(0).command(proposalOf(participants));
  const join = { do: 'join' as const, nonce: 'cd'.repeat(32) };
  await expect(at(0).command({ ...join, replace: false })).rejects.toThrow('finish or replace it');
  expect((await at(0).command({ ...join, replace: true })).dealing).toMatchObject({
    nonce: join.nonce,
    session: null,
  });
});

/** Proposes, and relays the messages of all nodes until this round is open. */
async function proceed(to: string): Promise<{ session: string; messages: DealingMessage[] }> {
  const proposal = proposalOf(participants);
  const session = sessionOf(nonce, participants);
  let views = await Promise.all(nodes.map((node) => node.command(proposal)));
  for (;;) {
    const round = views[0]?.dealing?.round;
    const messages = views.flatMap((view) => view.dealing?.messages ?? []);
    if (!round || round === 'done' || round === to) return { session, messages };
    for (const [i, node] of nodes.entries()) {
      const others = messages.filter(
        ({ from, receiver }) => from !== node.publicKey && (receiver === 0 || receiver === i + 1),
      );
      await node.command({ do: 'deliver', session, round, messages: others });
    }
    views = await Promise.all(nodes.map((node) => node.command({ do: 'close', session, round })));
  }
}

test('accepts messages of their signers for this node only', async () => {
  const { session, messages } = await proceed('subshares');
  const own = messages.filter(({ receiver, from }) => receiver === 1 && from === at(1).publicKey);
  const foreign = messages.filter(({ receiver }) => receiver === 2);
  const forger = createIdentity('0f'.repeat(32));
  const forged = own.map((message) => ({
    ...signDealingMessage(session, message, forger),
    from: message.from,
  }));
  const stranger = own.map((message) => signDealingMessage(session, message, forger));
  const before = at(0).store.read();
  const deliver = { do: 'deliver' as const, session, round: 'subshares' as const };
  const { dealing } = await at(0).command({ ...deliver, messages: [...forged, ...stranger, ...foreign] });
  expect(dealing?.refused.map(({ reason }) => reason)).toEqual([
    ...own.map(() => 'the signature does not hold'),
    ...own.map(() => 'the sender is not a participant'),
    ...foreign.map(() => 'the message is for receiver 2'),
  ]);
  expect(at(0).store.read()).toBe(before);
  expect((await at(0).command({ ...deliver, messages: own })).dealing?.missing).toEqual([3]);
});

test('does not close a round without all subshares: their complaints would reveal them', async () => {
  const { session } = await proceed('subshares');
  await expect(at(0).command({ do: 'close', session, round: 'subshares' })).rejects.toThrow(
    'no subshares message of 2, 3 has come',
  );
});

test('closes only the open round, and a closed one again without effect', async () => {
  const { session } = await proceed('commitments');
  await expect(at(0).command({ do: 'close', session, round: 'complaints' })).rejects.toThrow(
    'the round commitments is open',
  );
  const before = at(0).store.read();
  await at(0).command({ do: 'close', session, round: 'commit hash' });
  await at(0).command({ do: 'deliver', session, round: 'commit hash', messages: [] });
  expect(at(0).store.read()).toBe(before);
});

test('stores the share with its confirmation, and deletes the keys of the dealing', async () => {
  const { session } = await proceed('confirmation');
  const { next, dealing, current } = at(0).store.read();
  expect(current).toBeNull();
  expect(next).toMatchObject({ identifier: 1 });
  expect(dealing).toMatchObject({
    encryptionSeed: null,
    state: Array(3).fill({ outcome: { share: null }, received: { subshares: {} } }),
  });
  const secrets = [next, ...(next?.signing ?? [])].map((share) => share?.secret);
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) expect(JSON.stringify(dealing)).not.toContain(secret);
  await at(0).command({ do: 'abandon', session });
  expect(at(0).store.read()).toMatchObject({ next, dealing: null });
});

test('does not finish a dealing whose group is not published', async () => {
  const { session } = await proceed('done');
  await expect(at(0).command({ do: 'finish', session })).rejects.toThrow('does not publish the result');
  expect(at(0).store.read().dealing).not.toBeNull();
});

test('takes no part in an approved dealing while it waits', async () => {
  isWaiting = true;
  await expect(at(0).command(proposalOf(participants))).rejects.toThrow('the node waits');
  expect(at(0).store.read().dealing?.state).toBeNull();
});

test('stops a dealing whose group its operator refuses during the dealing, and can still give it up', async () => {
  const { session, messages } = await proceed('subshares');
  refused = published.approved;
  const before = at(0).store.read();
  for (const action of [
    { do: 'show' as const },
    { do: 'deliver' as const, session, round: 'subshares' as const, messages },
    { do: 'close' as const, session, round: 'subshares' as const },
  ])
    await expect(at(0).command(action)).rejects.toThrow('refused this group');
  expect(at(0).store.read()).toBe(before);
  expect((await at(0).command({ do: 'abandon', session })).dealing).toBeNull();
});

test('takes no part in a generation while it has a share, outside the local chain', async () => {
  const node = createNode('01'.repeat(32), published, 1);
  await node.store.change(() => ({
    current: { parameters: 'a group', identifier: 1, secret: '01'.repeat(32), signing: [] },
  }));
  const { dealing } = await node.command({ do: 'join', nonce, replace: false });
  if (!dealing) throw new Error('no dealing');
  const proposal = proposalOf(replaced(0, dealing.invitation));
  await expect(node.command(proposal)).rejects.toThrow(
    'this node has a share, which a new key would replace',
  );
});
