import { writeMessage } from '@latchkey/runner-protocol';
import { expect, test } from 'vitest';
import { createActionCodes } from './action-codes.ts';

test('keeps the code without the message that it came in', () => {
  const codes = createActionCodes();
  const message = writeMessage({ params: 'secret' }, Buffer.from('code'));
  const kept = codes.keep('Qm', message.subarray(-4));
  expect(codes.get('Qm')).toBe(kept);
  expect(Buffer.from(kept.buffer).toString()).toBe('code');
});
