/** Receives deliveries without the service. */
import type { HttpError, TextReply } from '@latchkey/http';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { expect } from 'vitest';
import type { Senders } from '../src/sources/senders/index.ts';
import { type Accepted, type Answered, receive, webhook } from '../src/sources/webhook.ts';
import type { Headers } from './sender-samples.ts';

export const sealer = createSealer([sealingKey(new Uint8Array(32).fill(1))]);
export const id = '00000000-0000-4000-8000-000000000001';

export type TestTrigger = Awaited<ReturnType<typeof createTrigger>>;
export async function createTrigger(wire: unknown) {
  return { id, config: await webhook.accept(wire, { id }, { sealer } as never) };
}

export type Request = {
  headers: Headers;
  body: string | Buffer;
  search?: string;
  url?: string;
  method?: string;
};

export const receiveAll = (
  trigger: TestTrigger,
  { headers, body, search = '', url = 'https://x.example/webhook/1', method = 'POST' }: Request,
  senders?: Senders,
): Promise<Accepted | Answered> =>
  receive(
    trigger,
    { method, headers, body: Buffer.from(body as string), search, url },
    { sealer, ...(senders && { senders }) },
  );

/** Resolves to the accepted delivery, or to the reply of a challenge. */
export const receiveAny = async (
  trigger: TestTrigger,
  request: Request,
  senders?: Senders,
): Promise<Accepted | TextReply> => {
  const received = await receiveAll(trigger, request, senders);
  return 'reply' in received ? received.reply : received;
};

/** Resolves to the accepted delivery. Fails for a challenge. */
export async function receiveAt(
  trigger: TestTrigger,
  request: Request,
  senders?: Senders,
): Promise<Accepted> {
  const received = await receiveAny(trigger, request, senders);
  if (!('input' in received)) throw new Error('this is a challenge');
  return received;
}

export const refused = expect.objectContaining({
  status: 401,
  code: 'unauthorized',
  message: 'Invalid webhook signature.',
}) as HttpError;
