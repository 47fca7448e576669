/** A policy in its canonical form: the JSON that `parsePolicy` returns and that a built action contains. Nothing here needs a library. */

/** Values of a set, every value except these, or any value. */
export type Values = string[] | { not_in: string[] } | 'any';

/** Least and greatest value, decimal and inclusive. */
export type Range = { min?: string; max?: string };

/** Bytes in hex that a value has at this offset. */
export type Slice = { offset: number; bytes: string };

/** Operators on one value. All of them must hold. Numbers are decimal, addresses and bytes in lower case, booleans `true` or `false`. */
export type Operators = Range & {
  in?: string[];
  not_in?: string[];
  prefix?: string;
  suffix?: string;
  contains?: string;
  pattern?: string;
  /** Of an array, a text in characters, or bytes. */
  min_length?: number;
  max_length?: number;
  slices?: Slice[];
  /** The bytes are a call of one of these functions. */
  call?: FunctionRule[];
  /** Conditions on the members of a tuple or struct, of which one list must hold. */
  any_of?: Condition[][];
};

/** `some`: one selected value must fulfil the operators. Otherwise each selected value must. */
export type Condition = Operators & { path: string; some?: true };

/** `function` is the signature with names, as `transfer(address to,uint256 amount)`; `selector` belongs to it. */
export type FunctionRule = { function: string; selector: string; args?: Condition[] };

export type DataRule =
  | 'any'
  | { functions: FunctionRule[] }
  | { selectors: string[] }
  | Pick<Operators, 'prefix' | 'min_length' | 'max_length' | 'slices'>;

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** UTC: Unix seconds, days, and hours like `09:00`, which can go over midnight. Each `until` is exclusive. */
export type Time = {
  from?: number;
  until?: number;
  days?: (typeof weekdays)[number][];
  hours?: { from: string; until: string }[];
};

/**
 * `of` is `count`, `value`, `fee`, or a path that begins with `args.` or `fields.`. The window is in seconds. `per`: each of its values
 * has a sum of its own.
 */
export type Limit = { name: string; of: string; max: string; window: number; per?: string[] };

type Shared = {
  name: string;
  effect: 'allow' | 'deny';
  wallets?: string[];
  time?: Time;
  /** Only of allow rules. */
  limits?: Limit[];
};

export type MessageRule = Shared & {
  kind: 'message';
  /** The message is UTF-8 and its text is so. */
  text?: Operators | 'any';
  bytes?: Operators | 'any';
};

export type TypedDataRule = Shared & {
  kind: 'typed_data';
  chains?: Values;
  contracts?: Values;
  names?: Values;
  versions?: Values;
  salts?: Values;
  /** Primary types: `Permit`, or with all fields as EIP-712 encodes a type. */
  types?: string[] | 'any';
  fields?: Condition[];
};

export const transactionTypes = ['eip1559', 'eip2930', 'legacy'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export type TransactionRule = Shared & {
  kind: 'transaction' | 'sign_transaction' | 'send_transaction';
  chains?: Values;
  to?: Values;
  /** The transaction creates a contract. */
  create?: true;
  value?: Range | 'any';
  data?: DataRule;
  /** Highest fee in wei: gas times the highest price of it. */
  fee?: Range | 'any';
  gas?: Range;
  max_fee_per_gas?: Range;
  max_priority_fee_per_gas?: Range;
  nonce?: Range;
  types?: TransactionType[];
  access_list?: 'any';
};

/** Of EIP-7702: the wallet's account gets the code of a contract. Chain 0 is every chain, and `any` does not contain it. */
export type AuthorizationRule = Shared & {
  kind: 'authorization';
  chains?: Values;
  contracts?: Values;
  nonce?: Range;
};

type HashRule = Shared & { kind: 'hash'; hashes?: Values };

export type Rule = MessageRule | TypedDataRule | TransactionRule | AuthorizationRule | HashRule;
export type Policy = { version: 1; description?: string; rules: Rule[] };

/** The wallet of the request, as a value of an address. */
export const WALLET = 'wallet';
