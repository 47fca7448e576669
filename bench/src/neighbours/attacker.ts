/**
 * A process that attacks until its input ends or `maxMs` have passed, waits for its replies, and writes their number
 * per status as one line of JSON. Argument: `AttackerOptions` as JSON.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type AttackerAccount, type AttackName, createAttack } from './attacks.ts';

export type AttackerOptions = { url: string; name: AttackName; accounts: AttackerAccount[]; maxMs: number };

const REPLY_TIMEOUT_MS = 20_000;
/** Pause of a sender after a refusal, so that the attack floods the service and not this process. */
const AFTER_REFUSAL_MS = 5;

const { url, name, accounts, maxMs } = JSON.parse(process.argv[2] ?? '') as AttackerOptions;
const attack = createAttack(name, accounts);
const statuses: Record<string, number> = {};
let isOver = false;
const end = (): void => {
  isOver = true;
};
process.stdin.on('end', end).on('error', end).resume();
setTimeout(end, maxMs).unref();

async function send(): Promise<string> {
  const { path, body, key: own } = attack.request();
  try {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...(own !== undefined && { 'X-Api-Key': own }) },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return String(response.status);
  } catch {
    return 'none';
  }
}

async function sender(): Promise<void> {
  while (!isOver) {
    const status = await send();
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status !== '200') await delay(AFTER_REFUSAL_MS);
  }
}

await Promise.all(Array.from({ length: attack.concurrency }, sender));
console.log(JSON.stringify(statuses));
process.exit();
