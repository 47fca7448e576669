/** Uses a key that everyone can know, on the path of a real one, so that its code is loaded and compiled. */
import { partialSealerFor } from '@latchkey/key-protocol';
import { addressOf } from '@latchkey/service/secp256k1';
import {
  combine,
  decodeGroupParameters,
  decodePartial,
  deriveWalletKeys,
  encodeInput,
  evaluateUnproven,
} from '@latchkey/threshold';
import type { FromKeyProcess, KeyTask, ToKeyProcess } from './key-protocol.ts';
import type { Answer } from './releases.ts';

/** A group of two nodes, with both shares. */
const TEXT =
  'latchkey-threshold/1;epoch=1;threshold=2;key=3FnwJgiSUU7ov_Ggy1fmpxoW5gMKgpmFCM8xdcn8U0s;1=VOKlCjZibuxghYJWtf4leB7Nouv8Wr208P_vjdFrrSE;2=FrAe-hAeiWdbim5HuMcG0sDqr_1vy_DCLNN1M12qmjE';
const SHARES = [
  'afcde838086ad9973a9c5a5397492a7164c07d1c4fe7566e07f26c190698a30c',
  '466e107bed9d950e65379f42f2de966070d9041d6b78337f517ba5a32bea6701',
].map((secret, i) => ({ epoch: 1, identifier: i + 1, secret: Buffer.from(secret, 'hex') }));

const parameters = decodeGroupParameters(TEXT);
const group = parameters.groupPublicKey;
const input = encodeInput({ kind: 'wallet', path: 1n });
const partials = SHARES.map((share) => evaluateUnproven(parameters, share, input));
const output = combine(
  parameters,
  input,
  partials.map((partial, i) => decodePartial(parameters, i + 1, partial)),
);
const pkpId = addressOf(deriveWalletKeys(output).signingKey);
const run = { usageKeyHash: '0x1', cid: 'Rehearsal' };
const task: KeyTask = { kind: 'call', run, operation: 'signMessage', args: { pkpId, message: 'a' } };

type CreateServer = (send: (message: FromKeyProcess) => void) => (message: ToKeyProcess) => void;

/** Resolves when a message is signed. */
export function rehearse(createServer: CreateServer): Promise<void> {
  return new Promise((resolve, reject) => {
    const receive = createServer((message) => {
      if (message.type === 'ask') void answer(message).catch(reject);
      else if (message.type === 'result') resolve();
      else if (message.type === 'failed') reject(new Error(message.message));
    });
    const answer = async ({ ask, statement }: Extract<FromKeyProcess, { type: 'ask' }>): Promise<void> => {
      for (const [i, partial] of partials.entries()) {
        const identifier = i + 1;
        const seal = await partialSealerFor(statement.recipient);
        const sealed = await seal(partial, statement.id, identifier);
        const part: Answer = { parameters: TEXT, node: identifier, identifier, partial: sealed, path: '0x1' };
        receive({ type: 'answer', ask, answer: part, parameters });
      }
    };
    receive({ type: 'task', group, task });
  });
}
