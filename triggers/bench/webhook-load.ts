// Forked process: receives loads as messages, sends their webhooks and answers with the durations.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { answer } from '@latchkey/testing/forked';
import { measure, type Samples, withClientShare } from '@latchkey/testing/measure';

export type Load = {
  /** The requests go to one URL after another. */
  urls: string[];
  clients: number;
  count: number;
  /** Header with the id of the delivery. */
  deliveryHeader: string;
};

const agent = new Agent({ keepAlive: true });

/** Returns the body of a webhook, about a kilobyte. */
export const createEvent = (id: string) => ({
  id,
  kind: 'order.paid',
  items: Array(20).fill({ name: 'a thing', price: 1_995 }),
});

/** Sends a webhook; rejects unless it is accepted with 202. */
export function sendWebhook(url: string, id: string, deliveryHeader: string): Promise<void> {
  const body = JSON.stringify(createEvent(id));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    [deliveryHeader]: id,
  };
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 202) resolve();
        else reject(new Error(`${url} returned ${response.statusCode}`));
      });
    })
      .once('error', reject)
      .end(body);
  });
}

async function run({ urls, clients, count, deliveryHeader }: Load): Promise<Samples> {
  let sent = 0;
  const send = () => sendWebhook(urls[sent++ % urls.length] as string, randomUUID(), deliveryHeader);
  return withClientShare(() => measure({ run: send }, count, clients));
}

if (import.meta.main) {
  answer(run);
}
