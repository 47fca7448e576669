import { badRequest, cid, conflict, hash, payloadTooLarge, tooManyRequests } from '@latchkey/http';
import { isCidOf } from '@latchkey/protocol';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { MAX_STORED_CODE_BYTES, MAX_STORED_CODES } from '../../db/stored-codes.ts';
import { actionCode } from '../actions/code.ts';
import { codeBodyLimitBytes, defineRoute, prefix, success } from '../define-route.ts';
import { exampleCid } from './record.ts';

const refusals = {
  'too many codes': `The account has stored ${MAX_STORED_CODES} codes.`,
  'too many bytes': `The stored codes of the account would have more than ${MAX_STORED_CODE_BYTES} bytes.`,
};

export const storeActionCode = defineRoute({
  method: 'POST',
  path: `${prefix}/store_action_code`,
  tag: 'actions',
  summary: 'Stores the code of an action',
  description:
    'The account can read it again with action_code, and run it by its CID. It is stored sealed; no other account gets it. ' +
    'Registering and permitting the CID are other requests, in any order. Repeating the request is a success.',
  auth: 'accountKeyOrWallet',
  body: z.strictObject({
    action_ipfs_cid: cid,
    code: actionCode.min(1),
    replaces_hashed_cid: hash.optional().meta({
      description:
        'Hash of the CID of the version that it replaces, so that clients can show the versions of an action.',
    }),
  }),
  bodyLimitBytes: codeBodyLimitBytes,
  reply: success,
  errors: [
    'bad_request',
    'forbidden',
    'conflict',
    'payload_too_large',
    'too_many_requests',
    'service_unavailable',
  ],
  example: { body: { action_ipfs_cid: exampleCid, code: 'hello world' }, reply: { success: true } },
  handle: async (
    { runLimits, storedCodes }: Pick<Context, 'runLimits' | 'storedCodes'>,
    { body: { action_ipfs_cid, code, replaces_hashed_cid: replaces }, caller },
  ) => {
    const bytes = Buffer.from(code);
    if (bytes.length > runLimits.maxCodeBytes)
      throw payloadTooLarge(
        `code: has more than ${runLimits.maxCodeBytes} bytes, the limit of code that runs.`,
      );
    if (!(await isCidOf(action_ipfs_cid, bytes)))
      throw badRequest('action_ipfs_cid: is not the CID of this code', {
        fix: 'Send the code byte by byte as it was when the CID was computed.',
      });
    const result = await storedCodes.store(caller.account, { cid: action_ipfs_cid, code, replaces });
    if (result === 'busy')
      throw tooManyRequests('Another request stores code of this account. Retry when it has ended.', 1);
    if (result !== 'stored') throw conflict(refusals[result], { fix: 'Delete one with delete_action_code.' });
    return { success: true as const };
  },
});
