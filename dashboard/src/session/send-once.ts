import type { LatchkeyError } from '@latchkey/sdk';
import { useCallback, useRef } from 'react';

/**
 * Returns the function that sends a request under an Idempotency-Key. A request without a definite reply keeps its key, so that it
 * has one effect when the user sends it again.
 */
export function useSendOnce() {
  const unanswered = useRef(new Map<string, string>());
  return useCallback(
    async <Reply>(request: object, send: (idempotencyKey: string) => Promise<Reply>): Promise<Reply> => {
      const keys = unanswered.current;
      const text = JSON.stringify(request);
      const idempotencyKey = keys.get(text) ?? crypto.randomUUID();
      keys.set(text, idempotencyKey);
      try {
        const reply = await send(idempotencyKey);
        keys.delete(text);
        return reply;
      } catch (error) {
        const { status = 0 } = error as LatchkeyError;
        // After a 429 the key stays: the service can send it before it looks for an earlier outcome.
        if (status >= 400 && status < 500 && status !== 429) keys.delete(text);
        throw error;
      }
    },
    [],
  );
}
