import { description, type EncodedReply, groupId, name, routeDefiner } from '@latchkey/http';
import { buildTypedData, type PrimaryType } from '@latchkey/protocol';
import { z } from 'zod';
import type { Caller, ConsentingCaller, KeyHolder, Reader, RunCaller } from '../auth/authenticators.ts';
import { ADMIN_WRITE_MICROS, RUN_SECOND_MICROS } from '../billing/money.ts';
import type { Caps, CapsChange } from '../db/schema.ts';
import { hashText } from '../db/text.ts';
import type { ListReply } from '../lists.ts';

export const prefix = '/core/v1';

/** Prices by their name in `price`, in micro-credits; one credit is 1,000,000 micro-credits. */
export const prices = {
  admin_write: { micros: Number(ADMIN_WRITE_MICROS), per: 'call' },
  run: { micros: Number(RUN_SECOND_MICROS), per: 'started second' },
};

export const defineRoute = routeDefiner<
  Record<'accountKey', Caller> &
    Record<
      | 'key'
      | 'mintingKey'
      | 'anyKeyOrWallet'
      | 'anyAccountKeyOrWallet'
      | 'keyOrWallet'
      | 'accountKeyOrWallet',
      Reader
    > & {
      consentingKey: ConsentingCaller;
      anyKeyText: KeyHolder;
      operator: KeyHolder;
      runKey: RunCaller;
    },
  keyof typeof prices
>();

export const success = z.object({ success: z.literal(true) });

export const listReplyHeaders = {
  'X-Total-Count': 'Number of entries in the whole list.',
  'X-Block-Number': 'Block number of the list.',
};

/** Returns a page as the reply and sets its counts as headers. */
export function sendList(
  { reply, total, blockNumber }: ListReply,
  setHeader: (name: keyof typeof listReplyHeaders, value: string) => void,
): EncodedReply {
  setHeader('X-Total-Count', total);
  setHeader('X-Block-Number', blockNumber);
  return reply;
}

/** The fields of a wallet proof. */
export const walletProof = {
  typed_data: z.union([z.string(), z.record(z.string(), z.unknown())]).meta({
    description: 'The EIP-712 envelope as an object or as JSON text, at most 4,096 bytes.',
  }),
  signature: z.string().meta({
    description:
      'Hex: 64 or 65 bytes from an EOA, or up to 4,096 bytes for a deployed contract wallet (ERC-1271).',
  }),
};
/** Returns an example for OpenAPI: a well-formed envelope of this type. The example signature is not valid. */
export function exampleEnvelope(primaryType: PrimaryType) {
  const claim = { primaryType, chainId: 31_337n, issuedAt: 1_767_225_600n } as const;
  const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const { domain, message, ...rest } = buildTypedData({ ...claim, address });
  return {
    ...rest,
    domain: { ...domain, chainId: Number(claim.chainId) },
    message: { ...message, issuedAt: Number(claim.issuedAt) },
  };
}
export const exampleSignature = `0x${'5c'.repeat(64)}1b`;

/** Far more than an envelope and a signature need. */
export const walletProofBodyLimitBytes = 65_536;
/** Bodies that contain the code of an action. */
export const codeBodyLimitBytes = 10 * 1024 * 1024;

export const walletItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  wallet_address: z.string(),
  derivation_path: z.string(),
  exportable: z.boolean(),
});

/** Whether the key of a new wallet can be exported. */
export const exportable = z
  .boolean()
  .default(true)
  .describe('False: actions can sign and encrypt with the wallet, but can never get its private key.');

/** Optional labels. Default: empty. */
export const optionalName = name.default('');
export const optionalDescription = description.default('');

const groupIds = (meaning: string) =>
  z
    .array(groupId)
    .max(50)
    .default([])
    .meta({ description: `${meaning} [0] means every group.` });

/** Permissions of a usage key. Default: not permitted. */
export const permissionFields = {
  can_create_groups: z.boolean().default(false),
  can_delete_groups: z.boolean().default(false),
  can_create_pkps: z.boolean().default(false),
  manage_ipfs_ids_in_groups: groupIds('Groups whose actions the key is permitted to change.'),
  add_pkp_to_groups: groupIds('Groups to which the key is permitted to add wallets.'),
  remove_pkp_from_groups: groupIds('Groups from which the key is permitted to remove wallets.'),
  execute_in_groups: groupIds('Groups whose actions the key is permitted to run.'),
};

const cap = (description: string) =>
  z.int().min(1).max(2_147_483_647).nullable().default(null).meta({ description });

/** Spending limits of a usage key. Default: unlimited. The relayer stores them, not the contract. */
export const capFields = {
  spend_cap_cents: cap(
    'Maximum spending of the key, in cents: per spend_window_seconds, or in total without a window.',
  ),
  spend_window_seconds: cap(
    'Length of a spending window in seconds. A window begins with the first spending after the previous one ended.',
  ),
  max_runs_per_minute: cap('Maximum number of runs the key can begin in any 60 seconds.'),
  max_concurrency: cap('Maximum number of concurrent runs of the key.'),
  max_run_seconds: cap(
    'Longest run of the key, in seconds. A run that reaches it ends with TimeLimitError, and its seconds are charged.',
  ),
};
type WireCaps = { [Field in keyof typeof capFields]: number | null };

/** Validates a body with `capFields`. */
export const windowHasCap = [
  (body: WireCaps) => body.spend_window_seconds === null || body.spend_cap_cents !== null,
  { error: 'spend_window_seconds requires spend_cap_cents' },
] as const;

/** Returns the caps of a listed key; all null for a key without caps. */
export const capsToWire = (caps: Caps | undefined): WireCaps => ({
  spend_cap_cents: caps?.spendCapCents ?? null,
  spend_window_seconds: caps?.spendWindowSec ?? null,
  max_runs_per_minute: caps?.maxRunsPerMinute ?? null,
  max_concurrency: caps?.maxConcurrency ?? null,
  max_run_seconds: caps?.maxRunSec ?? null,
});

/** Returns the caps in a body, which apply to the key from the write on. */
export function capsChange(key: bigint, body: WireCaps): CapsChange {
  const caps: Caps = {
    spendCapCents: body.spend_cap_cents,
    spendWindowSec: body.spend_window_seconds,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxConcurrency: body.max_concurrency,
    maxRunSec: body.max_run_seconds,
  };
  const isCapped = Object.values(caps).some((value) => value !== null);
  return { key: hashText(key), caps: isCapped ? caps : null };
}

/** Returns the permissions in the argument order of the contract's `setUsageApiKey`. */
export const permissionArguments = (body: z.output<z.ZodObject<typeof permissionFields>>) =>
  [
    body.can_create_groups,
    body.can_delete_groups,
    body.can_create_pkps,
    body.manage_ipfs_ids_in_groups,
    body.add_pkp_to_groups,
    body.remove_pkp_from_groups,
    body.execute_in_groups,
  ] as const;
