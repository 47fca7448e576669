/** Changes of one field of a usage key, and its end. */
import { postAsOwner } from './as-owner.ts';
import type { BareClient } from './bare-client.ts';
import type { UsageApiKeyParameters } from './usage-key-fields.ts';
import { labelled, newKeyHash, usageKeyHash, word } from './values.ts';
import { defineWrite } from './write.ts';
import { encodeWrite, type WriteOptions } from './write-definition.ts';

export interface UpdateUsageApiKeyMetadataParameters extends UsageApiKeyParameters {
  /** At most 128 bytes. */
  name: string;
  /** At most 1,024 bytes. */
  description: string;
}

/**
 * Replaces the labels of a usage key.
 * @function
 */
export const updateUsageApiKeyMetadata = /* @__PURE__ */ defineWrite({
  name: 'updateUsageApiKeyMetadata',
  changes: ({ usageKey, name, description }: UpdateUsageApiKeyMetadataParameters) => [
    `Changes the labels of the usage key ${word(usageKeyHash(usageKey))} to ${labelled(name, description)}.`,
  ],
  api: {
    path: '/core/v1/update_usage_api_key_metadata',
    body: ({ usageKey, name, description }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      name,
      description,
    }),
  },
  chain: {
    calls: (account, { usageKey, name, description }) => [
      encodeWrite('updateUsageApiKeyMetadata', [account, usageKeyHash(usageKey), name, description]),
    ],
  },
});

/**
 * Removes a usage key. It is refused from the block of this write on.
 * @function
 */
export const removeUsageApiKey = /* @__PURE__ */ defineWrite({
  name: 'removeUsageApiKey',
  changes: ({ usageKey }: UsageApiKeyParameters) => [
    `Removes the usage key ${word(usageKeyHash(usageKey))}.`,
  ],
  api: {
    path: '/core/v1/remove_usage_api_key',
    body: ({ usageKey }) => ({ usage_api_key: word(usageKeyHash(usageKey)) }),
  },
  chain: {
    calls: (account, { usageKey }) => [encodeWrite('removeUsageApiKey', [account, usageKeyHash(usageKey)])],
  },
});

/**
 * Removes all usage keys, at a cost that does not depend on their number. Usage keys outlive a transfer of the account: the
 * new admin calls this, so that no former admin has a key.
 * @function
 */
export const removeAllUsageApiKeys = /* @__PURE__ */ defineWrite({
  name: 'removeAllUsageApiKeys',
  changes: (_parameters: object) => ['Removes every usage key of the account.'],
  api: {
    path: '/core/v1/remove_all_usage_api_keys',
    body: () => ({}),
  },
  chain: {
    calls: (account) => [encodeWrite('removeAllUsageApiKeys', [account])],
  },
});

export interface RotateUsageApiKeyParameters extends UsageApiKeyParameters {
  /** The new key: base64 of 32 random bytes. Store it before the call. Only its hash is sent. */
  newUsageKey: string;
}

/**
 * Replaces a usage key. Permissions, expiration, labels and caps stay. Triggers keep the old key, which is refused: set the
 * new one with `updateTrigger`.
 * @function
 */
export const rotateUsageApiKey = /* @__PURE__ */ defineWrite({
  name: 'rotateUsageApiKey',
  changes: ({ usageKey }: RotateUsageApiKeyParameters) => [
    `Replaces the usage key ${word(usageKeyHash(usageKey))}: the old one is refused from then on and can never be used again.`,
  ],
  api: {
    path: '/core/v1/rotate_usage_api_key',
    body: ({ usageKey, newUsageKey }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      new_usage_api_key: word(newKeyHash(newUsageKey)),
    }),
  },
  chain: {
    calls: (account, { usageKey, newUsageKey }) => [
      encodeWrite('rotateUsageApiKey', [account, usageKeyHash(usageKey), newKeyHash(newUsageKey)]),
    ],
  },
});

export interface SetUsageApiKeyExpirationParameters extends UsageApiKeyParameters {
  /** Unix seconds from which the key is refused; 0 for no expiry. */
  expiration: bigint;
}

/**
 * Changes when a usage key expires. An expired key works again after a later expiration.
 * @function
 */
export const setUsageApiKeyExpiration = /* @__PURE__ */ defineWrite({
  name: 'setUsageApiKeyExpiration',
  changes: ({ usageKey, expiration }: SetUsageApiKeyExpirationParameters) => [
    `Changes the expiration of the usage key ${word(usageKeyHash(usageKey))}: ` +
      `${expiration === 0n ? 'it does not expire' : `it expires at ${expiration} (Unix seconds)`}.`,
  ],
  api: {
    path: '/core/v1/set_usage_api_key_expiration',
    body: ({ usageKey, expiration }) => ({
      usage_api_key: word(usageKeyHash(usageKey)),
      expiration: String(expiration),
    }),
  },
  chain: {
    calls: (account, { usageKey, expiration }) => [
      encodeWrite('setUsageApiKeyExpiration', [account, usageKeyHash(usageKey), expiration]),
    ],
  },
});

export interface SetUsageApiKeyRecordingParameters extends UsageApiKeyParameters {
  /** Whether records of runs of the key have their output. */
  recordOutput: boolean;
}

/**
 * Sets whether the records of the runs of a usage key have their output, from the next run on: see `getRun`. With false,
 * kept output is deleted, also of a removed key.
 */
export async function setUsageApiKeyRecording(
  client: BareClient,
  { usageKey, recordOutput }: SetUsageApiKeyRecordingParameters,
  options: WriteOptions = {},
): Promise<void> {
  await postAsOwner(client, options, '/core/v1/set_usage_api_key_recording', {
    usage_api_key: word(usageKeyHash(usageKey)),
    record_output: recordOutput,
  });
}
