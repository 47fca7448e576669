import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameDecoder, ProtocolViolation } from './protocol.ts';

const MAX = 1_000;
const frame = (json: string, body = Buffer.alloc(0)): Buffer => {
  const text = Buffer.from(json);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(4 + text.length + body.length, 0);
  head.writeUInt32BE(text.length, 4);
  return Buffer.concat([head, text, body]);
};
const decoder = () => {
  const messages: unknown[] = [];
  const push = createFrameDecoder(MAX, (message, body) =>
    messages.push([message, Buffer.from(body).toString()]),
  );
  return { messages, push };
};

test('decodes whole frames however the output is split', () => {
  const bytes = Buffer.concat([
    frame('{"type":"ready"}'),
    frame('{"type":"log","text":"a"}'),
    frame('{"type":"done"}', Buffer.from('[1]')),
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
      const { messages, push } = decoder();
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      for (const [i, start] of at.slice(0, -1).entries()) push(bytes.subarray(start, at[i + 1]));
      expect(messages).toEqual([
        [{ type: 'ready' }, ''],
        [{ type: 'log', text: 'a' }, ''],
        [{ type: 'done' }, '[1]'],
      ]);
    }),
  );
});

describe('throws ProtocolViolation for', () => {
  test.each([
    ['a frame above the limit', Buffer.from([0, 0, 3, 233])],
    ['the maximum length', Buffer.from([255, 255, 255, 255])],
    ['a frame too short for its JSON length', Buffer.from([0, 0, 0, 3])],
    ['JSON longer than its frame', Buffer.from([0, 0, 0, 4, 0, 0, 0, 1])],
    ['malformed JSON', frame('{')],
    ['JSON that is not an object', frame('null')],
    ['a body on a line of output', frame('{"type":"log","text":"a"}', Buffer.from('x'))],
    ['a body on a call', frame('{"type":"call","id":1,"operation":"Encrypt","args":{}}', Buffer.from('x'))],
    [
      'a body on a fetch without one',
      frame(
        '{"type":"fetch","id":1,"url":"","method":"","headers":[],"redirect":"follow","body":"none"}',
        Buffer.from('x'),
      ),
    ],
    ['a body on a pull', frame('{"type":"pull","id":1,"chunks":1}', Buffer.from('x'))],
    ['an unknown type', frame('{"type":"reply","id":1,"ok":true,"value":""}')],
    ['a host message', frame('{"type":"run"}')],
    ['an unknown operation', frame('{"type":"call","id":1,"operation":"constructor","args":{}}')],
    ['an unknown field', frame('{"type":"ready","x":1}')],
    ['an id that is not an integer', frame('{"type":"abort","id":1.5}')],
    ['an id of 0', frame('{"type":"abort","id":0}')],
    ['__proto__ as a type', frame('{"__proto__":{"type":"ready"}}')],
  ])('%s', (_name, bytes) => {
    const { messages, push } = decoder();
    expect(() => push(bytes)).toThrow(ProtocolViolation);
    expect(messages).toEqual([]);
  });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), (bytes) => {
        const { messages, push } = decoder();
        try {
          push(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolViolation);
        }
        expect(messages).toEqual([]);
      }),
    );
  });
});
