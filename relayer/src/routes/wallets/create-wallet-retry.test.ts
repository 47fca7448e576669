import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/database.ts';
import { createRequestSeeds } from '../../db/request-seeds.ts';
import { rootSecretsFrom } from '../../keys/root-secrets.ts';
import { createWallet } from './create_wallet.ts';

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const MINTED = {
  address: WALLET,
  publicKey: `0x04${'11'.repeat(64)}`,
  certificate: { parameters: 'text', partials: [{ identifier: 1, partial: 'AAEC' }] },
};
const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('test');
const database = disposeAfterAll(await openTestDatabase());

test('a retry after a crash returns the wallet, which key nodes make only until its path is registered', async () => {
  const registered = new Set<bigint>();
  let isCrashed = true;
  const context = {
    requestSeeds: createRequestSeeds(database.db, sealer),
    mints: {
      wallet: async (path: bigint) => {
        if (registered.has(path)) throw new Error('an account has registered the path');
        return MINTED;
      },
    },
    accountConfig: {
      write: async (_name: string, [, , path]: [bigint, string, bigint]) => {
        registered.add(path);
        if (isCrashed) throw new Error('crashed before the reply');
        return { blockNumber: 7n };
      },
    },
  };
  const request = {
    body: { name: '', description: '' },
    caller: { hash: 1n, account: 1n },
    idempotencyId: 'retried',
    setHeader: () => {},
    charge: () => {},
    log: { info: () => {} },
  };
  const call = () => createWallet.handle(context as never, request as never);
  await expect(call()).rejects.toThrow('crashed');
  isCrashed = false;
  const [path] = registered;
  const { address: wallet_address, publicKey: public_key, certificate } = MINTED;
  expect(await call()).toEqual({ wallet_address, derivation_path: path, public_key, certificate });
  expect(registered.size).toBe(1);
});
