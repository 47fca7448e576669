import { apiKeyHash } from '@latchkey/protocol';
import type { Address } from 'viem';
import type { ApiBareClient, BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { post } from './http.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { prove, readCredential } from './proof.ts';
import { anyAddress, anyHash, labelled, newKeyHash, placeholderPath, usageKeyHash, word } from './values.ts';
import {
  defaultDeadline,
  encodeWrite,
  type Prepared,
  type PrepareOptions,
  prepareFunction,
  prepareWrite,
  type Write,
  type WriteOptions,
  type Written,
  write,
  writeFunction,
} from './write.ts';

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

export interface AddUsageApiKeyResult {
  /** The key itself, 44 characters. Shown once. */
  usageKey: string;
}

function fieldsToWire(parameters: AddUsageApiKeyParameters) {
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
  };
}

/** All fields of a key are replaced. Its `balance` on the chain is not used. */
function setUsageApiKey(account: bigint, hash: bigint, parameters: AddUsageApiKeyParameters) {
  for (const cap of ['spendCapCents', 'spendWindowSeconds', 'maxRunsPerMinute', 'maxConcurrency'] as const)
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

function describePermissions(parameters: AddUsageApiKeyParameters): string[] {
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
  const { expiration = 0n, spendCapCents, spendWindowSeconds, maxRunsPerMinute, maxConcurrency } = parameters;
  const window =
    spendWindowSeconds === undefined ? 'altogether' : `per window of ${spendWindowSeconds} seconds`;
  return [
    `It is permitted to ${powers.length === 0 ? 'do nothing' : powers.join('; ')}.`,
    ...(spendCapCents === undefined ? [] : [`It can spend at most ${spendCapCents} cents ${window}.`]),
    ...(maxRunsPerMinute === undefined ? [] : [`It can begin at most ${maxRunsPerMinute} runs per minute.`]),
    ...(maxConcurrency === undefined ? [] : [`It can have at most ${maxConcurrency} concurrent runs.`]),
    expiration === 0n ? 'It does not expire.' : `It expires at ${expiration} (Unix seconds).`,
  ];
}

type MintedKey = { hash: bigint; key: string; wallet: Address; path: bigint };

const addUsageApiKeyWrite: Write<
  AddUsageApiKeyParameters,
  AddUsageApiKeyResult,
  '/core/v1/add_usage_api_key',
  MintedKey
> = {
  name: 'addUsageApiKey',
  changes: (parameters) => [
    `Creates the usage key ${labelled(parameters.name ?? '', parameters.description ?? '')}.`,
    ...describePermissions(parameters),
  ],
  api: {
    path: '/core/v1/add_usage_api_key',
    body: fieldsToWire,
    result: ({ usage_api_key }) => ({ usageKey: usage_api_key }),
  },
  chain: {
    mint: {
      primaryType: 'AddUsageApiKey',
      standIn: (admin) => ({ key: '', hash: anyHash(), wallet: anyAddress(), path: placeholderPath(admin) }),
      mint: async (client, deadline) => {
        const body = await prove(client, client.internals.wallet, 'AddUsageApiKey', deadline);
        const { json } = await post(client, '/core/v1/add_usage_api_key_with_signature', { body, deadline });
        return {
          key: json.usage_api_key,
          hash: apiKeyHash(json.usage_api_key),
          wallet: json.wallet_address as Address,
          path: BigInt(json.derivation_path),
        };
      },
    },
    calls: (account, parameters, { hash, wallet, path }) => [
      encodeWrite('registerWalletDerivation', [
        account,
        wallet,
        path,
        parameters.name ?? '',
        parameters.description ?? '',
      ]),
      setUsageApiKey(account, hash, parameters),
    ],
    result: (_take, { key }) => ({ usageKey: key }),
  },
};

/**
 * Creates a usage key. In ChainSecured mode the wallet signs an envelope, for which the relayer mints the key, and a
 * transaction that registers the key's wallet and sets the key.
 */
export function addUsageApiKey<client extends BareClient>(
  client: client,
  parameters: AddUsageApiKeyParameters<client>,
  options?: WriteOptions,
): Promise<Written<AddUsageApiKeyResult>> {
  return write(client, addUsageApiKeyWrite, parameters as AddUsageApiKeyParameters, options);
}

/** Prepares {@link addUsageApiKey} without sending it. */
export function prepareAddUsageApiKey<client extends BareClient>(
  client: client,
  parameters: AddUsageApiKeyParameters<client>,
  options?: PrepareOptions,
): Promise<Prepared<client, AddUsageApiKeyResult>> {
  return prepareWrite(client, addUsageApiKeyWrite, parameters as AddUsageApiKeyParameters, options);
}

export interface UsageApiKeyParameters {
  /** The key, or its hash from a list. The key itself is never sent. */
  usageKey: string | bigint;
}

/** All fields of a usage key, as an entry of `listApiKeys` has them. A cap that is undefined is removed. */
export type UpdateUsageApiKeyParameters<client extends BareClient = BareClient> = UsageApiKeyParameters & {
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
  /** Unix seconds from which the key is refused; 0 for no expiry. */
  expiration: bigint;
} & { [permission in keyof Permissions]-?: NonNullable<Permissions[permission]> } & AllCapsOf<client>;

/** Throws for an omitted field, which would be reset. */
function requireAllFields(parameters: UpdateUsageApiKeyParameters): UpdateUsageApiKeyParameters {
  for (const field of [
    'name',
    'description',
    'expiration',
    'canCreateGroups',
    'canDeleteGroups',
    'canCreatePkps',
    'manageIpfsIdsInGroups',
    'addPkpToGroups',
    'removePkpFromGroups',
    'executeInGroups',
  ] as const)
    if (parameters[field] === undefined)
      throw new LatchkeyError(
        'configuration',
        `${field} is required: updateUsageApiKey replaces all fields of the key`,
        {
          fix: 'Pass the entry of the key in listApiKeys, with the changes. An entry from the chain has no name and no description.',
        },
      );
  return parameters;
}

const updateUsageApiKeyWrite: Write<UpdateUsageApiKeyParameters, object, '/core/v1/update_usage_api_key'> = {
  name: 'updateUsageApiKey',
  changes: (parameters) => [
    `Replaces all fields of the usage key ${word(usageKeyHash(parameters.usageKey))}: it becomes ` +
      `${labelled(parameters.name, parameters.description)}.`,
    ...describePermissions(parameters),
  ],
  api: {
    path: '/core/v1/update_usage_api_key',
    body: (parameters) => ({
      usage_api_key: word(usageKeyHash(parameters.usageKey)),
      ...fieldsToWire(requireAllFields(parameters)),
    }),
    result: () => ({}),
  },
  chain: {
    // setUsageApiKey alone would create an unknown key; the first call refuses it.
    calls: (account, parameters) => {
      const hash = usageKeyHash(parameters.usageKey);
      const { name, description } = requireAllFields(parameters);
      return [
        encodeWrite('updateUsageApiKeyMetadata', [account, hash, name, description]),
        setUsageApiKey(account, hash, parameters),
      ];
    },
    result: () => ({}),
  },
};

/**
 * Replaces all fields of a usage key: pass the entry of `listApiKeys` with the changes. The amount spent in its window stays.
 */
export function updateUsageApiKey<client extends BareClient>(
  client: client,
  parameters: UpdateUsageApiKeyParameters<client>,
  options?: WriteOptions,
): Promise<Written> {
  return write(client, updateUsageApiKeyWrite, parameters as UpdateUsageApiKeyParameters, options);
}

/** Prepares {@link updateUsageApiKey} without sending it. */
export function prepareUpdateUsageApiKey<client extends BareClient>(
  client: client,
  parameters: UpdateUsageApiKeyParameters<client>,
  options?: PrepareOptions,
): Promise<Prepared<client, object>> {
  return prepareWrite(client, updateUsageApiKeyWrite, parameters as UpdateUsageApiKeyParameters, options);
}

export interface UpdateUsageApiKeyMetadataParameters extends UsageApiKeyParameters {
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

const updateUsageApiKeyMetadataWrite: Write<
  UpdateUsageApiKeyMetadataParameters,
  object,
  '/core/v1/update_usage_api_key_metadata'
> = {
  name: 'updateUsageApiKeyMetadata',
  changes: ({ usageKey, name, description }) => [
    `Changes the labels of the usage key ${word(usageKeyHash(usageKey))} to ${labelled(name, description)}.`,
  ],
  api: {
    path: '/core/v1/update_usage_api_key_metadata',
    body: ({ usageKey, name, description }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      name,
      description,
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { usageKey, name, description }) => [
      encodeWrite('updateUsageApiKeyMetadata', [account, usageKeyHash(usageKey), name, description]),
    ],
    result: () => ({}),
  },
};

/**
 * Replaces the labels of a usage key.
 * @function
 */
export const updateUsageApiKeyMetadata = /* @__PURE__ */ writeFunction(updateUsageApiKeyMetadataWrite);

/** Prepares {@link updateUsageApiKeyMetadata} without sending it. @function */
export const prepareUpdateUsageApiKeyMetadata = /* @__PURE__ */ prepareFunction(
  updateUsageApiKeyMetadataWrite,
);

const removeUsageApiKeyWrite: Write<UsageApiKeyParameters, object, '/core/v1/remove_usage_api_key'> = {
  name: 'removeUsageApiKey',
  changes: ({ usageKey }) => [`Removes the usage key ${word(usageKeyHash(usageKey))}.`],
  api: {
    path: '/core/v1/remove_usage_api_key',
    body: ({ usageKey }) => ({ usage_api_key: word(usageKeyHash(usageKey)) }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { usageKey }) => [encodeWrite('removeUsageApiKey', [account, usageKeyHash(usageKey)])],
    result: () => ({}),
  },
};

/**
 * Removes a usage key. It is refused from the block of this write on.
 * @function
 */
export const removeUsageApiKey = /* @__PURE__ */ writeFunction(removeUsageApiKeyWrite);

/** Prepares {@link removeUsageApiKey} without sending it. @function */
export const prepareRemoveUsageApiKey = /* @__PURE__ */ prepareFunction(removeUsageApiKeyWrite);

const removeAllUsageApiKeysWrite: Write<object, object, '/core/v1/remove_all_usage_api_keys'> = {
  name: 'removeAllUsageApiKeys',
  changes: () => ['Removes every usage key of the account.'],
  api: {
    path: '/core/v1/remove_all_usage_api_keys',
    body: () => ({}),
    result: () => ({}),
  },
  chain: {
    calls: (account) => [encodeWrite('removeAllUsageApiKeys', [account])],
    result: () => ({}),
  },
};

/**
 * Removes all usage keys, at a cost that does not depend on their number. Usage keys outlive a transfer of the account: the
 * new admin calls this, so that no former admin has a key.
 * @function
 */
export const removeAllUsageApiKeys = /* @__PURE__ */ writeFunction(removeAllUsageApiKeysWrite);

/** Prepares {@link removeAllUsageApiKeys} without sending it. @function */
export const prepareRemoveAllUsageApiKeys = /* @__PURE__ */ prepareFunction(removeAllUsageApiKeysWrite);

export interface RotateUsageApiKeyParameters extends UsageApiKeyParameters {
  /** The new key: base64 of 32 random bytes. Store it before the call. Only its hash is sent. */
  newUsageKey: string;
}

const rotateUsageApiKeyWrite: Write<RotateUsageApiKeyParameters, object, '/core/v1/rotate_usage_api_key'> = {
  name: 'rotateUsageApiKey',
  changes: ({ usageKey }) => [
    `Replaces the usage key ${word(usageKeyHash(usageKey))}: the old one is refused from then on and can never be used again.`,
  ],
  api: {
    path: '/core/v1/rotate_usage_api_key',
    body: ({ usageKey, newUsageKey }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      new_usage_api_key: word(newKeyHash(newUsageKey)),
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { usageKey, newUsageKey }) => [
      encodeWrite('rotateUsageApiKey', [account, usageKeyHash(usageKey), newKeyHash(newUsageKey)]),
    ],
    result: () => ({}),
  },
};

/**
 * Replaces a usage key. Permissions, expiration, labels and caps stay. Triggers keep the old key, which is refused: set the
 * new one with `updateTrigger`.
 * @function
 */
export const rotateUsageApiKey = /* @__PURE__ */ writeFunction(rotateUsageApiKeyWrite);

/** Prepares {@link rotateUsageApiKey} without sending it. @function */
export const prepareRotateUsageApiKey = /* @__PURE__ */ prepareFunction(rotateUsageApiKeyWrite);

export interface SetUsageApiKeyExpirationParameters extends UsageApiKeyParameters {
  /** Unix seconds from which the key is refused; 0 for no expiry. */
  expiration: bigint;
}

const setUsageApiKeyExpirationWrite: Write<
  SetUsageApiKeyExpirationParameters,
  object,
  '/core/v1/set_usage_api_key_expiration'
> = {
  name: 'setUsageApiKeyExpiration',
  changes: ({ usageKey, expiration }) => [
    `Changes the expiration of the usage key ${word(usageKeyHash(usageKey))}: ` +
      `${expiration === 0n ? 'it does not expire' : `it expires at ${expiration} (Unix seconds)`}.`,
  ],
  api: {
    path: '/core/v1/set_usage_api_key_expiration',
    body: ({ usageKey, expiration }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      expiration: String(expiration),
    }),
    result: () => ({}),
  },
  chain: {
    calls: (account, { usageKey, expiration }) => [
      encodeWrite('setUsageApiKeyExpiration', [account, usageKeyHash(usageKey), expiration]),
    ],
    result: () => ({}),
  },
};

/**
 * Changes when a usage key expires. An expired key works again after a later expiration.
 * @function
 */
export const setUsageApiKeyExpiration = /* @__PURE__ */ writeFunction(setUsageApiKeyExpirationWrite);

/** Prepares {@link setUsageApiKeyExpiration} without sending it. @function */
export const prepareSetUsageApiKeyExpiration = /* @__PURE__ */ prepareFunction(setUsageApiKeyExpirationWrite);

export interface SetUsageApiKeyRecordingParameters extends UsageApiKeyParameters {
  /** Whether records of runs of the key have their output. */
  recordOutput: boolean;
}

/**
 * Sets whether the records of the runs of a usage key have their output, from the next run on: see `getRun`. With false,
 * what was kept is deleted, also that of a removed key.
 */
export async function setUsageApiKeyRecording(
  client: BareClient,
  { usageKey, recordOutput }: SetUsageApiKeyRecordingParameters,
  options: WriteOptions = {},
): Promise<void> {
  const deadline = defaultDeadline(client, options);
  await post(client, '/core/v1/set_usage_api_key_recording', {
    body: { usage_api_key: word(usageKeyHash(usageKey)), record_output: recordOutput },
    ...(await readCredential(client, deadline)),
    seesOwnWrites: true,
    idempotencyKey: options.idempotencyKey,
    deadline,
  });
}

/**
 * A listed usage key, with the names of {@link Permissions} and {@link Caps}, so that a list entry can be passed to an
 * update.
 */
export type UsageApiKey<client extends BareClient = BareClient> = Labels<client> & {
  usageKeyHash: bigint;
  /** Unix seconds; 0 for no expiry. */
  expiration: bigint;
  canCreateGroups: boolean;
  canDeleteGroups: boolean;
  canCreatePkps: boolean;
  manageIpfsIdsInGroups: bigint[];
  addPkpToGroups: bigint[];
  removePkpFromGroups: bigint[];
  executeInGroups: bigint[];
  /** Whether records of its runs have their output. In API mode only: the contract does not know it. */
  recordOutput?: boolean | undefined;
} & AllCapsOf<client>;

/** The contract's limit for a page of keys. */
const MAX_KEYS_OF_VIEW = 20n;

/** Returns the largest size of equal parts of a page that the contract returns. */
function largestPart(pageSize: bigint): bigint {
  let size = pageSize < MAX_KEYS_OF_VIEW ? pageSize : MAX_KEYS_OF_VIEW;
  while (pageSize % size !== 0n) size--;
  return size;
}

/** Lists the usage keys: hashes, labels and permissions, never a key. */
export function listApiKeys<client extends BareClient>(
  client: client,
  parameters: PageParameters = {},
  options?: CallOptions,
): Promise<Page<UsageApiKey<client>>> {
  return listPage<UsageApiKey, '/core/v1/list_api_keys', PageParameters>(
    client,
    {
      path: '/core/v1/list_api_keys',
      indexed: 'api-keys',
      fromWire: (item) => ({
        usageKeyHash: BigInt(item.api_key_hash),
        name: item.name,
        description: item.description,
        expiration: BigInt(item.expiration),
        canCreateGroups: item.can_create_groups,
        canDeleteGroups: item.can_delete_groups,
        canCreatePkps: item.can_create_pkps,
        manageIpfsIdsInGroups: item.can_manage_ipfs_ids_in_groups.map(BigInt),
        addPkpToGroups: item.can_add_pkp_to_groups.map(BigInt),
        removePkpFromGroups: item.can_remove_pkp_from_groups.map(BigInt),
        executeInGroups: item.can_execute_in_groups.map(BigInt),
        spendCapCents: item.spend_cap_cents ?? undefined,
        spendWindowSeconds: item.spend_window_seconds ?? undefined,
        maxRunsPerMinute: item.max_runs_per_minute ?? undefined,
        maxConcurrency: item.max_concurrency ?? undefined,
        recordOutput: item.record_output,
      }),
      fromChain: async (window) => {
        const { account, pageNumber, pageSize, ask } = window;
        const size = largestPart(pageSize);
        const parts = pageSize / size;
        const pages = Array.from({ length: Number(parts) }, (_, part) => pageNumber * parts + BigInt(part));
        const [[total]] = await ask([view('listSizes', [account])]);
        const keys = await ask(pages.map((page) => view('listApiKeys', [account, page, size])));
        return {
          items: keys.flat().map(({ usageApiKeyHash, expiration, permissions }) => ({
            usageKeyHash: usageApiKeyHash,
            expiration,
            canCreateGroups: permissions.createGroups,
            canDeleteGroups: permissions.deleteGroups,
            canCreatePkps: permissions.createPKPs,
            manageIpfsIdsInGroups: [...permissions.manageIPFSIdsInGroups],
            addPkpToGroups: [...permissions.addPkpToGroups],
            removePkpFromGroups: [...permissions.removePkpFromGroups],
            executeInGroups: [...permissions.executeInGroups],
          })),
          hasNextPage: endsBefore(window, total),
        };
      },
    },
    parameters,
    options,
  ) as Promise<Page<UsageApiKey<client>>>;
}
