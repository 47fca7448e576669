/** Writes of a new version of an action. */
import { type ActionVersionParameters, prepareActionVersion } from '@latchkey/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useSendOnce } from '../../session/send-once.ts';
import { useSession } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import type { PreparedWrite, Write } from '../../session/write-stage.ts';

/** Returns the function that stores code at the relayer. A wallet signs a message for it, at most once in four minutes. */
export function useStoreCode() {
  const { client } = useSession();
  const queries = useQueryClient();
  const sendOnce = useSendOnce();
  return async (stored: { cid: string; code: string; replaces?: bigint | undefined }): Promise<void> => {
    await sendOnce({ ...stored, replaces: String(stored.replaces) }, (idempotencyKey) =>
      client.storeActionCode(stored, { idempotencyKey }),
    );
    // Not invalidated: a query that waits for a signature would not be read again.
    queries.setQueryData(['codes'], await client.listActionCodes());
  };
}

/**
 * Returns the function that stores the code when it is given, and then registers and permits the version. It resolves to whether that is
 * done: false when the user did not confirm.
 */
export function useVersion() {
  const { client } = useSession();
  const store = useStoreCode();
  const write = useWrite();
  return async (
    version: ActionVersionParameters & { code: string | undefined },
    shown: Pick<Write<object>, 'title' | 'done'>,
  ): Promise<boolean> => {
    const { cid, code, replaces } = version;
    // Before the groups permit it, so that triggers can run it by its CID immediately.
    if (code !== undefined)
      await store({ cid, code, replaces: typeof replaces === 'bigint' ? replaces : undefined });
    const prepared = await prepareActionVersion(client, version, { simulate: false });
    // Nothing is left to write after a reply was lost.
    if (!prepared) return true;
    const written = await write<object>({
      ...shown,
      prepare: async (client): Promise<PreparedWrite<object>> =>
        (await prepareActionVersion(client, version)) ?? prepared,
      refresh: ['actions', 'groups'],
    });
    return written !== undefined;
  };
}
