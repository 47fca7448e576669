/** Policies: what a wallet may sign and send. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import {
  buildCode,
  CodeError,
  type Decision,
  evaluate,
  explainPolicy,
  type Policy,
  PolicyFormatError,
  parsePolicy,
  RequestError,
  readCode,
  readRequest,
} from '@latchkey/policy';
import { cidOf, parseStrictJson } from '@latchkey/protocol';
import { command, type Topic } from '../command.ts';
import { UsageError } from '../errors.ts';
import { parseTime, readText } from '../parse.ts';

async function readJson(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${(error as Error).message}`);
  }
}

/** Reads a policy, or the code that was built from one. */
async function readPolicy(path: string): Promise<Policy> {
  try {
    return path.endsWith('.json') ? parsePolicy(await readJson(path)) : readCode(await readText(path));
  } catch (error) {
    if (error instanceof PolicyFormatError || error instanceof CodeError)
      throw new UsageError(error.message.replaceAll(/^/gm, `${path}: `));
    throw error;
  }
}

/** Returns the sums of limits that a request gives, without them the request. */
function splitUsed(path: string, value: unknown): { used: Map<string, bigint>; params: unknown } {
  if (typeof value !== 'object' || value === null || !('used' in value))
    return { used: new Map(), params: value };
  const { used, ...params } = value;
  const entries = Object.entries(used ?? {});
  for (const [name, sum] of entries)
    if (!/^\d{1,78}$/.test(String(sum))) throw new UsageError(`${path}: used.${name}: expected an integer`);
  return { used: new Map(entries.map(([name, sum]) => [name, BigInt(String(sum))])), params };
}

/** A decision, and what it takes of the limits of its rule. */
type Verdict = {
  allowed: boolean;
  rule?: string;
  /** Why it is refused. */
  reason?: string;
  /** Rules that would allow it, but for a limit. */
  reached: { rule: string; limit: string; max: string }[];
  takes: { limit: string; amount: string; usedThen: string; max: string }[];
};

function judge(decision: Decision, used: Map<string, bigint>): Verdict {
  const reached: Verdict['reached'] = [];
  if (!decision.allowed) return { allowed: false, reason: decision.reason, reached, takes: [] };
  for (const { rule, uses } of decision.candidates) {
    const usedThen = (name: string, amount: string) => (used.get(name) ?? 0n) + BigInt(amount);
    const full = uses.find(({ name, amount, limit }) => usedThen(name, amount) > BigInt(limit));
    if (full) {
      reached.push({ rule, limit: full.name, max: full.limit });
      continue;
    }
    const takes = uses.map(({ name, amount, limit }) => ({
      limit: name,
      amount,
      usedThen: String(usedThen(name, amount)),
      max: limit,
    }));
    return { allowed: true, rule, reached, takes };
  }
  const reason = 'the limits of the rules that allow it are reached';
  return { allowed: false, reason, reached, takes: [] };
}

function showVerdict({ allowed, rule, reason, reached, takes }: Verdict): string {
  return [
    ...reached.map((one) => `"${one.rule}" allows it, but its limit "${one.limit}" of ${one.max} is reached`),
    allowed ? `allowed by the rule "${rule}"` : `refused: ${reason}`,
    ...takes.map(
      (one) => `  takes ${one.amount} of the limit "${one.limit}": ${one.usedThen} of ${one.max} used then`,
    ),
  ].join('\n');
}

const file = { required: true, help: 'file of a policy, or the code that was built from one' } as const;

export const policy: Topic = {
  summary: 'policies: what a wallet may sign and send',
  commands: {
    build: command({
      summary:
        'writes the code of the action with the policy in it, and prints its CID, which a group permits',
      arguments: { policy: { required: true, help: 'file of the policy' } },
      options: {
        out: { value: 'file', help: 'file of the code (default: the name of the policy with .js)' },
        force: { help: 'replaces an existing file that has other code' },
      },
      examples: ['policy build policy.json', 'policy build policy.json --out pay.js'],
      run: async (session, { policy, out = policy.replace(/(\.json)?$/, '.js'), force }) => {
        const code = buildCode(await readPolicy(policy));
        if (!force && existsSync(out) && (await readText(out)) !== code)
          throw new UsageError(
            `${out} exists with other code`,
            'Add --force, or choose another file with --out.',
          );
        await writeFile(out, code);
        session.tell(`wrote ${out}`);
        return { cid: await cidOf(code), file: out };
      },
      show: ({ cid }) => cid,
    }),
    explain: command({
      summary:
        'prints the policy in sentences; of code, only when it is exactly what build makes of the policy in it',
      arguments: { file },
      examples: ['policy explain policy.json', 'policy explain policy.js'],
      run: async (_session, { file }) => {
        const read = await readPolicy(file);
        return { explanation: explainPolicy(read), cid: await cidOf(buildCode(read)) };
      },
      show: ({ explanation, cid }) => `${explanation}\n\nCID: ${cid}`,
    }),
    simulate: command({
      summary:
        'prints whether a request would be allowed, and by which rule; ends with 1 when it would be refused',
      arguments: {
        file,
        request: {
          required: true,
          help: 'file with the js_params of the action, and "used": the sum of each limit in its window, such as {"daily": "500"}',
        },
      },
      options: { time: { value: 'time', parse: parseTime, help: 'time of the request (default: now)' } },
      examples: [
        'policy simulate policy.json request.json',
        'policy simulate policy.js request.json --time 2027-01-31T12:00:00Z',
      ],
      run: async (_session, { file, request, time = new Date() }): Promise<Verdict> => {
        const policy = await readPolicy(file);
        const { used, params } = splitUsed(request, await readJson(request));
        try {
          return judge(evaluate(policy, readRequest(params), time.getTime()), used);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          return { allowed: false, reason: error.message, reached: [], takes: [] };
        }
      },
      show: showVerdict,
      exitCode: ({ allowed }) => (allowed ? 0 : 1),
    }),
  },
};
