/** Tells a policy in sentences. */
import {
  type Condition,
  type DataRule,
  type FunctionRule,
  type Limit,
  type Operators,
  type Policy,
  type Range,
  type Rule,
  type Time,
  type TransactionRule,
  type TypedDataRule,
  type Values,
  WALLET,
} from './policy.ts';

const KINDS: Record<Rule['kind'], string> = {
  message: 'signing a message',
  typed_data: 'signing typed data',
  transaction: 'signing or sending a transaction',
  sign_transaction: 'signing a transaction that the caller sends',
  send_transaction: 'sending a transaction',
  authorization:
    'signing an authorization that gives the account of the wallet the code of a contract (EIP-7702)',
  hash: 'signing a hash, which can be that of any message or transaction',
};

/** Returns a text with a paragraph per rule. */
export function explainPolicy({ description, rules }: Policy): string {
  const head = [
    ...(description === undefined ? [] : [description]),
    'A request is refused unless a rule allows it. A rule that denies wins over all others.',
  ];
  return [...head, ...rules.map((rule, index) => `${index + 1}. ${explainRule(rule)}`)].join('\n\n');
}

function explainRule(rule: Rule): string {
  const verb = rule.effect === 'allow' ? 'Allows' : 'Denies';
  const parts = [
    ...(rule.wallets ? [`by the wallet ${anyOf(rule.wallets)}`] : []),
    ...explainKind(rule),
    ...(rule.time ? explainTime(rule.time) : []),
    ...(rule.limits ?? []).map(explainLimit),
  ];
  return [
    `"${rule.name}": ${verb} ${KINDS[rule.kind]}${parts.length > 0 ? ':' : '.'}`,
    ...parts.map((part) => `   - ${part}`),
  ].join('\n');
}

function explainKind(rule: Rule): string[] {
  switch (rule.kind) {
    case 'message':
      return [
        ...(rule.text === undefined
          ? []
          : [`whose text ${rule.text === 'any' ? 'is any UTF-8' : operatorText(rule.text)}`]),
        ...(rule.bytes === undefined
          ? []
          : [`whose bytes ${rule.bytes === 'any' ? 'are any' : operatorText(rule.bytes)}`]),
      ];
    case 'typed_data':
      return explainTypedData(rule);
    case 'authorization':
      return [
        ...setText('on the chain', rule.chains),
        ...setText('of the contract', rule.contracts),
        ...rangeText('a nonce', rule.nonce),
      ];
    case 'hash':
      return setText('the hash', rule.hashes);
    default:
      return explainTransaction(rule);
  }
}

function explainTypedData(rule: TypedDataRule): string[] {
  const { types } = rule;
  return [
    ...setText('for the chain', rule.chains),
    ...setText('for the verifying contract', rule.contracts),
    ...setText('for the domain name', rule.names),
    ...setText('for the domain version', rule.versions),
    ...setText('for the domain salt', rule.salts),
    ...(types === undefined ? [] : [types === 'any' ? 'of any type' : `of the type ${anyOf(types)}`]),
    ...(rule.fields ?? []).map(conditionText),
  ];
}

function explainTransaction(rule: TransactionRule): string[] {
  const isAllow = rule.effect === 'allow';
  return [
    ...setText('on the chain', rule.chains),
    ...(rule.create ? ['that creates a contract'] : setText('to', rule.to)),
    ...(rule.value === undefined
      ? isAllow
        ? ['without value']
        : []
      : rangeText('a value in wei', rule.value)),
    ...(rule.data === undefined ? (isAllow ? ['without data'] : []) : explainData(rule.data)),
    ...rangeText('a highest fee in wei', rule.fee),
    ...rangeText('gas', rule.gas),
    ...rangeText('a maximum fee per gas', rule.max_fee_per_gas),
    ...rangeText('a maximum priority fee per gas', rule.max_priority_fee_per_gas),
    ...rangeText('a nonce', rule.nonce),
    ...(rule.types ? [`of the type ${anyOf(rule.types)}`] : isAllow ? ['of the type eip1559'] : []),
    ...(rule.access_list ? ['with any access list'] : []),
  ];
}

function explainData(data: DataRule): string[] {
  if (data === 'any') return ['with any data'];
  if ('functions' in data)
    return data.functions.map((call, index) => `${index === 0 ? 'that' : 'or that'} calls ${callText(call)}`);
  if ('selectors' in data)
    return [`that calls a function with the selector ${anyOf(data.selectors)}, with any parameters`];
  return [`whose data ${operatorText(data)}`];
}

const callText = ({ function: signature, args = [] }: FunctionRule): string =>
  `${signature}${args.length > 0 ? ` where ${args.map(conditionText).join(', and ')}` : ' with any parameters'}`;

const conditionText = ({ path, some, ...operators }: Condition): string => {
  const subject = path.includes('[*]')
    ? `${some ? 'at least one' : 'each'} ${path}`
    : path === ''
      ? 'it'
      : path;
  return `${subject} ${operatorText(operators)}`;
};

function operatorText(operators: Operators): string {
  const { min, max, prefix, suffix, contains, pattern, min_length, max_length, slices, call, any_of } =
    operators;
  return [
    ...(operators.in ? [`is ${anyOf(operators.in)}`] : []),
    ...(operators.not_in ? [`is not ${anyOf(operators.not_in)}`] : []),
    ...(min === undefined ? [] : [`is at least ${min}`]),
    ...(max === undefined ? [] : [`is at most ${max}`]),
    ...(prefix === undefined ? [] : [`begins with ${JSON.stringify(prefix)}`]),
    ...(suffix === undefined ? [] : [`ends with ${JSON.stringify(suffix)}`]),
    ...(contains === undefined ? [] : [`contains ${JSON.stringify(contains)}`]),
    ...(pattern === undefined ? [] : [`matches the pattern ${JSON.stringify(pattern)}`]),
    ...(min_length === undefined ? [] : [`has a length of at least ${min_length}`]),
    ...(max_length === undefined ? [] : [`has a length of at most ${max_length}`]),
    ...(slices ?? []).map(({ offset, bytes }) => `has ${bytes} at byte ${offset}`),
    ...(call ? [`is a call of ${call.map(callText).join(', or of ')}`] : []),
    ...(any_of
      ? [`fulfils (${any_of.map((list) => list.map(conditionText).join(' and ')).join(') or (')})`]
      : []),
  ].join(' and ');
}

/** Returns "a", "a or b", "a, b or c". */
function anyOf(values: readonly string[]): string {
  const shown = values.map((value) => (value === WALLET ? 'the wallet itself' : value === '' ? '""' : value));
  return shown.length === 1 ? (shown[0] as string) : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

function setText(subject: string, values: Values | undefined): string[] {
  if (values === undefined) return [];
  if (values === 'any') return [`${subject}: any`];
  return [
    Array.isArray(values) ? `${subject} ${anyOf(values)}` : `${subject}: any but ${anyOf(values.not_in)}`,
  ];
}

function rangeText(subject: string, range: Range | 'any' | undefined): string[] {
  if (range === undefined) return [];
  if (range === 'any') return [`with ${subject} of any size`];
  const { min, max } = range;
  if (min === max) return [`with ${subject} of ${min}`];
  const least = min === undefined ? undefined : `at least ${min}`;
  const most = max === undefined ? undefined : `at most ${max}`;
  return [`with ${subject} of ${[least, most].filter((part) => part !== undefined).join(' and ')}`];
}

const instantText = (seconds: number): string =>
  new Date(1_000 * seconds).toISOString().replace('.000Z', 'Z');

const explainTime = ({ from, until, days, hours }: Time): string[] => [
  ...(from === undefined ? [] : [`from ${instantText(from)}`]),
  ...(until === undefined ? [] : [`until ${instantText(until)}`]),
  ...(days ? [`on ${anyOf(days)} in UTC`] : []),
  ...(hours
    ? [`from ${hours.map((range) => `${range.from} to ${range.until}`).join(', or from ')} UTC`]
    : []),
];

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function windowText(seconds: number): string {
  const [size, unit] = UNITS.find(([length]) => seconds % length === 0) as (typeof UNITS)[number];
  const count = seconds / size;
  return count === 1 ? unit : `${count} ${unit}s`;
}

function explainLimit({ name, of, max, window, per }: Limit): string {
  const subject = of === 'count' ? `at most ${max} requests` : `at most ${max} of the sum of ${of}`;
  return `${subject} in any ${windowText(window)}${per ? `, for each ${per.join(' and ')}` : ''} (limit "${name}")`;
}
