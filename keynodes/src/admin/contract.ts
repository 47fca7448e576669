/** The contract's node configuration, as the operator's command reads and writes it. */
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type Address,
  BaseError,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CommandError } from './errors.ts';

export type Configuration = {
  read: (name: string) => Promise<string>;
  /** Resolves to true when the contract has the value; otherwise prints the transaction for the config operator. */
  write: (name: string, value: string) => Promise<boolean>;
};

export type ConfigurationOptions = {
  rpcUrl: string;
  address: Address;
  /** SECRET. Absent when another party sends the transaction. */
  key: Hex | undefined;
  print: (line: string) => void;
};

export function openConfiguration({ rpcUrl, address, key, print }: ConfigurationOptions): Configuration {
  const client = createWalletClient({ transport: http(rpcUrl) }).extend(publicActions);
  const contract = { abi: accountConfigAbi, address };
  const functionName = 'setNodeConfiguration';
  return {
    read: (name) =>
      asking(client.readContract({ ...contract, functionName: 'nodeConfigurationValue', args: [name] })),
    async write(name, value) {
      const args = [name, value] as const;
      if (key === undefined) {
        const data = encodeFunctionData({ abi: accountConfigAbi, functionName, args });
        print(
          `Send as the config operator, then repeat this command:\n  ${functionName}('${name}', '${value}')`,
        );
        print(`  to   ${address}\n  data ${data}`);
        return false;
      }
      const account = privateKeyToAccount(key);
      const { request } = await asking(client.simulateContract({ ...contract, functionName, args, account }));
      const hash = await asking(client.writeContract({ ...request, chain: null }));
      const { status } = await asking(client.waitForTransactionReceipt({ hash, pollingInterval: 200 }));
      if (status !== 'success')
        throw new CommandError(`the transaction ${hash} was reverted: repeat the command`);
      print(`set ${name} on the contract: ${hash}`);
      return true;
    },
  };
}

/** Removes the URL, which may contain a key, from errors. */
async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const reason = cause instanceof BaseError ? cause.shortMessage.split('\n')[0] : 'no answer';
    throw new CommandError(`the chain of RPC_URL refuses or does not answer: ${reason}`);
  }
}
