/** Checks of the relayer's settings against each other. */
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import type { CrossCheck } from '@latchkey/service/settings';
import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

/** Public defaults for the local chain: its second development account, a passphrase for a disposable root secret, and a seed. */
const LOCAL_PAYER = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
export const LOCAL_PASSPHRASE = 'local';
export const LOCAL_IDENTITY = '00'.repeat(32);

type Checked = {
  CHAIN_ID: number;
  PAYER_PRIVATE_KEYS?: Hex[] | undefined;
  PAYERS?: string[] | undefined;
  PAYER_REFILL_BELOW_ETHER?: bigint | undefined;
  PAYER_REFILL_UP_TO_ETHER?: bigint | undefined;
  PAYER_REFILL_ETHER_PER_DAY?: bigint | undefined;
  ROOT_SECRET_PASSPHRASE: string;
  ROOT_SECRET?: string | undefined;
  RELAYER_IDENTITY: string;
  STRIPE_SECRET_KEY?: string | undefined;
  STRIPE_PUBLISHABLE_KEY?: string | undefined;
  STRIPE_WEBHOOK_SECRETS?: string[] | undefined;
};

/** Returns the keys that are settings; the local one when no payer is named. */
export const payerKeysOf = ({
  PAYER_PRIVATE_KEYS: keys,
  PAYERS,
}: Pick<Checked, 'PAYER_PRIVATE_KEYS' | 'PAYERS'>): Hex[] => keys ?? (PAYERS ? [] : [LOCAL_PAYER]);

const payersAreDistinct: CrossCheck<Checked> = ({ PAYER_PRIVATE_KEYS: keys = [] }) =>
  new Set(keys.map((key) => key.toLowerCase())).size === keys.length
    ? undefined
    : 'PAYER_PRIVATE_KEYS: a key is listed twice';
const payersAreScalars: CrossCheck<Checked> = ({ PAYER_PRIVATE_KEYS: keys = [] }) => {
  try {
    for (const key of keys) privateKeyToAddress(key);
    return undefined;
  } catch {
    return 'PAYER_PRIVATE_KEYS: not every key is a secp256k1 scalar';
  }
};
const localPayerStaysLocal: CrossCheck<Checked> = (env) =>
  env.CHAIN_ID !== LOCAL_CHAIN_ID && payerKeysOf(env).some((key) => key.toLowerCase() === LOCAL_PAYER)
    ? 'PAYER_PRIVATE_KEYS: required on this chain unless PAYERS names the payers; the default key is public'
    : undefined;
const localPassphraseStaysLocal: CrossCheck<Checked> = (env) =>
  env.CHAIN_ID !== LOCAL_CHAIN_ID &&
  env.ROOT_SECRET === undefined &&
  env.ROOT_SECRET_PASSPHRASE === LOCAL_PASSPHRASE
    ? 'ROOT_SECRET_PASSPHRASE or ROOT_SECRET: required on this chain; the default passphrase is public'
    : undefined;
const rootSecretIsOne: CrossCheck<Checked> = (env) =>
  env.ROOT_SECRET !== undefined && env.ROOT_SECRET_PASSPHRASE !== LOCAL_PASSPHRASE
    ? 'ROOT_SECRET, ROOT_SECRET_PASSPHRASE: set one of them'
    : undefined;
/** Returns the limits of refills in wei; undefined when none is set. */
export function refillOf({
  PAYER_REFILL_BELOW_ETHER: belowWei,
  PAYER_REFILL_UP_TO_ETHER: upToWei,
  PAYER_REFILL_ETHER_PER_DAY: perDayWei,
}: Checked) {
  if (belowWei === undefined || upToWei === undefined || perDayWei === undefined) return undefined;
  return Object.freeze({ belowWei, upToWei, perDayWei });
}
const refillIsWhole: CrossCheck<Checked> = (env) => {
  const names = [
    'PAYER_REFILL_BELOW_ETHER',
    'PAYER_REFILL_UP_TO_ETHER',
    'PAYER_REFILL_ETHER_PER_DAY',
  ] as const;
  if (names.every((name) => env[name] === undefined)) return undefined;
  const limits = refillOf(env);
  return limits && limits.belowWei < limits.upToWei
    ? undefined
    : `${names.join(', ')}: set all three, the first below the second`;
};
const stripeIsWhole: CrossCheck<Checked> = (env) => {
  const settings = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRETS'] as const;
  const missing = settings.filter((name) => env[name] === undefined);
  return missing.length === 0 || missing.length === settings.length
    ? undefined
    : `${missing.join(', ')}: required when another Stripe setting is set`;
};
const stripeKeysAreNotSwapped: CrossCheck<Checked> = ({
  STRIPE_SECRET_KEY: secret,
  STRIPE_PUBLISHABLE_KEY: shown,
}) =>
  secret?.startsWith('pk_') || (shown !== undefined && !shown.startsWith('pk_'))
    ? 'STRIPE_PUBLISHABLE_KEY: must begin with pk_, and STRIPE_SECRET_KEY must not'
    : undefined;
const localIdentityStaysLocal: CrossCheck<Checked> = (env) =>
  env.CHAIN_ID !== LOCAL_CHAIN_ID && env.RELAYER_IDENTITY === LOCAL_IDENTITY
    ? 'RELAYER_IDENTITY: required on this chain; the default seed is public'
    : undefined;

export const crossChecks = [
  payersAreDistinct,
  payersAreScalars,
  localPayerStaysLocal,
  localPassphraseStaysLocal,
  rootSecretIsOne,
  localIdentityStaysLocal,
  refillIsWhole,
  stripeIsWhole,
  stripeKeysAreNotSwapped,
];
