/** Policies and the code that is built from them. Loaded when a page needs it. */
import './without-eval.ts';
import { buildCode, explainPolicy, type Policy, parsePolicy, readCode } from '@latchkey/policy';
import { parseStrictJson } from '@latchkey/protocol';
import { parseObject } from '../../components/json-object.ts';

/** A policy as JSON with the code of its action, in sentences, and with the kinds of the requests that it can allow. */
export type BuiltPolicy = { text: string; code: string; explanation: string; kinds: string[] };

/** Requests of the rules for both kinds of transactions. */
const TRANSACTIONS = ['send_transaction', 'sign_transaction'];

const built = (policy: Policy, text: string, code: string): BuiltPolicy => ({
  text,
  code,
  explanation: explainPolicy(policy),
  kinds: [
    ...new Set(
      policy.rules
        .filter(({ effect }) => effect === 'allow')
        .flatMap(({ kind }) => (kind === 'transaction' ? TRANSACTIONS : kind)),
    ),
  ],
});

/** Returns the built policy of a text, or why the text is not a policy. */
export function buildPolicy(text: string): BuiltPolicy | { error: string } {
  const json = parseObject(text);
  if ('error' in json) return json;
  try {
    const policy = parsePolicy(parseStrictJson(text));
    return built(policy, text, buildCode(policy));
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Returns the policy of which the code was built; null for other code. */
export function policyOf(code: string): BuiltPolicy | null {
  try {
    const policy = readCode(code);
    return built(policy, JSON.stringify(policy, null, 2), code);
  } catch {
    return null;
  }
}
