import { type ContractError, ContractRevertError } from '@latchkey/chain/errors';
import type { ErrorCode, HttpError, Route } from '@latchkey/http';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Caller, ConsentingCaller } from '../auth/authenticators.ts';
import { ADMIN_WRITE_MICROS } from '../billing/money.ts';
import type { WriteArguments, WriteName, Written } from '../chain/account-config.ts';
import type { Context } from '../context.ts';
import type { RequestSeeds } from '../db/request-seeds.ts';
import type { CapsChange } from '../db/schema.ts';
import { prefix, success } from './define-route.ts';
import { withFreshKey } from './fresh-keys.ts';

/** Reply headers of every route that writes. */
export const writeReplyHeaders = {
  'X-Block-Number': 'Block number of the receipt.',
  'X-Transaction-Hash': 'Hash of the transaction, as in the log of the relayer.',
};
/** The part of a request to which `reportWrite` reports. */
type Reported = {
  setHeader: (name: keyof typeof writeReplyHeaders, value: string | bigint) => void;
  log: Logger;
};

/** Names the transaction in the reply and, beside the ids of the request, in the log. */
export function reportWrite(
  { setHeader, log }: Reported,
  { blockNumber, transactionHash }: Pick<Written, 'blockNumber' | 'transactionHash'>,
): void {
  setHeader('X-Block-Number', blockNumber);
  setHeader('X-Transaction-Hash', transactionHash);
  log.info({ transaction_hash: transactionHash, block: Number(blockNumber) }, 'write');
}

const errors = ['forbidden', 'conflict', 'service_unavailable'] as const satisfies ErrorCode[];

type WriteAuth = 'key' | 'mintingKey' | 'accountKey' | 'consentingKey';
type CallerOf<Auth extends WriteAuth> = Auth extends 'consentingKey' ? ConsentingCaller : Caller;

type WriteInput<Body extends z.ZodType, Auth extends WriteAuth = 'key'> = {
  body: z.output<Body>;
  caller: CallerOf<Auth>;
  idempotencyId: string | undefined;
};

/** A write to a managed account: one call of the contract by a payer, paid by the caller's key. */
export type Write<
  Slice,
  Auth extends WriteAuth,
  Name extends WriteName,
  Body extends z.ZodType,
  Made,
  Reply extends z.ZodType,
> = {
  /** Last part of the path, and the reason of the price in the ledger. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  auth: Auth;
  body: Body;
  bodyLimitBytes?: number;
  /** An example body in its wire form, for the OpenAPI description. */
  example: z.input<Body>;
  /** True when the body names nothing that must exist, so the route has no 404. */
  namesNothing?: true;
  /** Function of the contract. */
  function: Name;
  /** Checks or prepares values for the arguments. */
  before?: (context: Slice, input: WriteInput<Body, Auth>) => Promise<Made>;
  /**
   * Returns the seeds from which `before` makes a key, if it makes one. `before` is called again when the hash of the key was taken.
   */
  keySeeds?: (context: Slice, body: z.output<Body>) => Pick<RequestSeeds, 'has'> | undefined;
  /** @param key Hash of the caller's key, by which the contract knows the caller. */
  args: (key: bigint, body: z.output<Body>, made: Made) => WriteArguments<Name>;
  /** Caps that take effect with the success of the write. */
  capsChange?: (body: z.output<Body>, made: Made) => CapsChange;
  /** Returns the error for a revert whose meaning differs from `revertStatus`. */
  refusal?: (revert: ContractError, body: z.output<Body>) => HttpError | undefined;
  /** Default: `{"success": true}`. */
  reply?: {
    schema: Reply;
    example: z.input<Reply>;
    from: (written: Written, input: WriteInput<Body, Auth> & { made: Made }) => z.output<Reply>;
  };
};

type WriteRoute<Slice, Auth extends WriteAuth, Body extends z.ZodType, Reply extends z.ZodType> = Omit<
  Route<
    never,
    CallerOf<Auth>,
    Auth,
    'admin_write',
    Body,
    z.ZodUndefined,
    z.ZodUndefined,
    z.ZodUndefined,
    Reply,
    keyof typeof writeReplyHeaders,
    never
  >,
  'handle'
> & {
  handle: (
    context: Pick<Context, 'accountConfig'> & Slice,
    input: WriteInput<Body, Auth> & Reported & { charge: (micros: bigint) => void },
  ) => Promise<z.output<Reply>>;
};

/**
 * Returns the route of a write, with its price, its errors, the block of its receipt in a header, and its default
 * reply.
 */
export function defineWrite<
  const Auth extends WriteAuth,
  const Name extends WriteName,
  Body extends z.ZodType,
  Slice = unknown,
  Made = undefined,
  Reply extends z.ZodType = typeof success,
>(write: Write<Slice, Auth, Name, Body, Made, Reply>): WriteRoute<Slice, Auth, Body, Reply> {
  const { path, tag, summary, description, auth, body, bodyLimitBytes, refusal } = write;
  const reply = (write.reply ?? {
    schema: success,
    example: { success: true },
    from: () => ({ success: true }),
  }) as NonNullable<typeof write.reply>;
  return {
    method: 'POST',
    path: `${prefix}/${path}`,
    tag,
    summary,
    auth,
    price: 'admin_write',
    body,
    ...(description !== undefined && { description }),
    ...(bodyLimitBytes !== undefined && { bodyLimitBytes }),
    reply: reply.schema,
    replyHeaders: writeReplyHeaders,
    errors: write.namesNothing ? errors : [...errors, 'not_found'],
    example: { body: write.example, reply: reply.example },
    async handle(context, { body, caller, idempotencyId, setHeader, log, charge }) {
      const { hash: key, account } = caller;
      const attempt = async (id: string | undefined) => {
        const input = { body, caller, idempotencyId: id };
        const made = (await write.before?.(context, input)) as Made;
        const capsChange = write.capsChange?.(body, made);
        const options = { account, idempotencyId: id, paidBy: { key, reason: path } };
        const written = await context.accountConfig.write(
          write.function,
          write.args(key, body, made),
          capsChange ? { ...options, capsChange } : options,
        );
        reportWrite({ setHeader, log }, written);
        charge(ADMIN_WRITE_MICROS);
        return reply.from(written, { ...input, made });
      };
      const seeds = write.keySeeds?.(context, body);
      try {
        return await (seeds ? withFreshKey(seeds, idempotencyId, attempt) : attempt(idempotencyId));
      } catch (thrown) {
        const revert = thrown instanceof ContractRevertError ? thrown.revert : undefined;
        throw (revert && refusal?.(revert, body)) ?? thrown;
      }
    },
  };
}
