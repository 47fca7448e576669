/** Replies to accepted deliveries. */
import { badRequest, TextReply } from '@latchkey/http';
import { z } from 'zod';
import type { RunEnd } from '../runs/run-ends.ts';
import { senders } from './senders/index.ts';
import type { Trigger } from './source.ts';

const MAX_REPLY_CHARACTERS = 16_384;
/** A longer result is read with GET /api/runs/:id. */
const MAX_RESULT_BYTES = 256 * 1024;
/** Slack, Discord and Shopify wait for three to five seconds. */
const DEFAULT_RESULT_MS = 2_500;
const MAX_RESULT_MS = 25_000;

/** No HTML: the reply has the origin of this service. */
const REPLY_TYPE = /^(?:application\/json|text\/plain|(?:text|application)\/xml)(?:; ?charset=utf-8)?$/i;

export const replyFields = {
  /** Replaces the reply to an accepted delivery. */
  reply: z
    .strictObject({
      status: z.int().min(200).max(299).default(200),
      content_type: z.string().max(100).regex(REPLY_TYPE).default('text/plain'),
      body: z.string().max(MAX_REPLY_CHARACTERS).default(''),
    })
    .optional(),
  /** `result`: the reply is what the action returned, when the run succeeds in time. */
  respond: z.literal('result').optional(),
  respond_within_ms: z.int().min(1).max(MAX_RESULT_MS).optional(),
};
type ReplyConfig = z.output<z.ZodObject<typeof replyFields>>;

/** Throws 400 for fields that contradict each other. */
export function requireReply({ reply, respond, respond_within_ms }: ReplyConfig): void {
  if (reply && reply.body !== '' && [204, 205].includes(reply.status))
    throw badRequest('body.config.reply.body: expected no body with the status 204 or 205');
  if (respond_within_ms !== undefined && respond === undefined)
    throw badRequest('body.config.respond_within_ms: expected only with "respond": "result"');
}

type Stored = Pick<Trigger, 'config'>;
const toReplyConfig = ({ config }: Stored) => config as ReplyConfig & { verification?: { scheme: string } };

/** Returns for how long the reply to a delivery waits for the result; undefined when it does not. */
export function resultMs(trigger: Stored): number | undefined {
  const { respond, respond_within_ms: ms = DEFAULT_RESULT_MS } = toReplyConfig(trigger);
  return respond && ms;
}

/** Returns what the action returned, undefined when that is nothing or too long. */
function toResult(response: unknown, contentType: string): TextReply | undefined {
  if (response == null) return undefined;
  const isText = typeof response === 'string';
  const text = isText ? response : JSON.stringify(response);
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES) return undefined;
  const type = isText ? contentType : 'application/json';
  return new TextReply(200, /charset/i.test(type) ? type : `${type}; charset=utf-8`, text);
}

/** Returns the reply of the config, otherwise JSON with the status that the sender takes for a success. */
export function usualReply<Json extends object>(trigger: Stored, json: Json): TextReply | Json {
  const { reply, verification } = toReplyConfig(trigger);
  if (reply) return new TextReply(reply.status, reply.content_type, reply.body);
  const okStatus = verification && senders[verification.scheme]?.okStatus;
  return okStatus ? new TextReply(okStatus, 'application/json', JSON.stringify(json)) : json;
}

/** Returns the result of a run that succeeded, otherwise the usual reply with the run and its status. */
export function replyTo(trigger: Stored, id: string, end: RunEnd | undefined) {
  const { reply } = toReplyConfig(trigger);
  const status = end?.status ?? ('queued' as const);
  const result =
    status === 'success' ? toResult(end?.response, reply?.content_type ?? 'text/plain') : undefined;
  return result ?? usualReply(trigger, { run_id: id, status });
}
