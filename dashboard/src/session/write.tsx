/**
 * Writes of both modes. A wallet's write is shown first (changes, cost, values before and after), then each stage of its transaction.
 * A write of an account key is sent at once; one that takes something away asks first.
 */
import type { Written } from '@latchkey/sdk';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { WriteDialog } from '../components/write-dialog.tsx';
import { onWalletRequest } from '../wallets.ts';
import { useSendOnce } from './send-once.ts';
import { useSession } from './session-context.tsx';
import type { PreparedWrite, Write, WriteStage } from './write-stage.ts';

type Pending = { write: Write<unknown>; stage: WriteStage; answer: (isConfirmed: boolean) => void };

/** Time for the consents in a wallet and for the block of its transaction. */
const WALLET_TIMEOUT_MS = 15 * 60_000;

/** Resolves to the result once it is visible, and to undefined when the user did not confirm. Rejects in API mode only. */
export type SendWrite = <Result>(write: Write<Result>) => Promise<Written<Result> | undefined>;

const WriteContext = createContext<SendWrite | undefined>(undefined);

export function WriteProvider({ children }: { children: ReactNode }) {
  const session = useSession();
  const queries = useQueryClient();
  const [pending, setPending] = useState<Pending>();
  const sendOnce = useSendOnce();
  const setStage = useCallback((stage: WriteStage) => setPending((now) => now && { ...now, stage }), []);

  useEffect(
    () =>
      onWalletRequest((request) =>
        setPending((now) => {
          if (now?.stage.at !== 'sending') return now;
          const earlier = now.stage.requests.filter(({ state }) => state !== 'asked');
          return { ...now, stage: { ...now.stage, requests: [...earlier, request] } };
        }),
      ),
    [],
  );

  const send = useCallback<SendWrite>(
    async <Result,>(write: Write<Result>) => {
      const { client, mode } = session;
      const finish = async (written: Written<Result>): Promise<Written<Result>> => {
        await Promise.all(write.refresh.map((name) => queries.invalidateQueries({ queryKey: [name] })));
        notifications.show({ message: write.done, color: 'teal' });
        return written;
      };
      const sendPrepared = (prepared: PreparedWrite<Result>): Promise<Written<Result>> =>
        prepared.mode === 'api'
          ? sendOnce(prepared.request, (idempotencyKey) => prepared.send({ idempotencyKey }))
          : prepared.send({ timeoutMs: WALLET_TIMEOUT_MS });
      const prepare = () => write.prepare(client) as Promise<PreparedWrite<Result>>;
      if (mode === 'api' && !write.isDestructive) return finish(await sendPrepared(await prepare()));

      /** Shows the dialog and resolves when the user has answered in it. */
      const ask = (stage: WriteStage): Promise<boolean> =>
        new Promise((answer) => setPending({ write: write as Write<unknown>, stage, answer }));
      const dismissed = ask({ at: 'preparing' });
      let prepared: PreparedWrite<Result> | undefined;
      try {
        prepared = await Promise.race([prepare(), dismissed.then(() => undefined)]);
        if (!prepared) return undefined;
        for (;;) {
          if (!(await ask({ at: 'asking', prepared: prepared as PreparedWrite<unknown> }))) return undefined;
          setStage({ at: 'sending', prepared: prepared as PreparedWrite<unknown>, requests: [] });
          try {
            return await finish(await sendPrepared(prepared));
          } catch (error) {
            const isRepeated = await ask({
              at: 'failed',
              prepared: prepared as PreparedWrite<unknown>,
              error,
            });
            if (!isRepeated) return undefined;
            prepared = await prepare();
          }
        }
      } catch (error) {
        await ask({ at: 'failed', error });
        return undefined;
      } finally {
        setPending(undefined);
      }
    },
    [session, queries, sendOnce, setStage],
  );

  return (
    <WriteContext value={send}>
      {children}
      {pending && <WriteDialog write={pending.write} stage={pending.stage} onAnswer={pending.answer} />}
    </WriteContext>
  );
}

/** Sends writes of the signed-in account. */
export function useWrite(): SendWrite {
  const send = use(WriteContext);
  if (!send) throw new Error('outside of WriteProvider');
  return send;
}
