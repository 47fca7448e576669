/** Wallets with funds on the shared stack, for packages that use them by a usage key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidHash } from '@latchkey/protocol';
import { type Address, type Hex, parseAbi, parseEther } from 'viem';
import { root } from './processes.ts';
import { type Account, addGroup, addUsageKey, createWallet, hex, newAccount, testClient } from './stack.ts';

/** CIDs of the standard actions, by their files. */
export const standardCids: Record<string, string> = JSON.parse(
  readFileSync(join(root, 'actions/cids.json'), 'utf8'),
);

export type WalletKey = { account: Account; walletAddress: Address; usageKey: string };

/** Opens an account with a funded wallet, and a usage key that may use it in actions. Default: the standard action of wallets. */
export async function newWalletKey(
  cids: string[] = [standardCids['use-wallet.js'] as string],
): Promise<WalletKey> {
  const account = await newAccount();
  const walletAddress = await createWallet(account.key);
  await testClient.setBalance({ address: walletAddress, value: parseEther('100') });
  const group = await addGroup(account.key, {
    pkp_ids_permitted: [walletAddress],
    cid_hashes_permitted: cids.map((cid) => hex(cidHash(cid))),
  });
  return { account, walletAddress, usageKey: await addUsageKey(account.key, { execute_in_groups: [group] }) };
}

/** A contract that stores a number: `set` is every call with an argument. */
export const numberSignatures = [
  'function set(uint256 number)',
  'function get() view returns (uint256)',
] as const;
export const numberAbi = parseAbi(numberSignatures);
export const numberBytecode: Hex =
  '0x601a600c600039601a6000f33660041060125760005460005260206000f35b60043560005500';
