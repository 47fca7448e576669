/** The code of an action that signs and sends only within a policy. */
import { template } from './generated/template.ts';
import { canonicalJson, parsePolicy } from './parse.ts';
import type { Policy } from './policy.ts';

/** The place of the policy in the template. */
const PLACE = '"__POLICY__"';
const [before, after] = template.split(PLACE) as [string, string];

export class CodeError extends Error {
  override readonly name = 'CodeError';
}

/** Returns the same bytes for the same policy. */
export const buildCode = (policy: Policy): string => `${before}${canonicalJson(policy)}${after}`;

/** Returns the policy of built code. Throws `CodeError` for code that is not exactly what `buildCode` makes of a policy. */
export function readCode(code: string): Policy {
  if (!code.startsWith(before) || !code.endsWith(after) || code.length < before.length + after.length)
    throw new CodeError('the code is not that of a policy, or was built by another version');
  const text = code.slice(before.length, code.length - after.length);
  try {
    const policy = parsePolicy(JSON.parse(text));
    if (buildCode(policy) === code) return policy;
  } catch {
    // Told below.
  }
  throw new CodeError('the code is that of a policy, but the policy in it was changed by hand');
}
