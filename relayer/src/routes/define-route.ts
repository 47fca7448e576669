import { description, groupId, name, routeDefiner } from '@latchkey/http';
import { buildTypedData, type PrimaryType } from '@latchkey/protocol';
import { z } from 'zod';
import type { Caller, KeyHolder } from '../auth/authenticators.ts';
import { ADMIN_WRITE_MICROS, RUN_SECOND_MICROS } from '../billing/money.ts';
import type { Caps, CapsChange } from '../db/schema.ts';
import { hashText } from '../db/text.ts';

export const prefix = '/core/v1';

/** What the names in `price` cost, in micro-credits; a credit is 1,000,000 of them. */
export const prices = {
  admin_write: { micros: Number(ADMIN_WRITE_MICROS), per: 'call' },
  run: { micros: Number(RUN_SECOND_MICROS), per: 'started second' },
};

export const defineRoute = routeDefiner<
  Record<'key' | 'accountKey' | 'keyOrWallet' | 'accountKeyOrWallet' | 'usageKey', Caller> & {
    anyKeyText: KeyHolder;
  },
  keyof typeof prices
>();

export const success = z.object({ success: z.literal(true) });

export const listReplyHeaders = {
  'X-Total-Count': 'Entries of the whole list.',
  'X-Block-Number': 'The list is as of this block.',
};

/** A page as the reply, its counts as headers. The reply's schema checks what the indexer sent. */
export function sendList<Item>(
  { items, total, blockNumber }: { items: unknown[]; total: string; blockNumber: string },
  setHeader: (name: keyof typeof listReplyHeaders, value: string) => void,
): Item[] {
  setHeader('X-Total-Count', total);
  setHeader('X-Block-Number', blockNumber);
  return items as Item[];
}

/** What a wallet sends to prove itself. */
export const walletProof = {
  typed_data: z.union([z.string(), z.record(z.string(), z.unknown())]).meta({
    description: 'The EIP-712 envelope as an object or as its JSON text, 4,096 bytes at most.',
  }),
  signature: z.string().meta({
    description:
      'Hex: 65 or 64 bytes of an EOA, or up to 4,096 that a deployed contract wallet takes (ERC-1271).',
  }),
};
/** Of the OpenAPI examples: has the form of an envelope of this type, and no valid signature. */
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
/** Bodies that hold the code of an action. */
export const codeBodyLimitBytes = 10 * 1024 * 1024;

export const walletItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  wallet_address: z.string(),
  derivation_path: z.string(),
});

/** Labels that may be left out are empty. */
export const optionalName = name.default('');
export const optionalDescription = description.default('');

const groupIds = (meaning: string) =>
  z
    .array(groupId)
    .max(50)
    .default([])
    .meta({ description: `${meaning} [0] means every group.` });

/** What a usage key may do; everything that is left out is not permitted. */
export const permissionFields = {
  can_create_groups: z.boolean().default(false),
  can_delete_groups: z.boolean().default(false),
  can_create_pkps: z.boolean().default(false),
  manage_ipfs_ids_in_groups: groupIds('Groups whose actions the key may change.'),
  add_pkp_to_groups: groupIds('Groups to which the key may add wallets.'),
  remove_pkp_from_groups: groupIds('Groups from which the key may remove wallets.'),
  execute_in_groups: groupIds('Groups whose actions the key may run.'),
};

const cap = (description: string) =>
  z.int().min(1).max(2_147_483_647).nullable().default(null).meta({ description });

/** What a usage key may spend; what is left out is not limited. The relayer keeps them, not the contract. */
export const capFields = {
  spend_cap_cents: cap('The key spends this much at most: in spend_window_seconds, or altogether.'),
  spend_window_seconds: cap('A window begins with the first spending after the one before has ended.'),
  max_runs_per_minute: cap('Runs that the key may begin in any 60 seconds.'),
  max_concurrency: cap('Runs of the key at once.'),
};
type WireCaps = { [Field in keyof typeof capFields]: number | null };

/** Refines a body with `capFields`. */
export const windowHasCap = [
  (body: WireCaps) => body.spend_window_seconds === null || body.spend_cap_cents !== null,
  { error: 'spend_window_seconds needs spend_cap_cents' },
] as const;

/** The caps of a listed key; undefined for one without. */
export const capsToWire = (caps: Caps | undefined): WireCaps => ({
  spend_cap_cents: caps?.spendCapCents ?? null,
  spend_window_seconds: caps?.spendWindowSec ?? null,
  max_runs_per_minute: caps?.maxRunsPerMinute ?? null,
  max_concurrency: caps?.maxConcurrency ?? null,
});

/** The caps in a body, as the key has them from the write on. */
export function capsChange(key: bigint, body: WireCaps): CapsChange {
  const caps: Caps = {
    spendCapCents: body.spend_cap_cents,
    spendWindowSec: body.spend_window_seconds,
    maxRunsPerMinute: body.max_runs_per_minute,
    maxConcurrency: body.max_concurrency,
  };
  const isCapped = Object.values(caps).some((value) => value !== null);
  return { key: hashText(key), caps: isCapped ? caps : null };
}

/** The permissions in the order of the contract's `setUsageApiKey`. */
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
