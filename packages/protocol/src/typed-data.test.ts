import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import vectors from '../vectors/typed-data.json' with { type: 'json' };
import {
  buildTypedData,
  MAX_TYPED_DATA_BYTES,
  type PrimaryType,
  primaryTypes,
  typedDataDigest,
} from './envelope.ts';
import { checkTypedData, TypedDataError, type TypedDataStep } from './typed-data.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const now = 1_800_000_000n;
const claim = { primaryType: 'CreateWallet', address, chainId: 31_337n, issuedAt: now } as const;
const expected = { primaryType: 'CreateWallet', chainId: 31_337n, now } as const;

// biome-ignore lint/suspicious/noExplicitAny: the tests assign any value to any field.
type Loose = any;

/** Returns the envelope as JSON, changed by `change`. */
function envelope(change: (data: Loose) => void = () => {}): Loose {
  const data = JSON.parse(
    JSON.stringify(buildTypedData(claim), (_key, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  );
  change(data);
  return data;
}

function refusedFor(step: TypedDataStep, value: unknown, wanted = expected as Loose): void {
  let error: unknown;
  try {
    checkTypedData(value, wanted);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(TypedDataError);
  expect((error as TypedDataError).step).toBe(step);
}

test('an envelope, as an object or as text, decodes to its claim', () => {
  expect(checkTypedData(envelope(), expected)).toEqual(claim);
  expect(checkTypedData(JSON.stringify(envelope()), expected)).toEqual(claim);
});

test.each([
  ['decimal text', '31337', String(now)],
  ['hexadecimal text', '0x7a69', `0x${now.toString(16)}`],
])('accepts numbers as %s', (_form, chainId, issuedAt) => {
  const data = envelope((data) => {
    data.domain.chainId = chainId;
    data.message.issuedAt = issuedAt;
  });
  expect(checkTypedData(data, expected)).toEqual(claim);
});

test.each([
  ['lower case', address.toLowerCase()],
  ['capitals', `0x${address.slice(2).toUpperCase()}`],
])('accepts the address in %s', (_case, text) => {
  const data = envelope((data) => {
    data.message.address = text;
  });
  expect(checkTypedData(data, expected)).toEqual(claim);
});

test.each(vectors)('the digest of $primaryType equals the vector', (vector) => {
  expect(
    typedDataDigest({
      primaryType: vector.primaryType as PrimaryType,
      address: vector.address as `0x${string}`,
      chainId: BigInt(vector.chainId),
      issuedAt: BigInt(vector.issuedAt),
    }),
  ).toBe(vector.digest);
});

test('a wallet signs the digest', async () => {
  const account = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
  const signature = await account.signTypedData(buildTypedData(claim) as Loose);
  expect(await account.sign({ hash: typedDataDigest(claim) })).toBe(signature);
});

describe('refused by its schema', () => {
  const changes: Record<string, (data: Loose) => void> = {
    'a field at the top': (data) => {
      data.extra = 1;
    },
    'a field of the domain': (data) => {
      data.domain.salt = '0x';
    },
    'a field of the message': (data) => {
      data.message.nonce = 1;
    },
    'a third type': (data) => {
      data.types.Other = [];
    },
    'a field of a field': (data) => {
      data.types.CreateWallet[0].extra = 1;
    },
    'an extra field of a type': (data) => {
      data.types.CreateWallet.push({ name: 'nonce', type: 'uint256' });
    },
    'a missing field of a type': (data) => {
      data.types.CreateWallet.pop();
    },
    'fields of the message in another order': (data) => {
      data.types.CreateWallet.reverse();
    },
    'fields of the domain in another order': (data) => {
      data.types.EIP712Domain.reverse();
    },
    'another type of a field': (data) => {
      data.types.CreateWallet[1].type = 'uint64';
    },
    'no domain type': (data) => {
      delete data.types.EIP712Domain;
    },
    'a primary type that is not declared': (data) => {
      data.primaryType = 'BillingAuth';
    },
    'an unknown primary type': (data) => {
      data.types = { EIP712Domain: data.types.EIP712Domain, Permit: data.types.CreateWallet };
      data.primaryType = 'Permit';
    },
    'a wrong checksum': (data) => {
      data.message.address = address.replace('C51812dc', 'c51812DC');
    },
    'a fraction': (data) => {
      data.message.issuedAt = Number(now) + 0.5;
    },
    'a negative number': (data) => {
      data.message.issuedAt = -1;
    },
    'a number with a leading zero': (data) => {
      data.message.issuedAt = `0${now}`;
    },
    'a number with a space': (data) => {
      data.message.issuedAt = ` ${now}`;
    },
    'a number in upper-case hexadecimal': (data) => {
      data.domain.chainId = '0X7A69';
    },
    'a number of 257 bits': (data) => {
      data.domain.chainId = (1n << 256n).toString();
    },
    'a list instead of an object': (data) => {
      data.message = [data.message];
    },
    'a stringified message': (data) => {
      data.message = JSON.stringify(data.message);
    },
  };
  test.each(Object.entries(changes))('%s', (_name, change) => refusedFor('schema', envelope(change)));

  test.each([[null], [undefined], [1], [[]], ['null'], ['1'], ['"text"']])(
    '%j instead of an envelope',
    (value) => refusedFor('schema', value),
  );

  test('text of text', () => refusedFor('schema', JSON.stringify(JSON.stringify(envelope()))));
});

test('accepts 4,096 bytes and refuses 4,097, as text and as an object', () => {
  const text = JSON.stringify(envelope());
  const padded = (length: number) => text + ' '.repeat(length - text.length);
  expect(checkTypedData(padded(MAX_TYPED_DATA_BYTES), expected)).toEqual(claim);
  refusedFor('size', padded(MAX_TYPED_DATA_BYTES + 1));
  refusedFor(
    'size',
    envelope((data) => {
      data.domain.name = 'é'.repeat(MAX_TYPED_DATA_BYTES / 2);
    }),
  );
});

test('refuses malformed JSON before the schema', () => {
  refusedFor('json', '{');
  refusedFor('json', '');
});

test.each(primaryTypes)('an envelope for CreateWallet is refused for another purpose (%s)', (primaryType) => {
  if (primaryType === 'CreateWallet') expect(checkTypedData(envelope(), expected)).toEqual(claim);
  else refusedFor('primaryType', envelope(), { ...expected, primaryType });
});

test.each<[string, (data: Loose) => void]>([
  [
    'name',
    (data) => {
      data.domain.name = 'Service';
    },
  ],
  [
    'version',
    (data) => {
      data.domain.version = '2';
    },
  ],
  [
    'chain',
    (data) => {
      data.domain.chainId = 1;
    },
  ],
])('another %s is refused by the domain', (_name, change) => refusedFor('domain', envelope(change)));

test.each([300n, -300n])('accepts a clock difference of %d seconds', (seconds) => {
  expect(checkTypedData(envelope(), { ...expected, now: now + seconds })).toEqual(claim);
});

test.each([301n, -301n])('refuses a clock difference of %d seconds', (seconds) =>
  refusedFor('time', envelope(), { ...expected, now: now + seconds }),
);

test('refuses a duplicate name at every level', () => {
  const text = JSON.stringify(envelope());
  for (const [once, twice] of [
    ['"primaryType":"CreateWallet"', '"primaryType":"CreateWallet","primaryType":"CreateWallet"'],
    ['"version":"1"', '"version":"1","version":"1"'],
    ['"issuedAt":', `"issuedAt":1,"issuedAt":`],
    ['"EIP712Domain":', '"EIP712Domain":[],"EIP712Domain":'],
  ] as const) {
    expect(text).toContain(once);
    refusedFor('json', text.replace(once, twice));
  }
});
