/** Lists of honest key nodes, and the changes that a hostile relayer makes to them. */
import {
  createIdentity,
  hashOfEntry,
  type Identity,
  NO_ENTRY,
  type ReleaseEntry,
  signHead,
} from '@latchkey/key-protocol';
import { expect, test } from 'vitest';
import { verifyKeyReleases } from './index.ts';

const PATH = 77n;
const NONCE = 'ab'.repeat(16);
const [first, second] = [createIdentity('01'.repeat(32)), createIdentity('02'.repeat(32))];
const approvedNodes = [first.publicKey, second.publicKey];

type List = { head: string; signature: string; entries: string[] };

/** The list of a node that released for these statements, of which it keeps those from `kept`, and whose head counts `skipped` more. */
function listOf(
  node: Identity,
  statements: number[],
  { kept = 1, nonce = NONCE, path = PATH, limit = 100, before = statements.length + 1, skipped = 0 } = {},
): List {
  const texts: string[] = [];
  let previous = NO_ENTRY;
  for (const [i, statement] of statements.entries()) {
    const entry: ReleaseEntry = {
      version: 1,
      sequence: i + 1,
      previous,
      time: 1_000 + statement,
      block: 7,
      kind: 'wallet',
      usageKeyHash: '0x1f',
      cid: 'QmCid',
      wallet: null,
      run: null,
      statement: `${statement}`.padStart(32, '0'),
      runner: 'cc'.repeat(32),
      relayer: 'dd'.repeat(32),
    };
    const text = JSON.stringify(entry);
    texts.push(text);
    previous = hashOfEntry(text);
  }
  const signed = signHead(
    {
      version: 1,
      node: node.publicKey,
      path: `0x${path.toString(16)}`,
      nonce,
      time: 5_000,
      sequence: texts.length + skipped,
      hash: previous,
      first: kept,
    },
    node,
  );
  const entries = texts.slice(kept - 1, before - 1).reverse();
  return { ...signed, entries: entries.slice(0, limit) };
}

const verify = (nodes: List[], more: Partial<Parameters<typeof verifyKeyReleases>[0]> = {}) =>
  verifyKeyReleases({ nodes, nonce: NONCE, derivationPath: PATH, approvedNodes, ...more });

test('merges the releases of the nodes by request, newest first', async () => {
  const { releases, nodes, end } = await verify([listOf(first, [1, 3]), listOf(second, [1, 2, 3])]);
  expect(releases.map(({ statement, nodes }) => [Number(statement), nodes.length])).toEqual([
    [3, 2],
    [2, 1],
    [1, 2],
  ]);
  expect(releases[0]).toMatchObject({ usageKeyHash: 0x1fn, cid: 'QmCid', time: new Date(1_003) });
  expect(nodes).toEqual([
    { node: first.publicKey, count: 2, first: 1 },
    { node: second.publicKey, count: 3, first: 1 },
  ]);
  expect(end).toBeUndefined();
});

test('accepts an empty list, and one whose oldest entries were deleted after their time', async () => {
  expect((await verify([listOf(first, [])])).releases).toEqual([]);
  expect((await verify([listOf(first, [1, 2, 3], { kept: 3 })])).releases).toHaveLength(1);
  expect((await verify([listOf(first, [1, 2], { kept: 3 })])).releases).toEqual([]);
});

test('verifies that a page continues the one before', async () => {
  const statements = [1, 2, 3, 4];
  const { end } = await verify([listOf(first, statements, { limit: 2 })]);
  expect(end?.[first.publicKey]).toMatchObject({ sequence: 3 });
  const after = end ?? {};
  expect((await verify([listOf(first, statements, { before: 3 })], { after })).releases).toHaveLength(2);
  const refused = { code: 'unverified_releases' };
  for (const list of [
    listOf(first, statements, { before: 2 }),
    listOf(first, [1, 9, 3, 4], { before: 3 }),
    listOf(second, statements, { before: 3 }),
    listOf(first, statements, { limit: 0 }),
  ])
    await expect(verify([list], { after })).rejects.toMatchObject(refused);
});

const whole = listOf(first, [1, 2, 3]);
test.each<[string, List[]]>([
  ['without the newest entry', [{ ...whole, entries: whole.entries.slice(1) }]],
  ['without an entry in the middle', [{ ...whole, entries: whole.entries.toSpliced(1, 1) }]],
  ['without all entries', [{ ...whole, entries: [] }]],
  ['that skips a number', [listOf(first, [1, 2, 3], { skipped: 1 })]],
  ['in another order', [{ ...whole, entries: whole.entries.toReversed() }]],
  ['with a changed entry', [{ ...whole, entries: whole.entries.map((text) => text.replace('QmCid', 'Qm')) }]],
  ['with an entry of its own', [{ ...whole, entries: [whole.entries[0] ?? '', ...whole.entries] }]],
  ['with the signed head of an earlier question', [listOf(first, [1, 2], { nonce: 'cd'.repeat(16) })]],
  ['of another wallet', [listOf(first, [], { path: 78n })]],
  ['with a changed head', [{ ...whole, head: whole.head.replace('"sequence":3', '"sequence":2') }]],
  ['signed by another node', [{ ...whole, signature: listOf(second, [1, 2, 3]).signature }]],
  ['of a node that it made up', [listOf(createIdentity('09'.repeat(32)), [])]],
  ['of one node twice', [whole, whole]],
  ['that is malformed', [{ ...whole, head: '{' }]],
])('refuses a list %s', async (_, nodes) => {
  await expect(verify(nodes)).rejects.toMatchObject({ code: 'unverified_releases' });
});
