/** A usage key whose text the owner of a ChainSecured account chose, attached by a transaction of the wallet. */
import { accountConfigAbi, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import { createClient } from '../src/index.ts';
import { chain, newWallet, payByCard, stack } from './clients.ts';

const text = 'made-by-the-owner!';
const code = 'function main() { return "ran" }';

test('runs, is listed, changed and removed by its text', async () => {
  const wallet = await newWallet();
  const own = createClient({ url: stack.url, wallet });
  await own.newAccount({ name: 'own', description: '' });
  await own.confirmPayment(await payByCard(own));
  await own.addGroup({ name: 'all', description: '', cids: [0n] });
  const master = walletIdentity(wallet.account.address);
  const hash = await wallet.writeContract({
    address: stack.contractAddress,
    abi: accountConfigAbi,
    functionName: 'setUsageApiKey',
    args: [master, apiKeyHash(text), 0n, 0n, 'own', '', false, false, false, [], [], [], [1n]],
  });
  const publicClient = createPublicClient({ chain, transport: http(stack.rpcUrl), pollingInterval: 50 });
  await publicClient.waitForTransactionReceipt({ hash });

  const [listed] = (await own.listApiKeys()).items;
  if (!listed) throw new Error('the key is not listed');
  await own.updateUsageApiKey({ ...listed, usageKey: text, name: 'renamed', description: '' });
  expect(await own.runAction({ code, usageKey: text })).toMatchObject({ hasError: false, response: 'ran' });
  const runner = createClient({ url: stack.url, apiKey: text });
  expect(await runner.runAction({ code })).toMatchObject({ response: 'ran' });
  expect((await own.listApiKeys()).items).toMatchObject([{ usageKeyHash: apiKeyHash(text) }]);

  await own.removeUsageApiKey({ usageKey: text });
  await expect(own.runAction({ code, usageKey: text })).rejects.toMatchObject({ status: 401 });
});

test('refuses a text that no header can contain', async () => {
  const own = createClient({ url: stack.url, wallet: await newWallet() });
  await own.newAccount({ name: 'own', description: '' });
  await expect(own.removeUsageApiKey({ usageKey: 'two words' })).rejects.toMatchObject({
    code: 'configuration',
  });
});
