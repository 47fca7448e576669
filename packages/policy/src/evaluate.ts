/** Decides about requests. Depends on the policy, the request and the time only. */
import type { AbiMember, AbiValue } from './abi.ts';
import {
  conditionsMismatch,
  type DecodedCall,
  findCall,
  type Mismatch,
  operatorsMismatch,
  rangeMismatch,
  setMismatch,
  shown,
  slicesMismatch,
  UndecidableError,
} from './conditions.ts';
import { select } from './paths.ts';
import {
  type AuthorizationRule,
  type DataRule,
  type Limit,
  type MessageRule,
  type Policy,
  type Range,
  type Rule,
  type Time,
  type TransactionRule,
  type TypedDataRule,
  type Values,
  weekdays,
} from './policy.ts';
import type {
  AuthorizationRequest,
  HashRequest,
  MessageRequest,
  Request,
  TransactionRequest,
  TypedDataRequest,
} from './request.ts';

/** The part of a limit that a request takes: `amount` of `limit` per window. Integers are decimal. */
type Use = { name: string; amount: string; limit: string; windowSeconds: number };
/** An allow rule that fits, with what the request takes of its limits. */
type Candidate = { rule: string; uses: Use[] };

/**
 * `allowed` has the allow rules that fit, in their order: the first one whose limits have enough left decides. A refusal has the deny
 * rule that decided, if it was one.
 */
export type Decision =
  | { allowed: true; candidates: Candidate[] }
  | { allowed: false; rule?: string; reason: string };

type Described = { members: AbiMember[]; values: AbiValue[] };
/** Why a rule does not fit, or the parameters that its limits can name. */
type Fit = { mismatch: string } | { described?: Described | undefined };

/** @param nowMs Unix time in milliseconds. */
export function evaluate(policy: Policy, request: Request, nowMs: number): Decision {
  const reasons: string[] = [];
  const candidates: Candidate[] = [];
  for (const rule of policy.rules.filter(({ kind }) => isOf(kind, request.kind))) {
    const found = apply(rule, request, nowMs);
    if (rule.effect === 'deny') {
      if ('mismatch' in found) continue;
      return {
        allowed: false,
        rule: rule.name,
        reason: `the rule "${rule.name}" denies it${found.note ?? ''}`,
      };
    }
    if ('mismatch' in found) reasons.push(`"${rule.name}": ${found.mismatch}`);
    else candidates.push({ rule: rule.name, uses: found.uses });
  }
  if (candidates.length > 0) return { allowed: true, candidates };
  const why = reasons.length > 0 ? reasons.join('; ') : `the policy has no rule for ${request.kind}`;
  return { allowed: false, reason: `no rule allows it: ${why}` };
}

const isOf = (kind: Rule['kind'], asked: Request['kind']): boolean =>
  kind === asked ||
  (kind === 'transaction' && (asked === 'sign_transaction' || asked === 'send_transaction'));

type Applied = { mismatch: string } | { uses: Use[]; note?: string };

function apply(rule: Rule, request: Request, nowMs: number): Applied {
  try {
    const mismatch =
      (rule.wallets && setMismatch('the wallet', request.wallet, rule.wallets, '')) ??
      (rule.time && timeMismatch(rule.time, nowMs));
    if (mismatch !== undefined) return { mismatch };
    const fit = fitOf(rule, request);
    if ('mismatch' in fit) return fit;
    return takeLimits(rule.limits ?? [], request, fit.described);
  } catch (error) {
    if (!(error instanceof UndecidableError)) throw error;
    return rule.effect === 'deny' ? { uses: [], note: `: ${error.message}` } : { mismatch: error.message };
  }
}

function timeMismatch({ from, until, days, hours }: Time, nowMs: number): Mismatch {
  const date = new Date(nowMs);
  if (from !== undefined && nowMs < from * 1_000)
    return `the rule begins at ${new Date(from * 1_000).toISOString()}`;
  if (until !== undefined && nowMs >= until * 1_000)
    return `the rule ended at ${new Date(until * 1_000).toISOString()}`;
  if (days && !days.includes(weekdays[date.getUTCDay()] as (typeof weekdays)[number]))
    return 'the rule does not apply on this day';
  const minute = 60 * date.getUTCHours() + date.getUTCMinutes();
  const isIn = (first: number, end: number): boolean =>
    first < end ? minute >= first && minute < end : minute >= first || minute < end;
  return hours && !hours.some((range) => isIn(minuteOf(range.from), minuteOf(range.until)))
    ? 'the rule does not apply at this hour'
    : undefined;
}

const minuteOf = (hour: string): number => 60 * Number(hour.slice(0, 2)) + Number(hour.slice(3));

function fitOf(rule: Rule, request: Request): Fit {
  switch (rule.kind) {
    case 'message':
      return fit(messageMismatch(rule, request as MessageRequest));
    case 'typed_data':
      return typedDataFit(rule, request as TypedDataRequest);
    case 'authorization':
      return fit(authorizationMismatch(rule, request as AuthorizationRequest));
    case 'hash':
      return fit(named(rule, 'hash', (request as HashRequest).hash, rule.hashes, request.wallet));
    default:
      return transactionFit(rule, request as TransactionRequest);
  }
}

const fit = (mismatch: Mismatch, described?: Described): Fit =>
  mismatch === undefined ? { described } : { mismatch };

/** An allow rule refuses what it does not name. */
const named = (
  { effect }: Pick<Rule, 'effect'>,
  name: string,
  value: string | undefined,
  values: Values | undefined,
  wallet: string,
): Mismatch => setMismatch(name, value, values ?? (effect === 'allow' ? [] : 'any'), wallet);

function messageMismatch({ effect, text, bytes }: MessageRule, request: MessageRequest): Mismatch {
  if (effect === 'allow' && text === undefined && bytes === undefined) return 'it names no message';
  if (text !== undefined && request.text === undefined) return 'the message is not text in UTF-8';
  const { wallet } = request;
  return (
    (text !== undefined && text !== 'any'
      ? operatorsMismatch(
          'the message',
          { type: { kind: 'string' }, value: request.text as string },
          text,
          wallet,
        )
      : undefined) ??
    (bytes !== undefined && bytes !== 'any'
      ? operatorsMismatch('the message', { type: { kind: 'bytes' }, value: request.bytes }, bytes, wallet)
      : undefined)
  );
}

function typedDataFit(rule: TypedDataRule, request: TypedDataRequest): Fit {
  const { domain, wallet, members, values } = request;
  const types = rule.types ?? (rule.effect === 'allow' ? [] : 'any');
  const isListed =
    types === 'any' || types.includes(request.encodedType) || types.includes(request.primaryType);
  const mismatch =
    named(rule, 'domain.chainId', domain.chainId, rule.chains, wallet) ??
    named(rule, 'domain.verifyingContract', domain.verifyingContract, rule.contracts, wallet) ??
    setMismatch('domain.name', domain.name, rule.names, '') ??
    setMismatch('domain.version', domain.version, rule.versions, '') ??
    setMismatch('domain.salt', domain.salt, rule.salts, '') ??
    (isListed ? undefined : `the type ${shown(request.encodedType)} is not listed`) ??
    (rule.fields && conditionsMismatch(members, values, rule.fields, wallet));
  return fit(mismatch, { members, values });
}

function authorizationMismatch(rule: AuthorizationRule, request: AuthorizationRequest): Mismatch {
  const { chainId, contract, nonce, wallet } = request;
  const isEveryChain = chainId === 0 && rule.effect === 'allow';
  const chains = isEveryChain && !Array.isArray(rule.chains) ? [] : rule.chains;
  return (
    named(rule, 'chainId', String(chainId), chains, wallet) ??
    named(rule, 'contract', contract, rule.contracts, wallet) ??
    (rule.nonce && rangeMismatch('nonce', BigInt(nonce), rule.nonce))
  );
}

/** Undefined when the service chooses a number of the transaction. */
const feeOf = ({ gas, maxFeePerGas }: TransactionRequest): bigint | undefined =>
  gas === undefined || maxFeePerGas === undefined ? undefined : gas * maxFeePerGas;

function knownRange(name: string, value: bigint | undefined, range: Range | undefined): Mismatch {
  if (range === undefined) return undefined;
  if (value === undefined) throw new UndecidableError(`${name} is missing: the rule limits it`);
  return rangeMismatch(name, value, range);
}

function transactionFit(rule: TransactionRule, request: TransactionRequest): Fit {
  const { wallet, to, value } = request;
  const isAllow = rule.effect === 'allow';
  const range = rule.value ?? (isAllow ? { max: '0' } : 'any');
  const types = rule.types ?? (isAllow ? ['eip1559'] : undefined);
  const mismatch =
    named(rule, 'chainId', String(request.chainId), rule.chains, wallet) ??
    targetMismatch(rule, to, wallet) ??
    (range === 'any' ? undefined : rangeMismatch('value', value, range)) ??
    (types && !types.includes(request.type) ? `the type ${request.type} is not listed` : undefined) ??
    (isAllow && rule.access_list === undefined && request.accessList.length > 0
      ? 'it does not name an access list'
      : undefined) ??
    feeMismatch(rule, request);
  if (mismatch !== undefined) return { mismatch };
  const data = rule.data ?? (isAllow ? { max_length: 0 } : 'any');
  return dataFit(data, request);
}

function targetMismatch(rule: TransactionRule, to: string | null, wallet: string): Mismatch {
  if (rule.create) return to === null ? undefined : 'the transaction creates no contract';
  if (to !== null) return named(rule, 'to', to, rule.to, wallet);
  return rule.effect === 'allow' || rule.to !== undefined ? 'the transaction creates a contract' : undefined;
}

function feeMismatch(rule: TransactionRule, request: TransactionRequest): Mismatch {
  const { gas, maxFeePerGas, maxPriorityFeePerGas, nonce } = request;
  if (rule.effect === 'allow' && rule.fee === undefined) return 'it names no fee';
  return (
    (rule.fee === 'any' ? undefined : knownRange('the fee', feeOf(request), rule.fee)) ??
    knownRange('gas', gas, rule.gas) ??
    knownRange('maxFeePerGas', maxFeePerGas, rule.max_fee_per_gas) ??
    knownRange('maxPriorityFeePerGas', maxPriorityFeePerGas, rule.max_priority_fee_per_gas) ??
    knownRange('nonce', nonce === undefined ? undefined : BigInt(nonce), rule.nonce)
  );
}

function dataFit(rule: DataRule, { data, wallet }: TransactionRequest): Fit {
  if (rule === 'any') return {};
  if ('functions' in rule) {
    const call: DecodedCall | string = findCall('data', data, rule.functions, wallet);
    return typeof call === 'string' ? { mismatch: call } : { described: call };
  }
  if ('selectors' in rule)
    return fit(
      setMismatch('the selector', data.length < 10 ? undefined : data.slice(0, 10), rule.selectors, ''),
    );
  const { slices, ...others } = rule;
  const mismatch =
    operatorsMismatch('data', { type: { kind: 'bytes' }, value: data }, others, wallet) ??
    (slices && slicesMismatch('data', data, slices));
  return fit(mismatch);
}

function takeLimits(limits: Limit[], request: Request, described: Described | undefined): Applied {
  const uses: Use[] = [];
  for (const { name, of, max, window, per = [] } of limits) {
    const amount = amountOf(of, request, described);
    if (amount > BigInt(max))
      return { mismatch: `${of} ${amount} is more than the limit "${name}" of ${max}` };
    // Nothing to count.
    if (amount === 0n) continue;
    const parts = per.map((field) => shown(partOf(field, request, described)));
    const whole = [name, ...parts].join('/');
    uses.push({ name: whole, amount: String(amount), limit: max, windowSeconds: window });
  }
  return { uses };
}

function amountOf(of: string, request: Request, described: Described | undefined): bigint {
  if (of === 'count') return 1n;
  const transaction = request as TransactionRequest;
  const amount = of === 'value' ? transaction.value : of === 'fee' ? feeOf(transaction) : undefined;
  if (amount !== undefined) return amount;
  if (!described || of === 'fee') throw new UndecidableError(`${of} is missing: the rule limits it`);
  const selected = select(described.members, described.values, of.slice(of.indexOf('.') + 1)) ?? [];
  return selected.reduce((sum, { value }) => sum + (value as bigint), 0n);
}

function partOf(field: string, request: Request, described: Described | undefined): unknown {
  if (field === 'chain')
    return request.kind === 'typed_data' ? request.domain.chainId : (request as TransactionRequest).chainId;
  if (field === 'to') return (request as TransactionRequest).to;
  if (field === 'contract')
    return request.kind === 'typed_data'
      ? request.domain.verifyingContract
      : (request as AuthorizationRequest).contract;
  const [found] = described
    ? (select(described.members, described.values, field.slice(field.indexOf('.') + 1)) ?? [])
    : [];
  return found?.value;
}
