import { TextReply } from '@latchkey/http';
import { describe, expect, test } from 'vitest';
import { createTrigger } from '../../test/receiving.ts';
import { replyTo, resultMs } from './webhook-reply.ts';

const utf8 = '; charset=utf-8';
const success = (response: unknown) => ({ status: 'success' as const, response });

test('the usual reply is the run and its status, or the reply of the config', async () => {
  const trigger = await createTrigger({});
  expect(replyTo(trigger, 'a run', undefined)).toEqual({ run_id: 'a run', status: 'queued' });
  expect(replyTo(await createTrigger({ reply: {} }), 'a run', undefined)).toEqual(
    new TextReply(200, 'text/plain', ''),
  );
});

describe('respond', () => {
  test.each([
    [{}, undefined],
    [{ respond: 'result' }, 2_500],
    [{ respond: 'result', respond_within_ms: 25_000 }, 25_000],
  ])('%j waits %s ms', async (config, ms) => {
    expect(resultMs(await createTrigger(config))).toBe(ms);
  });

  test.each([
    [{ respond: 'later' }, 422],
    [{ respond: 'result', respond_within_ms: 25_001 }, 400],
    [{ respond: 'result', respond_within_ms: 0 }, 400],
    [{ respond_within_ms: 1_000 }, 400],
    [{ respond: 'result', reply: { content_type: 'text/html' } }, 400],
  ])('refuses %j with %i', async (config, status) => {
    await expect(createTrigger(config)).rejects.toMatchObject({ status });
  });

  test.each([
    ['an object', {}, { a: [1] }, new TextReply(200, `application/json${utf8}`, '{"a":[1]}')],
    ['false', {}, false, new TextReply(200, `application/json${utf8}`, 'false')],
    ['a text', {}, '<b>Grüße</b>', new TextReply(200, `text/plain${utf8}`, '<b>Grüße</b>')],
    ['an empty text', {}, '', new TextReply(200, `text/plain${utf8}`, '')],
    [
      'a text, as the content type of the reply',
      { reply: { status: 202, content_type: 'text/xml', body: 'later' } },
      '<Response/>',
      new TextReply(200, `text/xml${utf8}`, '<Response/>'),
    ],
    [
      'the largest text',
      {},
      'x'.repeat(262_144),
      new TextReply(200, `text/plain${utf8}`, 'x'.repeat(262_144)),
    ],
  ])('replies with %s that the action returned', async (_what, config, response, expected) => {
    const trigger = await createTrigger({ respond: 'result', ...config });
    expect(replyTo(trigger, 'a run', success(response))).toEqual(expected);
  });

  test.each([
    ['returned nothing', success(null), 'success'],
    ['returned more than 256 KiB', success('x'.repeat(262_145)), 'success'],
    ['failed', { status: 'failed' as const, error: { message: 'a secret' }, logs: 'a secret' }, 'failed'],
    ['was replaced by a newer event', { status: 'skipped' as const }, 'skipped'],
  ])('gives the usual reply when the run %s', async (_what, end, status) => {
    expect(replyTo(await createTrigger({ respond: 'result' }), 'a run', end)).toEqual({
      run_id: 'a run',
      status,
    });
    const reply = { status: 200, content_type: 'application/json', body: '{"type":5}' };
    const trigger = await createTrigger({ respond: 'result', reply });
    expect(replyTo(trigger, 'a run', end)).toEqual(new TextReply(200, 'application/json', '{"type":5}'));
  });
});
