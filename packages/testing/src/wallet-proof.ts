/** Wallets that prove themselves: EOAs, contract wallets of the forge tests, and EOAs that delegate to a contract. */
import { readFile } from 'node:fs/promises';
import { accountConfigAbi, buildTypedData, type PrimaryType, typedDataDigest } from '@latchkey/protocol';
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  concat,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  http,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount, sign } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { client, stack, testClient } from './stack.ts';

export type Proof = { typed_data: unknown; signature: Hex };
type Claim = { primaryType: PrimaryType; address: Address; chainId?: bigint; issuedAt?: bigint };

const chain = { ...foundry, id: stack.chainId };
export const seconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));

const completeClaim = ({ chainId = BigInt(stack.chainId), issuedAt = seconds(), ...claim }: Claim) => ({
  ...claim,
  chainId,
  issuedAt,
});

/** Returns the envelope in its JSON form. */
export function envelopeOf(claim: Claim): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(buildTypedData(completeClaim(claim)), (_key, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  );
}

/** Returns the proof of `claim`, signed by `signDigest`. */
export async function proofOf(claim: Claim, signDigest: (digest: Hex) => Promise<Hex>): Promise<Proof> {
  const whole = completeClaim(claim);
  return { typed_data: envelopeOf(whole), signature: await signDigest(typedDataDigest(whole)) };
}

export const signerOf = (privateKey: Hex) => (hash: Hex) => sign({ hash, privateKey, to: 'hex' });

export const walletAuth = (proof: unknown): Record<string, string> => ({
  'X-Wallet-Auth': Buffer.from(JSON.stringify(proof)).toString('base64'),
});

/** Creates an account with funds for gas. */
async function fundedAccount(): Promise<PrivateKeyAccount & { privateKey: Hex }> {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  await testClient.setBalance({ address: account.address, value: parseEther('10') });
  return { ...account, privateKey };
}

/** Deploys a contract of test/mocks. */
export async function deployMock(file: string, name: string, args: unknown[] = []): Promise<Address> {
  const path = new URL(`../../../out/${file}.sol/${name}.json`, import.meta.url);
  const artifact = JSON.parse(await readFile(path, 'utf8')) as { abi: Abi; bytecode: { object: Hex } };
  return deployCode(encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode.object, args }));
}

/** Deploys a contract by its creation code. */
export async function deployCode(data: Hex): Promise<Address> {
  const wallet = createWalletClient({ chain, transport: http(stack.rpcUrl), account: await fundedAccount() });
  const { contractAddress } = await client.waitForTransactionReceipt({
    hash: await wallet.sendTransaction({ data }),
  });
  if (!contractAddress) throw new Error('the contract was not deployed');
  return getAddress(contractAddress);
}

const multisigAbi = [
  {
    type: 'function',
    name: 'messageOf',
    stateMutability: 'view',
    inputs: [{ name: 'digest', type: 'bytes32' }],
    outputs: [{ type: 'bytes32' }],
  },
  {
    type: 'function',
    name: 'hashOf',
    stateMutability: 'view',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'data', type: 'bytes' },
    ],
    outputs: [{ type: 'bytes32' }],
  },
  {
    type: 'function',
    name: 'execTransaction',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'data', type: 'bytes' },
      { name: 'signatures', type: 'bytes[]' },
    ],
    outputs: [],
  },
] as const;

/** A wallet that can be the admin of an account: it signs digests and sends transactions. */
export type AdminWallet = {
  address: Address;
  signDigest: (digest: Hex) => Promise<Hex>;
  /** Sends a call from the wallet. Resolves before it is mined. */
  sendTransaction: (call: { to: Address; data: Hex; gas?: bigint | undefined }) => Promise<Hash>;
};

/** Returns the block of a transaction. Rejects when it reverted. */
async function mined(hash: Hash): Promise<bigint> {
  const receipt = await client.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('the transaction reverted');
  return receipt.blockNumber;
}

/** Returns the header by which an admin wallet pays and reads its credit. */
export async function billingAuth({ address, signDigest }: AdminWallet): Promise<Record<string, string>> {
  return walletAuth(await proofOf({ primaryType: 'BillingAuth', address }, signDigest));
}

export async function eoa(): Promise<AdminWallet> {
  const account = await fundedAccount();
  const wallet = createWalletClient({ chain, transport: http(stack.rpcUrl), account });
  return {
    address: account.address,
    signDigest: signerOf(account.privateKey),
    sendTransaction: (call) => wallet.sendTransaction(call),
  };
}

/** Deploys a contract wallet with two of three owners that answers ERC-1271. */
export async function multisig(): Promise<AdminWallet> {
  const owners = await Promise.all([fundedAccount(), fundedAccount(), fundedAccount()]);
  const address = await deployMock('Multisig', 'Multisig', [owners.map((owner) => owner.address), 2n]);
  const [first, , third] = owners as [(typeof owners)[0], (typeof owners)[0], (typeof owners)[0]];
  const wallet = createWalletClient({ chain, transport: http(stack.rpcUrl), account: first });
  const ask = (functionName: 'messageOf' | 'hashOf', args: readonly unknown[]) =>
    client.readContract({ address, abi: multisigAbi, functionName, args } as never) as Promise<Hex>;
  return {
    address,
    async signDigest(digest) {
      const message = await ask('messageOf', [digest]);
      return concat([await signerOf(first.privateKey)(message), await signerOf(third.privateKey)(message)]);
    },
    async sendTransaction({ to, data }) {
      const hash = await ask('hashOf', [to, data]);
      const signatures = [
        await signerOf(first.privateKey)(hash),
        toHex(''),
        await signerOf(third.privateKey)(hash),
      ];
      const call = {
        address,
        abi: multisigAbi,
        functionName: 'execTransaction',
        args: [to, data, signatures],
      };
      return wallet.writeContract(call as never);
    },
  };
}

/** Creates an EOA with the code of a contract wallet (EIP-7702). */
export async function delegatedEoa(): Promise<AdminWallet> {
  const account = await fundedAccount();
  const implementation = await deployMock('Erc1271Wallets', 'NaiveWallet', [account.address]);
  const wallet = createWalletClient({ chain, transport: http(stack.rpcUrl), account });
  const authorization = await wallet.signAuthorization({ contractAddress: implementation, executor: 'self' });
  await mined(await wallet.sendTransaction({ authorizationList: [authorization], to: zeroAddress }));
  const code = await client.getCode({ address: account.address });
  if (!code?.startsWith('0xef0100')) throw new Error('the account does not delegate');
  return {
    address: account.address,
    signDigest: signerOf(account.privateKey),
    sendTransaction: (call) => wallet.sendTransaction(call),
  };
}

type WriteName = ContractFunctionName<typeof accountConfigAbi, 'nonpayable'>;

/** Returns the calls of AccountConfig from a wallet. */
export const accountOf =
  ({ sendTransaction }: AdminWallet) =>
  async <const Name extends WriteName>(
    functionName: Name,
    args: ContractFunctionArgs<typeof accountConfigAbi, 'nonpayable', Name>,
  ): Promise<bigint> => {
    const data = encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
    return mined(await sendTransaction({ to: stack.contractAddress, data }));
  };
