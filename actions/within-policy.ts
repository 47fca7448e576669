/** The action that `latchkey policy build` completes with a policy. Signs and sends what a rule allows, and refuses everything else. */
import { evaluate, type Policy, type Request, readRequest } from '@latchkey/policy/evaluator';
import { sendTransaction } from './send-within-policy.ts';
import { signAuthorization } from './sign-authorization.ts';
import { signHash } from './sign-hash.ts';
import { signMessage } from './sign-message.ts';
import { signTransaction } from './sign-transaction.ts';
import { signTypedData } from './sign-typed-data.ts';

const policy = '__POLICY__' as unknown as Policy;

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'PolicyError' });

function perform(request: Request) {
  switch (request.kind) {
    case 'message':
      return signMessage(request);
    case 'typed_data':
      return signTypedData(request);
    case 'sign_transaction':
      return signTransaction(request);
    case 'send_transaction':
      return sendTransaction(request);
    case 'authorization':
      return signAuthorization(request);
    case 'hash':
      return signHash(request);
  }
}

/** The result names the rule that allowed the request, and has the statements of the service about its limits. */
export async function main(params: unknown) {
  const request = readRequest(params);
  const decision = evaluate(policy, request, Date.now());
  if (!decision.allowed) throw refusal(decision.reason);
  const exhausted: string[] = [];
  for (const { rule, uses } of decision.candidates) {
    const allowances = [];
    try {
      for (const use of uses)
        allowances.push(await Svc.Actions.takeAllowance({ pkpId: request.wallet, ...use }));
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== 'AllowanceError') throw error;
      exhausted.push(`"${rule}": ${message}`);
      continue;
    }
    return { rule, allowances, ...(await perform(request)) };
  }
  throw refusal(`the limits of the rules that allow it are reached: ${exhausted.join('; ')}`);
}
