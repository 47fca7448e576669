import { type Address, type Hex, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The public mnemonic of anvil: its accounts have funds on local chains only. */
const MNEMONIC = 'test test test test test test test test test test test junk';

export type DevAccount = { address: Address; privateKey: Hex };

/** Returns one of the ten accounts that anvil funds with 10,000 ETH on a new chain. */
export function devAccount(addressIndex: number): DevAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex });
  return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
}
