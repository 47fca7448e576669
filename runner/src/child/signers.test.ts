import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { startRuntime } from '../../test/runtime.ts';
import { pkpId, privateKey } from '../testing.ts';

const run = await startRuntime();
const respond = async (code: string) => {
  const result = await run(`const main = async ({ pkpId }) => { ${code} }`);
  expect(result.error).toBeUndefined();
  return result.response;
};
const account = privateKeyToAccount(privateKey);

const domain = `{ name: 'Payments', version: '1', chainId: 8453 }`;
const types = `{ Payment: [{ name: 'to', type: 'address' }, { name: 'amount', type: 'uint256' }] }`;
const transaction = `{ to: pkpId, nonce: 3, value: 10n ** 20n, gasLimit: 21000, chainId: 1, type: 2, maxFeePerGas: 9, maxPriorityFeePerGas: 1 }`;

describe('getSigner', () => {
  test.each([
    ['a text', `signer.signMessage('größer')`],
    ['bytes', `signer.signMessage([1, 2, 255])`],
    ['typed data', `signer._signTypedData(${domain}, ${types}, { to: pkpId, amount: 10n ** 30n })`],
    ['a transaction', `signer.signTransaction(${transaction})`],
    [
      'a legacy transaction',
      `signer.signTransaction({ to: pkpId, gasPrice: 7, gasLimit: 21000, nonce: 0, chainId: 5 })`,
    ],
    [
      'a transaction from the wallet',
      `signer.signTransaction({ from: pkpId.toLowerCase(), gasPrice: 7, gasLimit: 21000, nonce: 0, chainId: 5 })`,
    ],
  ])('signs %s as a Wallet of ethers does', async (_, expression) => {
    const [own, wallet, address] = (await respond(`
      const sign = (signer) => ${expression};
      const signer = Svc.Actions.getSigner({ pkpId: pkpId.toLowerCase() });
      if (!ethers.Signer.isSigner(signer)) throw new Error('no signer');
      return [await sign(signer), await sign(new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }))), await signer.getAddress()];
    `)) as string[];
    expect(own).toMatch(/^0x[0-9a-f]+$/);
    expect(own).toBe(wallet);
    expect(address).toBe(pkpId);
  });

  test('refuses a transaction from another address, and keeps its provider', async () => {
    expect(
      await respond(`
        const provider = new ethers.providers.StaticJsonRpcProvider('http://127.0.0.1:1');
        const signer = Svc.Actions.getSigner({ pkpId }).connect(provider);
        const from = '0x000000000000000000000000000000000000dEaD';
        return [signer.provider === provider, await signer.signTransaction({ from }).catch(({ message }) => message)];
      `),
    ).toEqual([true, expect.stringContaining('is from 0x000000000000000000000000000000000000dEaD')]);
  });
});

test('getAccount signs as an account of viem does', async () => {
  const typed = {
    domain: { name: 'Payments', chainId: 8453 },
    types: { Payment: [{ name: 'amount', type: 'uint256' }] },
    primaryType: 'Payment',
    message: { amount: 10n ** 30n },
  } as const;
  const fields = { chainId: 1, type: 'eip1559', nonce: 3, value: 10n ** 20n, gas: 21_000n } as const;
  const response = await respond(`
    const account = Svc.Actions.getAccount({ pkpId });
    const typed = { domain: { name: 'Payments', chainId: 8453n }, types: { Payment: [{ name: 'amount', type: 'uint256' }] },
      primaryType: 'Payment', message: { amount: 10n ** 30n } };
    const fields = { chainId: 1, type: 'eip1559', nonce: 3, value: 10n ** 20n, gas: 21000n };
    const custom = await account.signTransaction(fields, { serializer: (_, signature) => signature ? JSON.stringify(signature) : '0x01' });
    return [account.address, account.type, await account.signMessage({ message: 'm' }),
      await account.signMessage({ message: { raw: new Uint8Array([1, 2]) } }),
      await account.signTypedData(typed), await account.signTransaction(fields), JSON.parse(custom)];
  `);
  expect(response).toEqual([
    pkpId,
    'local',
    await account.signMessage({ message: 'm' }),
    await account.signMessage({ message: { raw: new Uint8Array([1, 2]) } }),
    await account.signTypedData(typed),
    await account.signTransaction(fields),
    { r: expect.stringMatching(/^0x/), s: expect.stringMatching(/^0x/), yParity: expect.any(Number) },
  ]);
});
