import { decodeGroupParameters, encodeGroupParameters, encodeInput, evaluate } from '@latchkey/threshold';
import { generate, range, split } from '@latchkey/threshold/testing';
import { beforeAll, expect, test } from 'vitest';
import { certifyAction, publicKeyIn } from './action-keys.ts';
import { createReleases } from './releases.ts';
import { createRunKeys } from './run-keys.ts';
import { type Behaviour, nodesThat, ofGroup, group as ofNodes } from './testing.ts';

const group = ofNodes.parameters.groupPublicKey;
const CID = 'QmCertified';
const run = { usageKeyHash: '0x1f', cid: CID };
const permitting: Behaviour = (_, purpose) => {
  if (purpose.kind === 'action') return { evaluation: { kind: 'action', cid: purpose.cid } };
  if (purpose.kind !== 'action-public-key') return undefined;
  return { evaluation: { kind: purpose.kind, cid: purpose.cid, publicKey: purpose.publicKey } };
};
const releases = createReleases({ ...ofGroup, onWrongAnswer() {} });

type Certificate = {
  publicKey: string;
  parameters: string;
  partials: { identifier: number; partial: string }[];
};
let text: string;
let genuine: Certificate;
beforeAll(async () => {
  text = await certifyAction(releases, nodesThat(permitting).ask, run);
  genuine = JSON.parse(text);
});

test('proves the public key of the action, also after a refresh', async () => {
  const { ask } = nodesThat(permitting);
  const keys = createRunKeys({
    releases,
    ask,
    ...run,
    publicKeyOf: () => Promise.reject(new Error('own')),
  });
  expect(publicKeyIn(text, CID, group)).toBe(await keys.getActionPublicKey({ ipfsId: CID }));
  const secret = 5n;
  const [before, after] = [split(secret, 2, range(3), 1), split(secret, 2, range(3), 2)];
  const signed = signedBy(before.shares, encodeGroupParameters(before.parameters));
  expect(publicKeyIn(JSON.stringify(signed), CID, after.parameters.groupPublicKey)).toBe(
    `0x${signed.publicKey}`,
  );
});

test('asks the nodes for the key and the signature of this action only', async () => {
  const { ask, asked } = nodesThat(permitting);
  await certifyAction(releases, ask, run);
  expect(asked).toEqual([
    { kind: 'action', ...run },
    { kind: 'action-public-key', ...run, publicKey: genuine.publicKey },
  ]);
});

type Shares = ReturnType<typeof generate>['shares'];
/** A certificate of another public key, signed with these shares. */
function signedBy(shares: Shares, parameters: string, publicKey = `02${'11'.repeat(32)}`): Certificate {
  const input = encodeInput({ kind: 'action-public-key', cid: CID, publicKey });
  const partials = shares.map((share) => ({
    identifier: share.identifier,
    partial: Buffer.from(evaluate(decodeGroupParameters(parameters), share, input)).toString('base64'),
  }));
  return { publicKey, parameters, partials };
}
const [corrupt] = ofNodes.shares;
if (!corrupt) throw new Error('no share');

test.each<[string, () => unknown]>([
  ['of another public key', () => ({ ...genuine, publicKey: `02${'11'.repeat(32)}` })],
  [
    'signed by fewer nodes than the threshold',
    () => ({ ...genuine, partials: genuine.partials.slice(0, 1) }),
  ],
  ['signed twice by one node', () => ({ ...genuine, partials: Array(2).fill(genuine.partials[0]) })],
  [
    'signed by one corrupt node, twice',
    () => {
      const signed = signedBy([corrupt], genuine.parameters);
      return { ...signed, partials: Array(2).fill(signed.partials[0]) };
    },
  ],
  [
    'signed by a corrupt node and by the nodes for another key',
    () => {
      const signed = signedBy([corrupt], genuine.parameters);
      return { ...signed, partials: [...signed.partials, ...genuine.partials] };
    },
  ],
  [
    'signed by another group',
    () => {
      const { parameters, shares } = generate(2, 3);
      return signedBy(shares, encodeGroupParameters(parameters));
    },
  ],
  [
    'signed by another group under the parameters of this one',
    () => ({
      ...signedBy(generate(2, 3).shares, genuine.parameters),
    }),
  ],
  [
    'with an answer of an action key',
    () => ({
      ...genuine,
      partials: genuine.partials.map((partial) => ({
        ...partial,
        partial: Buffer.from(
          evaluate(
            decodeGroupParameters(genuine.parameters),
            corrupt,
            encodeInput({ kind: 'action', cid: CID }),
          ),
        ).toString('base64'),
      })),
    }),
  ],
  ['without parameters', () => ({ ...genuine, parameters: '' })],
  ['with more members', () => ({ ...genuine, cid: CID })],
  ['that is not an object', () => null],
])('refuses a certificate %s', (_, make) => {
  expect(() => publicKeyIn(JSON.stringify(make()), CID, group)).toThrow('is not proven');
});

test('refuses the certificate of another action, and text that is not JSON', () => {
  expect(publicKeyIn(text, CID, group)).toBe(`0x${genuine.publicKey}`);
  expect(() => publicKeyIn(text, 'QmOther', group)).toThrow('does not hold');
  expect(() => publicKeyIn('{', CID, group)).toThrow('is not proven');
});
