/**
 * Writes of both modes. A wallet's write is shown first (changes, cost, values before and after), then each stage of its transaction.
 * A write of an account key is sent immediately, unless it removes something: then the page asks first.
 */
import type { Written } from '@latchkey/sdk';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { WriteDialog } from '../components/write-dialog.tsx';
import { onWalletRequest, type WalletRequest } from '../wallets.ts';
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
  const { client, mode } = useSession();
  const queries = useQueryClient();
  const [pending, setPending] = useState<Pending>();
  const sendOnce = useSendOnce();
  useEffect(() => onWalletRequest((request) => setPending((now) => withRequest(now, request))), []);

  const send = useCallback<SendWrite>(
    async <Result,>(write: Write<Result>) => {
      const prepare = () => write.prepare(client) as Promise<PreparedWrite<Result>>;
      const sendPrepared = async (prepared: PreparedWrite<Result>): Promise<Written<Result>> => {
        const written =
          prepared.mode === 'api'
            ? await sendOnce(
                'requests' in prepared ? prepared.requests : prepared.request,
                (idempotencyKey) => prepared.send({ idempotencyKey }),
              ).catch((error: unknown) => {
                // The page can show data of before a change that was made elsewhere.
                void queries.invalidateQueries();
                throw error;
              })
            : await prepared.send({ timeoutMs: WALLET_TIMEOUT_MS });
        if (prepared.mode === 'api')
          for (const name of ['balance', 'ledger']) void queries.invalidateQueries({ queryKey: [name] });
        await Promise.all(write.refresh.map((name) => queries.invalidateQueries({ queryKey: [name] })));
        notifications.show({ message: write.done, color: 'teal' });
        return written;
      };
      if (mode === 'api' && !write.isDestructive) return sendPrepared(await prepare());
      const show = (stage: WriteStage): Promise<boolean> =>
        new Promise((answer) => setPending({ write: write as Write<unknown>, stage, answer }));
      return confirmAndSend(show, prepare, sendPrepared).finally(() => setPending(undefined));
    },
    [client, mode, queries, sendOnce],
  );

  return (
    <WriteContext value={send}>
      {children}
      {pending && <WriteDialog write={pending.write} stage={pending.stage} onAnswer={pending.answer} />}
    </WriteContext>
  );
}

/** Adds a request to the wallet to the write that is being sent. */
function withRequest(pending: Pending | undefined, request: WalletRequest): Pending | undefined {
  if (pending?.stage.at !== 'sending') return pending;
  const earlier = pending.stage.requests.filter(({ state }) => state !== 'asked');
  return { ...pending, stage: { ...pending.stage, requests: [...earlier, request] } };
}

/** Sends a write, again after a failure when the user asks for it. `show` resolves when the user has answered in the dialog. */
async function confirmAndSend<Result>(
  show: (stage: WriteStage) => Promise<boolean>,
  prepare: () => Promise<PreparedWrite<Result>>,
  send: (prepared: PreparedWrite<Result>) => Promise<Written<Result>>,
): Promise<Written<Result> | undefined> {
  const dismissed = show({ at: 'preparing' }).then(() => undefined);
  try {
    let prepared = await Promise.race([prepare(), dismissed]);
    while (prepared) {
      const shown = prepared as PreparedWrite<unknown>;
      if (!(await show({ at: 'asking', prepared: shown }))) return undefined;
      void show({ at: 'sending', prepared: shown, requests: [] });
      try {
        return await send(prepared);
      } catch (error) {
        if (!(await show({ at: 'failed', prepared: shown, error }))) return undefined;
        prepared = await prepare();
      }
    }
  } catch (error) {
    await show({ at: 'failed', error });
  }
  return undefined;
}

export function useWrite(): SendWrite {
  const send = use(WriteContext);
  if (!send) throw new Error('outside of WriteProvider');
  return send;
}
