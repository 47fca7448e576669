/** The fields of a usage key: on the wire, on the chain, and in words. */
import type { ApiBareClient, BareClient } from './bare-client.ts';
import { LatchkeyError } from './errors.ts';
import { encodeWrite } from './write-definition.ts';

/** Permissions of a usage key. Default: not permitted. `[0n]` means every group, including future ones. */
export interface Permissions {
  canCreateGroups?: boolean | undefined;
  canDeleteGroups?: boolean | undefined;
  canCreatePkps?: boolean | undefined;
  /** Groups whose actions the key is permitted to change, at most 50. */
  manageIpfsIdsInGroups?: readonly bigint[] | undefined;
  /** Groups to which the key is permitted to add wallets, at most 50. */
  addPkpToGroups?: readonly bigint[] | undefined;
  /** Groups from which the key is permitted to remove wallets, at most 50. */
  removePkpFromGroups?: readonly bigint[] | undefined;
  /**
   * Groups whose actions the key is permitted to run, at most 50. `[0n]` permits every action, and a wallet only when a
   * group permits it.
   */
  executeInGroups?: readonly bigint[] | undefined;
}

/** Spending limits of a usage key. Default: unlimited. All values are integers from 1. */
export interface Caps {
  /** Maximum spending in cents: per window, or in total without `spendWindowSeconds`. */
  spendCapCents?: number | undefined;
  /** Length of a spending window in seconds. A window begins with the first spending after the previous one ended. */
  spendWindowSeconds?: number | undefined;
  /** Maximum number of runs the key can begin in any 60 seconds. */
  maxRunsPerMinute?: number | undefined;
  /** Maximum number of concurrent runs of the key. */
  maxConcurrency?: number | undefined;
  /** Longest run of the key, in seconds. */
  maxRunSeconds?: number | undefined;
}

/**
 * Caps are available in API mode only: the relayer stores them, and the contract does not know them. Caps set before a
 * conversion stay in force.
 */
export type CapsOf<client extends BareClient> = client extends ApiBareClient
  ? Caps
  : { [cap in keyof Caps]?: undefined };

/** {@link CapsOf} with every cap: undefined for unlimited. */
export type AllCapsOf<client extends BareClient> = client extends ApiBareClient
  ? Record<keyof Caps, number | undefined>
  : CapsOf<client>;

export type AddUsageApiKeyParameters<client extends BareClient = BareClient> = Permissions & {
  /** At most 128 bytes. Default empty. */
  name?: string | undefined;
  /** At most 1,024 bytes. Default empty. */
  description?: string | undefined;
  /** Unix seconds from which the key is refused. Default 0: no expiry. */
  expiration?: bigint | undefined;
} & CapsOf<client>;

export interface UsageApiKeyParameters {
  /** The key, or its hash from a list. The key itself is never sent. */
  usageKey: string | bigint;
}

export function fieldsToWire(parameters: AddUsageApiKeyParameters) {
  return {
    name: parameters.name ?? '',
    description: parameters.description ?? '',
    expiration: String(parameters.expiration ?? 0n),
    can_create_groups: parameters.canCreateGroups ?? false,
    can_delete_groups: parameters.canDeleteGroups ?? false,
    can_create_pkps: parameters.canCreatePkps ?? false,
    manage_ipfs_ids_in_groups: (parameters.manageIpfsIdsInGroups ?? []).map(String),
    add_pkp_to_groups: (parameters.addPkpToGroups ?? []).map(String),
    remove_pkp_from_groups: (parameters.removePkpFromGroups ?? []).map(String),
    execute_in_groups: (parameters.executeInGroups ?? []).map(String),
    spend_cap_cents: parameters.spendCapCents ?? null,
    spend_window_seconds: parameters.spendWindowSeconds ?? null,
    max_runs_per_minute: parameters.maxRunsPerMinute ?? null,
    max_concurrency: parameters.maxConcurrency ?? null,
    max_run_seconds: parameters.maxRunSeconds ?? null,
  };
}

/** All fields of a key are replaced. Its `balance` on the chain is not used. */
export function setUsageApiKey(account: bigint, hash: bigint, parameters: AddUsageApiKeyParameters) {
  const caps = [
    'spendCapCents',
    'spendWindowSeconds',
    'maxRunsPerMinute',
    'maxConcurrency',
    'maxRunSeconds',
  ] as const;
  for (const cap of caps)
    if (parameters[cap] !== undefined)
      throw new LatchkeyError(
        'configuration',
        `${cap} is not available in ChainSecured mode: the contract does not store caps of usage keys`,
        {
          fix: 'Set caps on managed accounts, in API mode.',
        },
      );
  return encodeWrite('setUsageApiKey', [
    account,
    hash,
    parameters.expiration ?? 0n,
    0n,
    parameters.name ?? '',
    parameters.description ?? '',
    parameters.canCreateGroups ?? false,
    parameters.canDeleteGroups ?? false,
    parameters.canCreatePkps ?? false,
    parameters.manageIpfsIdsInGroups ?? [],
    parameters.addPkpToGroups ?? [],
    parameters.removePkpFromGroups ?? [],
    parameters.executeInGroups ?? [],
  ]);
}

export function describePermissions(parameters: AddUsageApiKeyParameters): string[] {
  const inGroups = (what: string, groups: readonly bigint[] = []) =>
    groups.length === 0
      ? []
      : [`${what} ${groups.includes(0n) ? 'every group' : `the groups ${groups.join(', ')}`}`];
  const powers = [
    ...(parameters.canCreateGroups ? ['create groups'] : []),
    ...(parameters.canDeleteGroups ? ['delete groups'] : []),
    ...(parameters.canCreatePkps ? ['create wallets'] : []),
    ...inGroups('change the actions of', parameters.manageIpfsIdsInGroups),
    ...inGroups('add wallets to', parameters.addPkpToGroups),
    ...inGroups('remove wallets from', parameters.removePkpFromGroups),
    ...inGroups('run the actions of', parameters.executeInGroups),
  ];
  const { expiration = 0n, spendCapCents, spendWindowSeconds } = parameters;
  const { maxRunsPerMinute, maxConcurrency, maxRunSeconds } = parameters;
  const window =
    spendWindowSeconds === undefined ? 'altogether' : `per window of ${spendWindowSeconds} seconds`;
  return [
    `It is permitted to ${powers.length === 0 ? 'do nothing' : powers.join('; ')}.`,
    ...(spendCapCents === undefined ? [] : [`It can spend at most ${spendCapCents} cents ${window}.`]),
    ...(maxRunsPerMinute === undefined ? [] : [`It can begin at most ${maxRunsPerMinute} runs per minute.`]),
    ...(maxConcurrency === undefined ? [] : [`It can have at most ${maxConcurrency} concurrent runs.`]),
    ...(maxRunSeconds === undefined ? [] : [`Each run can last at most ${maxRunSeconds} seconds.`]),
    expiration === 0n ? 'It does not expire.' : `It expires at ${expiration} (Unix seconds).`,
  ];
}
