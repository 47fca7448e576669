import { type Address, type Hex, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** anvil's own: everybody knows its keys, it holds funds on local chains only. */
const MNEMONIC = 'test test test test test test test test test test test junk';

export type DevAccount = { address: Address; privateKey: Hex };

/** One of the ten accounts that anvil funds with 10,000 ETH on a new chain. */
export function devAccount(addressIndex: number): DevAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex });
  return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
}
