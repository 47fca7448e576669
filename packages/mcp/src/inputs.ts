/** Inputs that several tools take. */
import { LatchkeyError } from '@latchkey/sdk';
import type { Address, Hex } from 'viem';
import { z } from 'zod';

export const cid = z.string().max(200).describe('CID of the code of an action');
export const code = z.string().min(1).describe('JavaScript that defines main(params)');
export const source = { code: code.optional(), cid: cid.optional() };
export const id = z.string().min(1).max(100);
export const json = z.record(z.string(), z.unknown());

const hexText = (digits: string) => z.string().regex(new RegExp(`^0x(?:${digits})$`));
export const address = hexText('[0-9a-fA-F]{40}').transform((text) => text as Address);
export const bytes = hexText('(?:[0-9a-fA-F]{2})*').transform((text) => text as Hex);
export const amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);

/** A CID as text, or its hash as list_actions returns it. */
export const cidOrHash = z
  .string()
  .max(200)
  .transform((text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? BigInt(text) : text));

const pageSize = z.int().min(1).max(50).default(20).describe('Items per page');
/** Pages of lists in order of creation. */
export const page = { pageNumber: z.int().min(0).default(0), pageSize };
/** Pages of lists that begin with the newest item. */
export const newest = {
  pageSize,
  before: id.optional().describe('Id of the last item of the page before, as nextPage has it'),
};
/** Pages of triggers and of their runs, which begin with the newest one. */
export const offsets = { pageSize, offset: z.int().min(0).default(0) };

/** Returns the code or the CID. */
export function readSource({ code, cid }: { code?: string | undefined; cid?: string | undefined }) {
  if (code !== undefined && cid === undefined) return { code };
  if (cid !== undefined && code === undefined) return { cid };
  throw new LatchkeyError('configuration', 'code and cid: give one of them');
}
