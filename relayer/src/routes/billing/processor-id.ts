import { wireCodec } from '@latchkey/http';
import { z } from 'zod';

/** The id of an object at the card processor, by the prefix of its kind. It has no character with a meaning in a URL. */
export function processorId(prefix: string, noun: string) {
  const pattern = `^${prefix}_\\w{1,250}$`;
  const matcher = new RegExp(pattern);
  return wireCodec(
    z.string().meta({ pattern }),
    z.string(),
    `expected the id of ${noun}`,
    (text) => (matcher.test(text) ? text : undefined),
    (text) => text,
  );
}

export const paymentIntentId = processorId('pi', 'a payment intent');
