import { isCidOf } from '@latchkey/protocol';
import type { ActionCodes } from './db/action-codes.ts';

const TIMEOUT_MS = 20_000;

/**
 * Returns the code of a CID text, or undefined when neither a store nor the gateway has it. `account` is the one that runs it: nothing that
 * another account stored is used. Nothing is downloaded when `beforeDownload` rejects.
 */
export type ActionSource = (
  cid: string,
  account: bigint,
  beforeDownload: () => Promise<void>,
) => Promise<string | undefined>;

export type ActionSourceOptions = {
  gatewayUrl: string | undefined;
  maxBytes: number;
  /** Called when the stored bytes do not have their CID. They are not used. */
  onDamaged: (cid: string) => void;
};

/** Returns the code of a paid run, or else what the account stored, or else the gateway's content. Each must have the CID. */
export function createActionSource(
  codes: Pick<ActionCodes, 'get'>,
  storedCodes: { find: (account: bigint, cid: string) => Promise<{ code: Uint8Array } | undefined> },
  { gatewayUrl, maxBytes, onDamaged }: ActionSourceOptions,
): ActionSource {
  const read: (...of: Parameters<ActionSource>) => Promise<Uint8Array | undefined> = async (
    cid,
    account,
    beforeDownload,
  ) => {
    for (const find of [() => codes.get(cid), async () => (await storedCodes.find(account, cid))?.code]) {
      const stored = await find();
      if (stored && (await isCidOf(cid, stored))) return stored;
      if (stored) onDamaged(cid);
    }
    if (gatewayUrl === undefined) return undefined;
    await beforeDownload();
    const bytes = await download(`${gatewayUrl.replace(/\/$/, '')}/ipfs/${cid}`, maxBytes);
    return bytes && (await isCidOf(cid, bytes)) ? bytes : undefined;
  };
  return async (cid, account, beforeDownload) => {
    const bytes = await read(cid, account, beforeDownload);
    if (!bytes) return undefined;
    const code = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      return code.decode(bytes);
    } catch {
      return undefined;
    }
  };
}

/** Downloads at most `maxBytes`. Undefined when the gateway fails or does not have the content. */
async function download(url: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
