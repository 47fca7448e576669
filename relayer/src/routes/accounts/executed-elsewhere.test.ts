/** Signed writes that a stranger, who saw them, executed on the contract before they were submitted. */
import { accountConfigAbi, buildSignedWrites, walletIdentity } from '@latchkey/protocol';
import {
  client,
  expectError,
  expectWritten,
  hex,
  newWallet,
  post,
  read,
  stack,
  testClient,
} from '@latchkey/testing/stack';
import { type AdminWallet, billingAuth, deployCode, seconds, signerOf } from '@latchkey/testing/wallet-proof';
import { type Address, encodeFunctionData, type Hex, hashTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { readCredit } from '../../../test/credit.ts';

const encode = (functionName: string, args: unknown[]): Hex =>
  encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);

const privateKey = generatePrivateKey();
const address = privateKeyToAddress(privateKey);
const account = walletIdentity(address);
const signDigest = signerOf(privateKey);
const creditOf = async () => readCredit(await billingAuth({ address, signDigest } as AdminWallet));
const groups = async () => (await read('listGroups', [account, 0n, 100n])).length;

/** Signs writes; `execute` sends them to the contract, or to a contract that forwards them, from a wallet of a stranger. */
async function sign(nonce: bigint, call: Hex) {
  const writes = { calls: [call], nonce, deadline: seconds() + 600n };
  const chain = { chainId: stack.chainId, contractAddress: stack.contractAddress };
  const signature = await signDigest(hashTypedData(buildSignedWrites({ ...chain, ...writes }) as never));
  const execute = async (to: Address = stack.contractAddress) => {
    const stranger = await newWallet();
    await testClient.impersonateAccount({ address: stranger.address });
    const hash = await testClient.request({
      method: 'eth_sendTransaction' as never,
      params: [
        {
          ...{ from: stranger.address, to, gas: '0x100000' },
          data: encode('executeSigned', [account, [call], nonce, writes.deadline, signature]),
        },
      ] as never,
    });
    return client.waitForTransactionReceipt({ hash: hash as Hex });
  };
  const body = { api_key_hash: hex(account), calls: [call], nonce: hex(nonce), signature };
  const submit = () => post('submit_signed_write', { ...body, deadline: String(writes.deadline) });
  return { execute, submit };
}
const addGroup = (name: string) => encode('addGroup', [account, name, '', [], []]);

test('returns 200 with their block and transaction, changes nothing and charges nothing', async () => {
  const opening = await sign(1n, encode('newChainSecuredAccount', ['', '']));
  const opened = await opening.execute();
  const reply = await opening.submit();
  expect(expectWritten(reply, { success: true, transaction_hash: opened.transactionHash })).toBe(
    opened.blockNumber,
  );

  const write = await sign(2n, addGroup('once'));
  const executed = await write.execute();
  const credit = await creditOf();
  for (let i = 0; i < 2; i++) {
    const again = await write.submit();
    expect(expectWritten(again, { success: true, transaction_hash: executed.transactionHash })).toBe(
      executed.blockNumber,
    );
  }
  expect(await groups()).toBe(1);
  expect(await creditOf()).toBe(credit);

  const other = await sign(2n, addGroup('another'));
  expectError(await other.submit(), 409, /not by these writes/);

  // Forwards its calldata to the contract.
  const code = `363d3d373d3d363d3d73${stack.contractAddress.slice(2)}5af100`;
  const forwarder = await deployCode(`0x602180600b6000396000f3${code}`);
  const forwarded = await sign(3n, addGroup('forwarded'));
  await forwarded.execute(forwarder);
  expect(await groups()).toBe(2);
  const unknown = await forwarded.submit();
  expectError(unknown, 409, /by these writes or by others/);
  expect(unknown.body).toMatchObject({ fix: expect.stringContaining('before you sign again') });
});
