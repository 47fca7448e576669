import type { EvaluationPurpose } from '@latchkey/key-protocol';
import { combine, encodeGroupParameters, encodeInput, evaluate, verifyPartial } from '@latchkey/threshold';
import { generate, range, split } from '@latchkey/threshold/testing';
import { describe, expect, test } from 'vitest';
import { createDecoder, createReleases, type Releases } from './releases.ts';
import { type Behaviour, group, nodesThat, ofGroup } from './testing.ts';

const wallet: EvaluationPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: 'QmCid',
  wallet: `0x${'12'.repeat(20)}`,
  use: 'inside',
};
const evaluation = { kind: 'wallet', path: 77n } as const;
const honest: Behaviour = () => ({ evaluation });

/** The output that all three shares give. */
function expectedOutput(): Uint8Array {
  const input = encodeInput(evaluation);
  const partials = group.shares.map((share) =>
    verifyPartial(group.parameters, share.identifier, input, evaluate(group.parameters, share, input)),
  );
  return combine(group.parameters, input, partials);
}

function release(
  behave: Behaviour,
  end?: { isRefused: boolean; message: string },
  isRight?: Parameters<Releases>[2],
) {
  const faults: { node: number; reason: string }[] = [];
  const releases = createReleases({
    ...ofGroup,
    onWrongAnswer: (node, reason) => faults.push({ node, reason }),
  });
  const { ask, done } = nodesThat(behave, end);
  return {
    released: releases(wallet, ask, isRight),
    done,
    faults: () => faults,
  };
}

test('combines the answers of any two nodes into the same output', async () => {
  for (const silent of [0, 1, 2, 3]) {
    const { released, done } = release((identifier) => (identifier === silent ? undefined : { evaluation }));
    expect(await released).toEqual({ evaluation, output: expectedOutput() });
    expect(done).toEqual([false]);
  }
});

const stranger = generate(2, 3);
const [strangeShare] = stranger.shares;
if (!strangeShare) throw new Error('no share');
test.each<[string, Behaviour, string]>([
  [
    'evaluates with another share',
    (identifier) => ({
      evaluation,
      ...(identifier === 2 && { share: { ...strangeShare, identifier: 2 } }),
    }),
    'the proof does not hold',
  ],
  [
    'evaluates another path than it names',
    (identifier) =>
      identifier === 2 ? { evaluation: { kind: 'wallet', path: 78n }, path: '0x4d' } : { evaluation },
    'the proof does not hold',
  ],
  [
    'names no path',
    (identifier) => ({ evaluation, ...(identifier === 2 && { path: null }) }),
    'did not name the path',
  ],
  [
    'has parameters of another group',
    (identifier) => ({
      evaluation,
      ...(identifier === 2 && { parameters: encodeGroupParameters(stranger.parameters) }),
    }),
    'parameters of another group',
  ],
])('names a node that %s, and combines the answers of the others', async (_, behave, reason) => {
  const slow: Behaviour = (identifier, ...asked) =>
    identifier === 3 ? undefined : behave(identifier, ...asked);
  const alone = release(slow);
  await expect(alone.released).rejects.toThrow('too few key nodes answer');
  expect(alone.faults()).toMatchObject([{ node: 2, reason: expect.stringContaining(reason) }]);
  expect((await release(behave).released).output).toEqual(expectedOutput());
});

test('combines no answers that are proven under different parameters of the group', async () => {
  // Two sharings of one key: the relayer can make up parameters around any share.
  const sharings = [split(5n, 2, range(3)), split(5n, 2, range(3))];
  const behave: Behaviour = (identifier) => {
    const sharing = sharings[identifier - 1];
    return (
      sharing && {
        evaluation,
        share: sharing.shares[identifier - 1],
        parameters: encodeGroupParameters(sharing.parameters),
      }
    );
  };
  const key = sharings[0]?.parameters.groupPublicKey ?? '';
  const releases = createReleases({ group: key, decode: createDecoder(key), onWrongAnswer() {} });
  await expect(releases(wallet, nodesThat(behave).ask)).rejects.toThrow('too few key nodes answer');
});

describe('for a key that can be recognised', () => {
  const isRight: Parameters<Releases>[2] = ({ output }) =>
    Buffer.from(output).equals(Buffer.from(expectedOutput()));
  const unproven: Behaviour = () => ({ evaluation, isUnproven: true });

  test('needs no proofs when the first answers give it', async () => {
    const { released, faults } = release(unproven, undefined, isRight);
    expect((await released).output).toEqual(expectedOutput());
    expect(faults()).toEqual([]);
    await expect(release(unproven).released).rejects.toThrow('too few key nodes answer');
  });

  test.each([1, 2, 3])(
    'names node %s when it gives another one, and combines the answers of the others',
    async (liar) => {
      const share = { ...strangeShare, identifier: liar };
      const lying: Behaviour = (identifier) => ({ evaluation, ...(identifier === liar && { share }) });
      const { released, faults } = release(lying, undefined, isRight);
      expect((await released).output).toEqual(expectedOutput());
      const others = release(
        (identifier, ...asked) => (identifier === (liar % 3) + 1 ? undefined : lying(identifier, ...asked)),
        undefined,
        isRight,
      );
      await expect(others.released).rejects.toThrow('too few key nodes answer');
      expect(others.faults()).toMatchObject([{ node: liar, reason: 'the proof does not hold' }]);
      for (const { node } of faults()) expect(node).toBe(liar);
    },
  );

  test.each(['is right', 'does not answer'])(
    'names a node that lies without a proof, and then %s',
    async (then) => {
      const share = { ...strangeShare, identifier: 1 };
      const lying: Behaviour = (identifier, _, withProof) => {
        if (identifier !== 1) return withProof || identifier === 2 ? { evaluation } : undefined;
        if (!withProof) return { evaluation, share };
        return then === 'is right' ? { evaluation } : undefined;
      };
      const { released, faults, done } = release(lying, undefined, isRight);
      expect((await released).output).toEqual(expectedOutput());
      expect(faults()).toMatchObject([
        { node: 1, reason: 'its answer without a proof differs from the proven one' },
      ]);
      expect(done).toEqual([false, false]);
    },
  );

  test('names no node when they are right and the key is another than expected', async () => {
    const { released, faults } = release(honest, undefined, () => false);
    expect((await released).output).toEqual(expectedOutput());
    expect(faults()).toEqual([]);
  });

  test('names a node that alone names another path', async () => {
    const lying: Behaviour = (identifier) => {
      if (identifier === 3) return undefined;
      return identifier === 2 ? { evaluation: { kind: 'wallet', path: 78n }, path: '0x4d' } : { evaluation };
    };
    const { released, faults } = release(lying, undefined, isRight);
    await expect(released).rejects.toThrow('too few key nodes answer');
    expect(faults()).toMatchObject([{ node: 2 }]);
  });
});

test('does not combine answers for different paths', async () => {
  const each: Behaviour = (identifier) => ({ evaluation: { kind: 'wallet', path: BigInt(identifier) } });
  await expect(release(each).released).rejects.toMatchObject({ isRefused: false });
});

test('does not use an answer to another statement', async () => {
  const replayed = nodesThat(honest);
  const kept: Parameters<Parameters<typeof replayed.ask>[1]>[0][] = [];
  const releases = createReleases({ ...ofGroup, onWrongAnswer() {} });
  await releases(wallet, (statement, onAnswer, onEnd) =>
    replayed.ask(
      statement,
      (answer) => {
        kept.push(answer);
        onAnswer(answer);
      },
      onEnd,
    ),
  );
  const again = releases(wallet, (_, onAnswer, onEnd) => {
    for (const answer of kept) onAnswer(answer);
    onEnd({ isRefused: false, message: 'no more' });
    return () => {};
  });
  await expect(again).rejects.toThrow('no more');
});

test('rejects with the refusal of the nodes', async () => {
  const end = { isRefused: true, message: 'the usage key may not use the wallet in this action' };
  const { released, done } = release(() => undefined, end);
  await expect(released).rejects.toMatchObject({ name: 'KeyNotReleasedError', ...end });
  expect(done).toEqual([true]);
});
