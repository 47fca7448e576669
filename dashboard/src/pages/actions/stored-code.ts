/** The code of a registered action: at the relayer, or pasted. */
import { cidHash, cidOf, isCidOf } from '@latchkey/protocol';
import { LatchkeyError } from '@latchkey/sdk';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';

const bytesOf = (code: string): Uint8Array => new TextEncoder().encode(code);

/** An action by its hash, and by its CID when that is known. */
export type Registered = { hash: bigint; cid: string | undefined };

const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

/** Returns the action of a path, which has its CID, or the hash of it. */
export function actionOfPath(path: string, ...known: Map<bigint, string>[]): Registered {
  if (!isHash(path)) return { hash: cidHash(path), cid: path };
  const hash = BigInt(path);
  return { hash, cid: known.map((cids) => cids.get(hash)).find((cid) => cid !== undefined) };
}

/** The CID under which the code is registered as this action; null for other code. */
export function useRegisteredCid(code: string, { hash, cid }: Registered) {
  const { data } = useQuery({
    queryKey: ['registered-cid', String(hash), code],
    queryFn: async () => {
      const own = cid ?? (await cidOf(code));
      return (cid === undefined ? cidHash(own) === hash : await isCidOf(own, bytesOf(code))) ? own : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data;
}

/** Stored code. Rejects when the relayer returns code with another CID. */
export function useStoredCode(cid: string) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['code', cid],
    queryFn: async () => {
      const { code } = await client.getActionCode({ cid });
      if (await isCidOf(cid, bytesOf(code))) return code;
      throw new LatchkeyError('invalid_reply', t('The relayer returned other code than that of this CID.'));
    },
    // The code of a CID never changes.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
