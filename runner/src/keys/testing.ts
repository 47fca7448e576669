/** Key nodes in this process, for the tests of keys. */
import { type EvaluationPurpose, partialSealerFor } from '@latchkey/key-protocol';
import {
  decodeGroupParameters,
  type KeyRequest as Evaluation,
  encodeGroupParameters,
  encodeInput,
  evaluate,
  evaluateUnproven,
  type Share,
} from '@latchkey/threshold';
import { generate } from '@latchkey/threshold/testing';
import { type AskNodes, createDecoder } from './releases.ts';
import type { AskSigned } from './runner-keys.ts';

export const group = generate(2, 3);
const parameters = encodeGroupParameters(group.parameters);
const { groupPublicKey } = group.parameters;
export const ofGroup = { group: groupPublicKey, decode: createDecoder(groupPublicKey) };

type NodeAnswer = {
  evaluation: Evaluation;
  share?: Share | undefined;
  parameters?: string;
  path?: string | null;
  /** Sends another proof. */
  isUnproven?: boolean;
};
/** Returns what a node answers, undefined when it does not. */
export type Behaviour = (
  identifier: number,
  purpose: EvaluationPurpose,
  withProof: boolean,
) => NodeAnswer | undefined;

/** Asks three nodes with this behaviour. `asked` has the purposes, and `done` whether they gave the key. The end comes after `until`. */
export function nodesThat(
  behave: Behaviour,
  end = { isRefused: false, message: 'too few key nodes answer' },
  until = Promise.resolve(),
) {
  const asked: EvaluationPurpose[] = [];
  const done: boolean[] = [];
  const ask: AskNodes = (statement, onAnswer, onEnd) => {
    const { purpose } = statement;
    if (purpose.kind === 'nonces' || purpose.kind === 'sign') throw new Error('expected an evaluation');
    asked.push(purpose);
    const answers = group.shares.map(async (own) => {
      const answer = behave(own.identifier, purpose, statement.withProof);
      if (!answer) return;
      const share = answer.share ?? own;
      const named = answer.parameters ?? parameters;
      const evaluateShare = statement.withProof ? evaluate : evaluateUnproven;
      const partial = evaluateShare(decodeGroupParameters(named), share, encodeInput(answer.evaluation));
      if (answer.isUnproven && statement.withProof) partial[100] = (partial[100] ?? 0) ^ 1;
      const path = answer.evaluation.kind === 'wallet' ? `0x${answer.evaluation.path.toString(16)}` : null;
      onAnswer({
        parameters: named,
        node: own.identifier,
        identifier: own.identifier,
        partial: await (await partialSealerFor(statement.recipient))(partial, statement.id, own.identifier),
        path: answer.path === undefined ? path : answer.path,
      });
    });
    void Promise.all([...answers, until]).then(() => onEnd(end));
    return (isMissing) => done.push(isMissing);
  };
  const askSigned: AskSigned = ({ statement }, ...on) => ask(statement, ...on);
  return { ask, askSigned, asked, done };
}
