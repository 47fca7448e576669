/**
 * `node relayer/test/mutated-envelopes.ts [--count N] [--seed S]`: wallet proofs with up to three changes each, sent to
 * the verifier. It must accept exactly the proofs with only harmless changes, for the wallet that signed them.
 */
import { parseArgs } from 'node:util';
import { buildTypedData, type PrimaryType, primaryTypes, typedDataDigest } from '@latchkey/protocol';
import { pick, type Random, randomFrom } from '@latchkey/testing/random';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, concat, type Hex, hexToBigInt, numberToHex, slice, toHex } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';
import { createWalletVerifier, WalletProofError } from '../src/auth/wallet-proof.ts';

const CHAIN_ID = 31_337;
const NOW_SEC = 1_900_000_000n;
const order = secp256k1.Point.Fn.ORDER;

// biome-ignore lint/suspicious/noExplicitAny: anything may be anywhere in a changed envelope.
type Loose = any;
type Draft = {
  data: Loose;
  /** Serialises the envelope. Default: as an object. */
  text?: (json: string) => string;
  signature: string;
  wanted: PrimaryType;
};
type Change = { name: string; place: string; valid: boolean; apply: (draft: Draft, random: Random) => void };

/** The object at a level of the envelope. */
const levels = ['top', 'types', 'domain', 'message', 'field of the domain', 'field of the message'] as const;
function at(data: Loose, level: (typeof levels)[number], random: Random): Loose {
  if (level === 'top') return data;
  if (level === 'field of the domain') return pick(random, data.types.EIP712Domain);
  if (level === 'field of the message') return pick(random, data.types[data.primaryType]);
  return data[level];
}

function rebuild(object: Loose, entries: [string, unknown][]): void {
  for (const key of Object.keys(object)) delete object[key];
  for (const [key, value] of entries) object[key] = value;
}

const parts = (signature: string) => ({
  r: slice(signature as Hex, 0, 32),
  s: hexToBigInt(slice(signature as Hex, 32, 64)),
  v: Number(slice(signature as Hex, 64)),
});

const decoys = [
  ['address', `0x${'77'.repeat(20)}`],
  ['primaryType', 'BillingAuth'],
  ['chainId', 1],
  ['verifyingContract', `0x${'77'.repeat(20)}`],
  ['salt', `0x${'00'.repeat(32)}`],
  ['nonce', 0],
  ['__proto__', { address: `0x${'77'.repeat(20)}` }],
  ['constructor', 1],
  ['Address', null],
] as const;

/** Returns the text of the envelope with one member repeated at some brace of the object. */
function duplicate(json: string, random: Random): string {
  const members = [
    ...json.matchAll(/"(?:name|type|version|chainId|address|issuedAt|primaryType)":(?:"[^"]*"|\d+)/g),
  ];
  const { 0: member, index } = pick(random, members);
  return `${json.slice(0, index)}${member},${json.slice(index)}`;
}

const spaces = (json: string, bytes: number) => json + ' '.repeat(bytes - json.length);
const forms = (value: bigint, random: Random) => pick(random, [String(value), `0x${value.toString(16)}`]);

const changes: Change[] = [
  // Harmless changes.
  {
    name: 'as text',
    place: 'text',
    valid: true,
    apply: (d) => {
      d.text = (json) => json;
    },
  },
  {
    name: 'text with spaces',
    place: 'text',
    valid: true,
    apply: (d) => {
      d.text = (json) => JSON.stringify(JSON.parse(json), null, 2);
    },
  },
  {
    name: '4,096 bytes',
    place: 'text',
    valid: true,
    apply: (d) => {
      d.text = (json) => spaces(json, 4_096);
    },
  },
  {
    name: 'chainId as text',
    place: 'domain',
    valid: true,
    apply: (d, r) => {
      d.data.domain.chainId = forms(BigInt(CHAIN_ID), r);
    },
  },
  {
    name: 'issuedAt as text',
    place: 'issuedAt',
    valid: true,
    apply: (d, r) => {
      d.data.message.issuedAt = forms(BigInt(d.data.message.issuedAt), r);
    },
  },
  {
    name: 'address in one case',
    place: 'address',
    valid: true,
    apply: (d, r) => {
      const digits = d.data.message.address.slice(2);
      d.data.message.address = `0x${pick(r, [digits.toLowerCase(), digits.toUpperCase()])}`;
    },
  },
  {
    name: 'order of members in an object',
    place: 'order',
    valid: true,
    apply: (d, r) => {
      const object = pick(r, [d.data, d.data.types, d.data.domain, d.data.message]);
      rebuild(object, Object.entries(object).reverse());
    },
  },
  {
    name: 'v of 0 and 1',
    place: 'signature',
    valid: true,
    apply: (d) => {
      d.signature = concat([slice(d.signature as Hex, 0, 64), toHex(parts(d.signature).v - 27, { size: 1 })]);
    },
  },
  {
    name: 'compact',
    place: 'signature',
    valid: true,
    apply: (d) => {
      const { r, s, v } = parts(d.signature);
      d.signature = concat([r, numberToHex((BigInt(v - 27) << 255n) | s, { size: 32 })]);
    },
  },
  {
    name: 'uppercase signature',
    place: 'signature',
    valid: true,
    apply: (d) => {
      d.signature = `0x${d.signature.slice(2).toUpperCase()}`;
    },
  },
  // Changes of the text.
  {
    name: 'a repeated name',
    place: 'text',
    valid: false,
    apply: (d, r) => {
      d.text = (json) => duplicate(json, r);
    },
  },
  {
    name: '4,097 bytes',
    place: 'text',
    valid: false,
    apply: (d) => {
      d.text = (json) => spaces(json, 4_097);
    },
  },
  {
    name: 'truncated text',
    place: 'text',
    valid: false,
    apply: (d, r) => {
      d.text = (json) => json.slice(0, r(json.length));
    },
  },
  {
    name: 'text of a text',
    place: 'text',
    valid: false,
    apply: (d) => {
      d.text = (json) => JSON.stringify(json);
    },
  },
  {
    name: 'a trailing value',
    place: 'text',
    valid: false,
    apply: (d) => {
      d.text = (json) => `${json}{}`;
    },
  },
  {
    name: 'a byte order mark',
    place: 'text',
    valid: false,
    apply: (d) => {
      d.text = (json) => `\u{feff}${json}`;
    },
  },
  // Changes of the structure.
  {
    name: 'a decoy',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      const object = at(d.data, pick(r, levels), r);
      const [name, value] = pick(
        r,
        decoys.filter(([key]) => !Object.hasOwn(object, key)),
      );
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    },
  },
  {
    name: 'an additional type',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      d.data.types[
        pick(r, ['Person', 'Mail', 'address', ...primaryTypes.filter((type) => !(type in d.data.types))])
      ] = d.data.types[d.data.primaryType];
    },
  },
  {
    name: 'a missing member',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      const object = at(d.data, pick(r, levels), r);
      delete object[pick(r, Object.keys(object))];
    },
  },
  {
    name: 'fields in another order',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      const fields = pick(r, [d.data.types.EIP712Domain, d.data.types[d.data.primaryType]]);
      fields.push(fields.shift());
    },
  },
  {
    name: 'a repeated field',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      const fields = pick(r, [d.data.types.EIP712Domain, d.data.types[d.data.primaryType]]);
      fields.push({ ...pick(r, fields as object[]) });
    },
  },
  {
    name: 'another type of a field',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      at(d.data, pick(r, ['field of the domain', 'field of the message'] as const), r).type = pick(r, [
        'uint',
        'bytes32',
        'uint64',
        'address payable',
        'String',
        '',
        1,
        null,
      ]);
    },
  },
  {
    name: 'another name of a field',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      at(d.data, pick(r, ['field of the domain', 'field of the message'] as const), r).name = pick(r, [
        'Name',
        'wallet',
        'issued_at',
        '',
        1,
        null,
      ]);
    },
  },
  {
    name: 'fields as an object',
    place: 'structure',
    valid: false,
    apply: (d) => {
      d.data.types[d.data.primaryType] = { ...d.data.types[d.data.primaryType] };
    },
  },
  {
    name: 'another value for an object',
    place: 'structure',
    valid: false,
    apply: (d, r) => {
      d.data[pick(r, ['types', 'domain', 'message'])] = pick(r, [null, [], '', 1, true]);
    },
  },
  {
    name: 'in an array',
    place: 'structure',
    valid: false,
    apply: (d) => {
      d.data = [d.data];
    },
  },
  // Changes of values.
  {
    name: 'for another endpoint',
    place: 'primaryType',
    valid: false,
    apply: (d, r) => {
      d.wanted = pick(
        r,
        primaryTypes.filter((type) => type !== d.wanted),
      );
    },
  },
  {
    name: 'renamed to another primary type',
    place: 'primaryType',
    valid: false,
    apply: (d, r) => {
      const { primaryType } = d.data;
      const other = pick(
        r,
        primaryTypes.filter((type) => type !== primaryType),
      );
      rebuild(d.data.types, [
        ['EIP712Domain', d.data.types.EIP712Domain],
        [other, d.data.types[primaryType]],
      ]);
      d.data.primaryType = other;
      d.wanted = other;
    },
  },
  {
    name: 'an unknown primary type',
    place: 'primaryType',
    valid: false,
    apply: (d, r) => {
      d.data.primaryType = pick(r, ['createWallet', 'CreateWallet ', 'EIP712Domain', '', null, 0]);
    },
  },
  {
    name: 'another name of the domain',
    place: 'domain',
    valid: false,
    apply: (d, r) => {
      d.data.domain.name = pick(r, ['Service Chainsecured', 'Service ChainSecured ', '', 'Latchkey', null]);
    },
  },
  {
    name: 'another version',
    place: 'domain',
    valid: false,
    apply: (d, r) => {
      d.data.domain.version = pick(r, ['2', '1.0', '01', '', 1]);
    },
  },
  {
    name: 'another chain',
    place: 'domain',
    valid: false,
    apply: (d, r) => {
      d.data.domain.chainId = pick(r, [
        1,
        0,
        CHAIN_ID + 1,
        '31338',
        `0x${(BigInt(CHAIN_ID) + (1n << 256n)).toString(16)}`,
        -CHAIN_ID,
        31_337.5,
        '31337.0',
        ' 31337',
        '031337',
        '0X7a69',
        '',
        null,
        [CHAIN_ID],
      ]);
    },
  },
  {
    name: 'another time',
    place: 'issuedAt',
    valid: false,
    apply: (d, r) => {
      d.data.message.issuedAt = pick(r, [
        0,
        Number(NOW_SEC) - 301,
        Number(NOW_SEC) + 301,
        Number(NOW_SEC) * 1_000,
        -1,
        1.5,
        '',
        'now',
        null,
        [Number(NOW_SEC)],
        '0x',
        '1e9',
      ]);
    },
  },
  {
    name: 'a time that was not signed',
    place: 'issuedAt',
    valid: false,
    apply: (d, r) => {
      d.data.message.issuedAt =
        Number(d.data.message.issuedAt) === Number(NOW_SEC) ? Number(NOW_SEC) - 1 - r(299) : Number(NOW_SEC);
    },
  },
  {
    name: 'another address',
    place: 'address',
    valid: false,
    apply: (d, r) => {
      d.data.message.address = privateKeyToAddress(numberToHex(1n + BigInt(r(1_000)), { size: 32 }));
    },
  },
  {
    name: 'a wrong checksum',
    place: 'address',
    valid: false,
    apply: (d) => {
      const digits = [...d.data.message.address] as string[];
      const i = digits.findIndex((digit, index) => index > 1 && /[a-f]/i.test(digit));
      const digit = digits[i] as string;
      digits[i] = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
      d.data.message.address = digits.join('');
    },
  },
  {
    name: 'not an address',
    place: 'address',
    valid: false,
    apply: (d, r) => {
      d.data.message.address = pick(r, [
        '',
        '0x',
        d.data.message.address.slice(2),
        `${d.data.message.address}0`,
        d.data.message.address.slice(0, -1),
        `0X${d.data.message.address.slice(2)}`,
        ` ${d.data.message.address}`,
        null,
        1,
      ]);
    },
  },
  // Changes of the signature.
  {
    name: 'a high s',
    place: 'signature',
    valid: false,
    apply: (d) => {
      const { r, s, v } = parts(d.signature);
      d.signature = concat([r, numberToHex(order - s, { size: 32 }), toHex(55 - v, { size: 1 })]);
    },
  },
  {
    name: 'another v',
    place: 'signature',
    valid: false,
    apply: (d, r) => {
      const { v } = parts(d.signature);
      d.signature = concat([
        slice(d.signature as Hex, 0, 64),
        toHex(pick(r, [55 - v, 28 - v, 2, 26, 29, 35, 37, 255]), { size: 1 }),
      ]);
    },
  },
  {
    name: 'a compact one of the other parity',
    place: 'signature',
    valid: false,
    apply: (d) => {
      const { r, s, v } = parts(d.signature);
      d.signature = concat([r, numberToHex((BigInt(28 - v) << 255n) | s, { size: 32 })]);
    },
  },
  {
    name: 'a flipped bit',
    place: 'signature',
    valid: false,
    apply: (d, r) => {
      const bit = 1n << BigInt(8 + r(512));
      d.signature = numberToHex(hexToBigInt(d.signature as Hex) ^ bit, { size: 65 });
    },
  },
  {
    name: 'another length',
    place: 'signature',
    valid: false,
    apply: (d, r) => {
      const more = concat([d.signature as Hex, `0x${'00'.repeat(4_100)}`]);
      d.signature = slice(more, 0, pick(r, [1, 32, 63, 66, 96, 130, 4_096, 4_097]));
    },
  },
  {
    name: 'not hex',
    place: 'signature',
    valid: false,
    apply: (d, r) => {
      d.signature = pick(r, [
        '',
        '0x',
        d.signature.slice(2),
        `0X${d.signature.slice(2)}`,
        `${d.signature} `,
        `${d.signature.slice(0, -1)}g`,
        d.signature.slice(0, -1),
      ]);
    },
  },
  {
    name: 'zeros',
    place: 'signature',
    valid: false,
    apply: (d, r) => {
      const { r: half } = parts(d.signature);
      const zero: Hex = `0x${'00'.repeat(32)}`;
      d.signature = concat(
        pick(r, [
          [zero, zero, '0x1b'],
          [half, zero, '0x1b'],
          [zero, half, '0x1c'],
          [numberToHex(order, { size: 32 }), half, '0x1b'],
        ] as Hex[][]),
      );
    },
  },
];

export const changeNames: string[] = changes.map(({ name }) => name);

const areOutsideOfStructure = new Set(['text', 'signature']);

/** Changes of one part can undo each other, and a change of the structure can remove what another change needs. */
function areInTheWay(a: Change, b: Change): boolean {
  if (a.place === b.place) return true;
  if (a.place === 'structure') return !areOutsideOfStructure.has(b.place);
  return b.place === 'structure' && !areOutsideOfStructure.has(a.place);
}

type Signed = { primaryType: PrimaryType; address: Address; issuedAt: bigint; signature: Hex };

/** Claims over the whole time window, each signed once. */
async function signedClaims(): Promise<Signed[]> {
  const claims = [];
  for (let i = 0; i < 400; i++) {
    const privateKey = numberToHex(2_000_003n + BigInt(i), { size: 32 });
    const address = privateKeyToAddress(privateKey);
    const primaryType = primaryTypes[i % primaryTypes.length] as PrimaryType;
    const issuedAt =
      NOW_SEC + ([-300n, 300n, 0n][i % 3] ?? 0n) + (i % 3 === 2 ? BigInt((i % 599) - 299) : 0n);
    const hash = typedDataDigest({ primaryType, address, chainId: BigInt(CHAIN_ID), issuedAt });
    claims.push({ primaryType, address, issuedAt, signature: await sign({ hash, privateKey, to: 'hex' }) });
  }
  return claims;
}

function createDraft({ primaryType, address, issuedAt, signature }: Signed): Draft {
  const data = JSON.parse(
    JSON.stringify(
      buildTypedData({ primaryType, address, chainId: BigInt(CHAIN_ID), issuedAt }),
      (_key, value) => (typeof value === 'bigint' ? Number(value) : value),
    ),
  );
  return { data, signature, wanted: primaryType };
}

export type Outcome = { accepted: number; refused: number; byChange: Map<string, number> };

/** Throws at the first wrong verdict, with the data to reproduce it. */
export async function checkMutatedEnvelopes(
  count: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): Promise<Outcome> {
  const claims = await signedClaims();
  // No wallet here has code, so the contract never accepts a signature.
  const verify = createWalletVerifier(
    CHAIN_ID,
    { read: async () => false as never },
    () => Number(NOW_SEC) * 1_000,
  );
  const random = randomFrom(seed);
  const outcome: Outcome = { accepted: 0, refused: 0, byChange: new Map() };
  for (let i = 0; i < count; i++) {
    const signed = pick(random, claims);
    const draft = createDraft(signed);
    const made: Change[] = [];
    for (let left = random(4); left > 0; left--) {
      const change = pick(random, changes);
      if (made.some((other) => areInTheWay(change, other))) continue;
      change.apply(draft, random);
      made.push(change);
    }
    for (const { name } of made) outcome.byChange.set(name, (outcome.byChange.get(name) ?? 0) + 1);
    const json = JSON.stringify(draft.data);
    const typed_data: unknown = draft.text ? draft.text(json) : JSON.parse(json);
    const expected = made.every(({ valid }) => valid) ? signed.address : undefined;
    const found = await verify({ typed_data, signature: draft.signature }, draft.wanted).catch(
      (thrown: unknown) => {
        if (thrown instanceof WalletProofError) return undefined;
        throw thrown;
      },
    );
    if (found !== expected) {
      const names = made.map(({ name }) => name).join(', ') || 'nothing';
      const proof = JSON.stringify({ typed_data, signature: draft.signature, wanted: draft.wanted });
      throw new Error(
        `seed ${seed}, proof ${i}, changed: ${names}: expected ${expected}, found ${found}\n${proof}`,
      );
    }
    if (found) outcome.accepted++;
    else outcome.refused++;
    if ((i + 1) % 50_000 === 0) onProgress(i + 1);
  }
  return outcome;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
  });
  const [count, seed] = [Number(values.count), Number(values.seed)];
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
    console.error('node relayer/test/mutated-envelopes.ts [--count N] [--seed S]');
    process.exit(2);
  }
  const { accepted, refused, byChange } = await checkMutatedEnvelopes(count, seed, (done) =>
    console.log(`envelopes: ${done.toLocaleString('en-US')} of ${count.toLocaleString('en-US')}`),
  );
  for (const [name, times] of [...byChange].sort()) console.log(`  ${name} ${times}`);
  console.log(`${accepted} accepted, ${refused} refused, all as expected`);
}
