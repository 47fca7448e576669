import { apiKeyHash } from '@latchkey/protocol';
import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { post } from './http.ts';
import { endsBefore, type Labels, listPage, type Page, type PageParameters, view } from './pages.ts';
import { prove } from './proof.ts';
import {
  type AddUsageApiKeyParameters,
  type AllCapsOf,
  describePermissions,
  fieldsToWire,
  type Permissions,
  setUsageApiKey,
  type UsageApiKeyParameters,
} from './usage-key-fields.ts';
import { anyAddress, anyHash, labelled, placeholderPath, usageKeyHash, word } from './values.ts';
import { defineWrite, type Preparable } from './write.ts';
import { encodeWrite, type WriteOptions, type Written } from './write-definition.ts';

export interface AddUsageApiKeyResult {
  /** The key itself, 44 characters. Shown once. */
  usageKey: string;
}

/**
 * Creates a usage key. In ChainSecured mode the wallet signs an envelope, for which the relayer mints the key, and a
 * transaction that registers the key's wallet and sets the key.
 * @function
 */
export const addUsageApiKey = /* @__PURE__ */ defineWrite({
  name: 'addUsageApiKey',
  changes: (parameters: AddUsageApiKeyParameters) => [
    `Creates the usage key ${labelled(parameters.name ?? '', parameters.description ?? '')}.`,
    ...describePermissions(parameters),
  ],
  api: {
    path: '/core/v1/add_usage_api_key',
    body: fieldsToWire,
    result: ({ usage_api_key }): AddUsageApiKeyResult => ({ usageKey: usage_api_key }),
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
}) as Preparable &
  (<client extends BareClient>(
    client: client,
    parameters: AddUsageApiKeyParameters<client>,
    options?: WriteOptions,
  ) => Promise<Written<AddUsageApiKeyResult>>);

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

/**
 * Replaces all fields of a usage key: pass the entry of `listApiKeys` with the changes. The amount spent in its window stays.
 * @function
 */
export const updateUsageApiKey = /* @__PURE__ */ defineWrite({
  name: 'updateUsageApiKey',
  changes: (parameters: UpdateUsageApiKeyParameters) => [
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
  },
}) as Preparable &
  (<client extends BareClient>(
    client: client,
    parameters: UpdateUsageApiKeyParameters<client>,
    options?: WriteOptions,
  ) => Promise<Written>);

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
        maxRunSeconds: item.max_run_seconds ?? undefined,
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
