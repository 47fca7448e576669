/**
 * A process that attacks until its input ends or `maxMs` have passed, waits for its replies, and writes their number
 * per status as one line of JSON; of a flood, the numbers of connections. Argument: `AttackerOptions` as JSON.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type FloodName, flood, floods } from '@latchkey/testing/floods';
import {
  type AttackerAccount,
  type AttackName,
  createAttack,
  DESCRIPTION,
  type RequestAttack,
} from './attacks.ts';

export type AttackerOptions = { url: string; name: AttackName; accounts: AttackerAccount[]; maxMs: number };

const REPLY_TIMEOUT_MS = 20_000;
/** Pause of a sender after a refusal, so that the load is on the service and not on this process. */
const AFTER_REFUSAL_MS = 5;
/** An address that the honest client does not have. */
const FLOOD_ADDRESS = '127.0.66.1';

const { url, name, accounts, maxMs } = JSON.parse(process.argv[2] ?? '') as AttackerOptions;
const over = new AbortController();
const end = (): void => over.abort();
process.stdin.on('end', end).on('error', end).resume();
setTimeout(end, maxMs).unref();

const isFlood = (attack: AttackName): attack is FloodName => attack in floods;

/** Repeats the request of an attack. Returns the number of replies per status. */
async function sendRequests(attackName: RequestAttack): Promise<Record<string, number>> {
  const attack = createAttack(attackName, accounts);
  const statuses: Record<string, number> = {};
  const send = async (): Promise<string> => {
    const { path, body, key } = attack.request();
    try {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'X-Api-Key': key }) },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return String(response.status);
    } catch {
      return 'none';
    }
  };
  const sender = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const status = await send();
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status !== '200') await delay(AFTER_REFUSAL_MS);
    }
  };
  await Promise.all(Array.from({ length: attack.concurrency }, sender));
  return statuses;
}

const result = isFlood(name)
  ? await flood(`${url}${DESCRIPTION}`, name, { from: FLOOD_ADDRESS, signal: over.signal })
  : await sendRequests(name);
console.log(JSON.stringify(result));
process.exit();
