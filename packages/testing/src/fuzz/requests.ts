/** Requests to one endpoint, each with a wrong part: body, query, headers, method or path. */
import fc from 'fast-check';
import { brokenBody, hostileJson, hostileText } from './values.ts';

/** A request that succeeds. */
export type Sample = {
  body?: unknown;
  /** Values of the parameters in the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
};

/** An endpoint, with field names from its OpenAPI description. */
export type Shape = {
  method: string;
  /** The path, with `:name` for a parameter. */
  path: string;
  bodyFields: readonly string[];
  queryFields: readonly string[];
};

export type HostileRequest = {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer | undefined;
};

const hasBody = (method: string): boolean => ['POST', 'PUT', 'PATCH'].includes(method);

/** A header's value: no line ends, one byte per character. */
export const headerText = (text: string): string =>
  Buffer.from(text.replaceAll(/[\r\n\0]/g, ' '), 'utf8').toString('latin1');

/** JSON text of an object whose member values are JSON texts. Names can repeat. */
const objectText = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The sample's body with a few members replaced, added, omitted or repeated. */
function changedBody(sample: unknown, fields: readonly string[]): fc.Arbitrary<Buffer> {
  if (!isObject(sample)) return hostileJson.map((text) => Buffer.from(text));
  const whole = Object.entries(sample).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const names = [...new Set([...fields, ...Object.keys(sample)])];
  const name = fc.oneof(
    // Some bodies are empty objects.
    ...(names.length === 0 ? [] : [{ weight: 8, arbitrary: fc.constantFrom(...names) }]),
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toJSON', '', 'unknown_field') },
    { weight: 1, arbitrary: hostileText },
  );
  const change = fc.tuple(name, hostileJson, fc.constantFrom('set', 'set', 'set', 'drop', 'repeat'));
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    let members = [...whole];
    for (const [changed, value, how] of changes) {
      if (how !== 'repeat') members = members.filter(([own]) => own !== changed);
      if (how !== 'drop') members.push([changed, value]);
    }
    return Buffer.from(objectText(members));
  });
}

/** Every field of the schema with a hostile value, or omitted. */
const fieldsBody = (fields: readonly string[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      ...fields.map((field) =>
        fc.option(
          hostileJson.map((value) => [field, value] as const),
          { freq: 4 },
        ),
      ),
    )
    .map((members) => Buffer.from(objectText(members.filter((member) => member !== null))));

/** A prefix of a valid body. */
const cutBody = (sample: unknown): fc.Arbitrary<Buffer> => {
  const bytes = Buffer.from(JSON.stringify(sample ?? {}));
  return fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length));
};

function bodies({ bodyFields }: Shape, { body }: Sample): fc.Arbitrary<Buffer | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: changedBody(body, bodyFields) },
    { weight: 4, arbitrary: fieldsBody(bodyFields) },
    { weight: 2, arbitrary: hostileJson.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: brokenBody },
    { weight: 1, arbitrary: cutBody(body) },
    { weight: 1, arbitrary: fc.constant(body === undefined ? undefined : Buffer.from(JSON.stringify(body))) },
  );
}

const contentTypes = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/json;charset="latin1"',
      'APPLICATION/JSON',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
      ';',
    ),
  },
);

/** No text of a body: a hostile new key of one account would authenticate the requests of another. */
const hostileKey = hostileText.map((text) => text.replaceAll('A', 'E'));

/** Headers that change how a request is read. */
const otherHeaders = fc.oneof(
  fc.uuid().map((id) => ['Idempotency-Key', id] as const),
  fc.constantFrom('', 'x'.repeat(256), 'é', '\t').map((key) => ['Idempotency-Key', headerText(key)] as const),
  // NOTE: excludes blocks of the near future, because the relayer waits for them.
  fc
    .constantFrom('0', '00', '-1', '1.5', '0x1', 'x', '99999999', '99999999999999999999')
    .map((block) => ['X-Min-Block', block] as const),
  hostileText.map((text) => ['X-Correlation-Id', headerText(text)] as const),
  hostileText.map((text) => ['X-Wallet-Auth', headerText(text)] as const),
  hostileText.map(
    (text) =>
      [
        'X-Wallet-Auth',
        Buffer.from(JSON.stringify({ typed_data: text, signature: text })).toString('base64'),
      ] as const,
  ),
  hostileKey.map((key) => ['Authorization', headerText(`Bearer ${key}`)] as const),
  hostileText.map((text) => ['Authorization', headerText(text)] as const),
  hostileKey.map((key) => ['X-Api-Key', headerText(key)] as const),
  hostileText.map((text) => ['Accept', headerText(text)] as const),
  hostileText.map((text) => ['Stripe-Signature', headerText(text)] as const),
  hostileText.map((text) => ['Cookie', headerText(text)] as const),
  hostileText.map((text) => ['Cookie', headerText(`__Host-session=${text}; session=${text}`)] as const),
  fc
    .constantFrom('gzip', 'deflate', 'br', 'identity', 'x-unknown')
    .map((coding) => ['Content-Encoding', coding] as const),
  fc.constantFrom<readonly [string, string]>(
    ['Accept', 'text/csv'],
    ['Accept', 'image/png'],
    ['Accept-Encoding', 'gzip, br'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '203.0.113.7, 10.0.0.1'],
    ['X-Forwarded-Host', 'attacker.example'],
    ['Forwarded', 'for="[::1]"'],
    ['Origin', 'https://attacker.example'],
    ['Range', 'bytes=0-'],
    ['If-None-Match', '*'],
    ['Expect', 'the-unexpected'],
    ['Upgrade', 'h2c'],
    ['TE', 'trailers'],
    ['Via', '1.1 proxy'],
  ),
);

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function queries({ queryFields }: Shape, { query = {} }: Sample): fc.Arbitrary<string> {
  const text = fc.oneof(
    hostileText.map(encoded),
    fc.constantFrom('%', '%00', '%ff', '%c0%80', '[]', 'a%5B%5D=1', ''),
  );
  const names = [...queryFields, 'unknown', '__proto__', 'page_number[]', 'page_size[gt]', ''];
  const member = fc.tuple(fc.constantFrom(...names), text).map(([name, value]) => `${name}=${value}`);
  const valid = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(valid.join('&')) },
    {
      weight: 3,
      arbitrary: fc.array(member, { maxLength: 4 }).map((members) => [...valid, ...members].join('&')),
    },
    { weight: 2, arbitrary: fc.array(member, { maxLength: 4 }).map((members) => members.join('&')) },
  );
}

/** The path with the parameters of the sample, or with other ones. */
function namedPaths(path: string, { params = {} }: Sample): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return fc.constant(segment);
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant(params[segment.slice(1)] ?? segment) },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 1, arbitrary: hostileText.map((text) => encoded(text).slice(0, 3_000)) },
    );
  });
  return fc.tuple(...segments).map((all) => all.join('/'));
}

/** Mostly the path itself, otherwise a similar one. */
const paths = (shape: Shape, sample: Sample): fc.Arbitrary<string> =>
  fc
    .tuple(
      namedPaths(shape.path, sample),
      fc.option(
        fc.constantFrom<(path: string) => string>(
          (path) => `${path}/`,
          (path) => `/${path}`,
          (path) => `${path}%00`,
          (path) => `${path}%2f`,
          (path) => `${path}/../../../etc/passwd`,
          (path) => `${path};a=b`,
          (path) => `${path}/%`,
          (path) => path.toUpperCase(),
          (path) => `http://attacker.example${path}`,
          () => '*',
          () => '/%',
        ),
        { freq: 20 },
      ),
    )
    .map(([path, change]) => change?.(path) ?? path);

const methods = (method: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(method) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'HEAD',
        'TRACE',
        'PROPFIND',
        'QUERY',
      ),
    },
  );

/** `credentials`: headers that authenticate the sample. Most requests include them. */
export function hostileRequests(
  shape: Shape,
  sample: Sample,
  credentials: Record<string, string>,
): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      method: methods(shape.method),
      path: paths(shape, sample),
      query: queries(shape, sample),
      body: hasBody(shape.method)
        ? bodies(shape, sample)
        : fc.option(brokenBody, { nil: undefined, freq: 6 }),
      contentType: contentTypes,
      others: fc.array(otherHeaders, { maxLength: 3 }),
      hasCredentials: fc.integer({ min: 0, max: 9 }).map((value) => value > 0),
      hasOwnHeaders: fc.boolean(),
    })
    .map(({ method, path, query, body, contentType, others, hasCredentials, hasOwnHeaders }) => ({
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers: [
        ['Content-Type', contentType] as const,
        ...(hasCredentials ? Object.entries(credentials) : []),
        ...(hasOwnHeaders ? Object.entries(sample.headers ?? {}) : []),
        ...others,
      ],
      body,
    }));
}

/** Returns the bytes of a correctly framed request. */
export function encodeRequest({ method, target, headers, body }: HostileRequest): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined && !hasBody(method) ? [] : [`Content-Length: ${body?.length ?? 0}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}
