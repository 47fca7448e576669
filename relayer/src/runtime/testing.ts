/** What the runtime's tests share: keys of a wallet that the contract would permit, and a server to fetch from. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { privateKeyToAddress } from 'viem/accounts';
import { keyProviderFrom } from '../keys/local-key-provider.ts';
import { createRunKeys, type RunKeys } from '../keys/release.ts';
import type { RunRequest, Runtime } from './runtime.ts';

export const CID = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD';
const PATH = 1n << 96n;

export const keyProvider = keyProviderFrom(new Uint8Array(32).fill(7));
export const privateKey = await keyProvider.derive(PATH);
export const pkpId = privateKeyToAddress(privateKey);
export const keys: RunKeys = createRunKeys({
  keyProvider,
  authority: {
    canExecuteAction: async () => true,
    canUseWalletInAction: async (_key, _cid, wallet) => wallet === pkpId,
    getWalletDerivation: async () => PATH,
  },
  usageKeyHash: 1n,
  cid: CID,
});

/** Runs code with the wallet's address among the parameters. */
export const runner =
  (runtime: () => Pick<Runtime, 'run'>) =>
  (code: string, request: Partial<RunRequest> = {}) =>
    runtime().run({ account: '1', code, cid: CID, jsParams: { pkpId }, keys, ...request });

/** A server on a free loopback port. */
export const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Polls until `holds`; rejects after `deadlineMs`. */
export const eventually = async (holds: () => boolean, deadlineMs = 10_000): Promise<void> => {
  const deadline = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
