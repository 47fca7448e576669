import { cidOf } from '@latchkey/protocol';
import { writeMessage } from '@latchkey/runner-protocol';
import { expect, test } from 'vitest';
import { createActionCodes } from './action-codes.ts';

test('keeps the code without the message that it came in', async () => {
  const codes = createActionCodes();
  const message = writeMessage({ params: 'secret' }, Buffer.from('code'));
  const cid = await cidOf('code');
  const kept = await codes.keep(cid, message.subarray(-4));
  message.fill(0);
  expect(codes.get(cid)).toBe(kept);
  expect(Buffer.from(kept.buffer).toString()).toBe('code');
});

test('keeps no code under the CID of another one', async () => {
  const codes = createActionCodes();
  const cid = await cidOf('code');
  await expect(codes.keep(cid, Buffer.from('other'))).rejects.toThrow(
    `the code does not have the CID ${cid}`,
  );
  expect(codes.get(cid)).toBeUndefined();
  await codes.keep(cid, Buffer.from('code'));
  await expect(codes.keep(cid, Buffer.from('other'))).rejects.toThrow('the code does not have the CID');
  expect(Buffer.from(codes.get(cid) ?? []).toString()).toBe('code');
});
