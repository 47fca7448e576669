/** Accounts with wallets on the contract of a test, and the keys that write for them. */
import { randomBytes } from 'node:crypto';
import { accountConfigAbi, cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import { until } from '@latchkey/testing/until';
import {
  type Address,
  createTestClient,
  type Hash,
  type Hex,
  http,
  parseEther,
  publicActions,
  type TransactionReceipt,
  toHex,
  walletActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { CONFIG_OPERATOR_KEY } from './key-nodes.ts';

/** An action that the group permits. It signs, and never returns the key. */
const SIGN = 'const main = async ({ pkpId }) => (await Svc.Actions.getPrivateKey({ pkpId })).length';
/** An action of the attacker. */
const EXPORT = 'const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })';
export const cids = { sign: await cidOf(SIGN), export: await cidOf(EXPORT) };

export type Mode = 'managed' | 'ChainSecured';
/** A wallet of an account whose usage key may use it in `SIGN`. `key` writes for the account. */
export type Victim = {
  key: Hex;
  master: bigint;
  usageKey: bigint;
  wallet: Address;
  path: bigint;
};

export const ownerKey = CONFIG_OPERATOR_KEY;
export const payerKey: Hex = toHex('payer', { size: 32 });

export function openAccounts({ rpcUrl, address }: { rpcUrl: string; address: Address }) {
  const client = createTestClient({
    mode: 'anvil',
    chain: foundry,
    transport: http(rpcUrl),
    pollingInterval: 5,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  const contract = { address, abi: accountConfigAbi } as const;

  /** `waitForTransactionReceipt` of viem can miss the only block on a chain that makes blocks on demand. */
  const receiptOf = (hash: Hash): Promise<TransactionReceipt> =>
    until('the transaction is mined', () => client.getTransactionReceipt({ hash }));
  const write = async (key: Hex, functionName: string, args: unknown[]): Promise<TransactionReceipt> => {
    const account = privateKeyToAccount(key);
    await client.setBalance({ address: account.address, value: parseEther('10') });
    const call = { ...contract, account, functionName, args };
    const hash = await client.writeContract(call as Parameters<typeof client.writeContract>[0]);
    const receipt = await receiptOf(hash);
    if (receipt.status !== 'success') throw new Error(`${functionName} was reverted`);
    return receipt;
  };
  return {
    client,
    write,
    /** Deploys creation code. Resolves to the address. */
    async deploy(data: Hex): Promise<Address> {
      const hash = await client.sendTransaction({ account: privateKeyToAccount(ownerKey), data });
      const { contractAddress } = await receiptOf(hash);
      return contractAddress ?? '0x';
    },
    facetOf: (selector: Hex): Promise<Address> =>
      client.readContract({ ...contract, functionName: 'facetAddress', args: [selector] }),
    nodeConfiguration: (name: string): Promise<string> =>
      client.readContract({ ...contract, functionName: 'nodeConfigurationValue', args: [name] }),
    /** Opens an account with a wallet that its usage key may use in `SIGN` only. */
    async newVictim(mode: Mode, deriveWallet: (path: bigint) => Promise<Address>): Promise<Victim> {
      const isManaged = mode === 'managed';
      const key = isManaged ? payerKey : generatePrivateKey();
      const caller = privateKeyToAddress(key);
      const master = isManaged ? BigInt(generatePrivateKey()) : walletIdentity(caller);
      const usageKey = BigInt(generatePrivateKey());
      const path = ((isManaged ? 0n : BigInt(caller)) << 96n) | BigInt(toHex(randomBytes(12)));
      const wallet = await deriveWallet(path);
      if (isManaged) await write(key, 'newAccount', [master, true, '', '', anyAddress()]);
      else await write(key, 'newChainSecuredAccount', ['', '']);
      await write(key, 'registerWalletDerivation', [master, wallet, path, '', '']);
      await write(key, 'addGroup', [master, '', '', [cidHash(cids.sign)], [wallet]]);
      await write(key, 'setUsageApiKey', usageKeyFields(master, usageKey));
      return { key, master, usageKey, wallet, path };
    },
  };
}

const anyAddress = (): Address => privateKeyToAddress(generatePrivateKey());
/** Arguments that let a usage key run what every group of the account permits. */
export const usageKeyFields = (master: bigint, usageKey: bigint): unknown[] => [
  ...[master, usageKey, 0n, 0n, '', '', false, false, false],
  ...[[], [], [], [0n]],
];
