/** `Svc.Actions.rpc` in real runs. */
import { accountConfigAbi } from '@latchkey/protocol';
import { addGroup, addUsageKey, client, hex, newAccount, post, read, stack } from '@latchkey/testing/stack';
import { beforeAll, expect, test } from 'vitest';

const abi = JSON.stringify(
  accountConfigAbi.filter(
    (item) => 'name' in item && /^(nodeConfigurationValue|explainExecution|addGroup)$/.test(item.name),
  ),
);
const { chainId, contractAddress } = stack;

let key: string;
beforeAll(async () => {
  const account = await newAccount();
  const group = await addGroup(account.key, { cid_hashes_permitted: [hex(0n)] });
  key = await addUsageKey(account.key, { execute_in_groups: [group] });
});

type Run = { response: unknown; has_error: boolean; logs: string; error?: { name: string; message: string } };
/** Runs a body of `main`, in which `provider` is that of the chain of the stack. */
async function run(text: string): Promise<Run> {
  const code = `async function main() { const provider = Svc.Actions.rpc(${chainId}); ${text} }`;
  const { status, body } = await post('svc_action', { code }, key);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Run;
}
const failure = async (text: string) =>
  (
    await run(
      `${text}.catch(({ name, message, code }) => Svc.Actions.setResponse({ response: { name, message, code } }))`,
    )
  ).response;

test('reads balances, blocks and contracts', async () => {
  const { response } = await run(`
    const contract = new ethers.Contract('${contractAddress}', ${abi}, provider);
    const [{ chainId }, balance, code, value, { number }] = await Promise.all([
      provider.getNetwork(),
      provider.getBalance('${contractAddress}'),
      provider.getCode('${contractAddress}'),
      contract.nodeConfigurationValue('key-nodes'),
      provider.getBlock(0),
    ]);
    return { chainId, balance: String(balance), length: code.length, value, number };`);
  const code = await client.getCode({ address: contractAddress });
  const value = await read('nodeConfigurationValue', ['key-nodes']);
  expect(response).toEqual({ chainId, balance: '0', length: code?.length, value, number: 0 });
});

test('is a transport of other libraries', async () => {
  const { response } = await run(`return provider.send('eth_chainId', [])`);
  expect(response).toBe(`0x${chainId.toString(16)}`);
});

test('a call that reverts rejects as in ethers, with the data of the error', async () => {
  const { response } = await run(`
    const contract = new ethers.Contract('${contractAddress}', ${abi}, provider);
    return contract.callStatic.addGroup(7, '', '', [], []).catch(({ code, errorName, data }) => ({ code, data }));`);
  expect(response).toMatchObject({ code: 'CALL_EXCEPTION', data: expect.stringMatching(/^0x[0-9a-f]{8}/) });
});

test('an unsuitable method is refused by its name, also through ethers', async () => {
  const error = { name: 'RpcError', message: expect.stringContaining('only methods that read') };
  expect(await failure(`return provider.send('anvil_setBalance', [])`)).toMatchObject(error);
  expect(await failure(`return provider.sendTransaction('0x02f86b' + '00'.repeat(40))`)).not.toMatchObject({
    name: undefined,
  });
  expect(await failure(`return provider.getLogs({ fromBlock: 0, toBlock: 'latest' })`)).toMatchObject({
    name: 'RpcError',
    message: expect.stringContaining('at most 1000 blocks'),
  });
});

test('a chain that the service does not have is refused', async () => {
  const text = `return Svc.Actions.rpc(5).getBlockNumber()`;
  expect(await failure(text)).toMatchObject({ name: 'RpcError', message: 'this service has no chain 5' });
});

test('long parameters are refused', async () => {
  const text = `return provider.send('eth_call', [{ data: '0x' + '00'.repeat(140_000) }])`;
  expect(await failure(text)).toMatchObject({
    name: 'RpcError',
    message: expect.stringContaining('characters'),
  });
});

test.each(['0', '"1"', '1.5', 'undefined', '{}'])('rpc(%s) is a TypeError', async (argument) => {
  const { error } = await run(`return Svc.Actions.rpc(${argument}).getBlockNumber()`);
  expect(error).toMatchObject({ name: 'TypeError', message: 'rpc takes a chain id, an integer above 0' });
});

test('no URL of a node is visible', async () => {
  const { response, logs } = await run(`
    console.log(provider, await provider.send('eth_call', [{ to: 1 }]).catch((error) => error));
    return provider.connection;`);
  expect(response).toEqual({ url: `chain:${chainId}` });
  expect(logs).not.toContain(new URL(stack.rpcUrl).port);
});

test('calls count as fetches', async () => {
  const { error } = await run(`for (let i = 0; i < 51; i++) await provider.send('eth_chainId', [])`);
  expect(error).toMatchObject({ name: 'FetchLimitError', message: expect.stringContaining('50') });
  const both = await run(`
    for (let i = 0; i < 25; i++) await provider.send('eth_chainId', []);
    for (let i = 0; i < 26; i++) await fetch('http://127.0.0.1:1').catch(() => {});`);
  expect(both.error).toMatchObject({ name: 'FetchLimitError' });
  const enough = await run(`for (let i = 0; i < 50; i++) await provider.send('eth_chainId', [])`);
  expect(enough).toMatchObject({ has_error: false });
});

test('a call that main does not await is named, and waited for', async () => {
  const { response, logs } = await run(
    `provider.send('eth_chainId', []).then((response) => Svc.Actions.setResponse({ response }))`,
  );
  expect(response).toBe(`0x${chainId.toString(16)}`);
  expect(logs).toContain('the run waits for: eth_chainId');
});
