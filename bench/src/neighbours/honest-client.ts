/**
 * A process that sends a modest constant load, independent of the duration of replies, and writes the times of its
 * replies as one line of JSON, a `Visit`. Argument: `HonestOptions` as JSON.
 */
import { setTimeout as delay } from 'node:timers/promises';

export type HonestOptions = { url: string; key: string; runner: string; count: number };

const kinds = ['hello', 'write', 'read', 'health'] as const;
export type Kind = (typeof kinds)[number];
/** Per kind: milliseconds per reply, and number of failures: another status than 200, or no reply in time. */
export type Visit = Record<Kind, { durationsMs: number[]; failures: number }>;

const INTERVAL_MS = 160;
/** Requests of each kind that are not measured: they compile this client and connect it. */
const WARM_UP = 4;
/** Every failure counts as this long: a fast refusal must not look like a fast reply. */
const TIMEOUT_MS = 30_000;

const { url, key, runner, count } = JSON.parse(process.argv[2] ?? '') as HonestOptions;
const prefix = `${url}/core/v1`;
const requests: Record<Kind, () => [url: string, key?: string, body?: unknown]> = {
  hello: () => [`${prefix}/svc_action`, runner, { code: 'function main() { return "hello" }' }],
  write: () => [`${prefix}/add_group`, key, { group_name: 'bench', group_description: '' }],
  read: () => [`${prefix}/list_groups?page_size=10`, key],
  health: () => [`${url}/health`],
};
const visit = Object.fromEntries(
  kinds.map((kind) => [kind, { durationsMs: [], failures: 0 }]),
) as unknown as Visit;

async function request(kind: Kind, isMeasured: boolean): Promise<void> {
  const [target, apiKey, body] = requests[kind]();
  const startedAt = performance.now();
  const isGood = await fetch(target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...(apiKey !== undefined && { 'X-Api-Key': apiKey }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
  if (isMeasured) visit[kind].durationsMs.push(isGood ? performance.now() - startedAt : TIMEOUT_MS);
  if (!isGood) visit[kind].failures++;
}

// The benchmark holds the input open.
process.stdin.on('end', () => process.exit()).resume();

const sent: Promise<void>[] = [];
for (let i = -WARM_UP; i < count; i++) {
  for (const kind of kinds) {
    sent.push(request(kind, i >= 0));
    await delay(INTERVAL_MS / kinds.length);
  }
}
await Promise.all(sent);
console.log(JSON.stringify(visit));
process.exit();
