/** A hostile relayer that returns addresses of wallets, to clients that read the key nodes from a contract of their own node. */
import { accountConfigAbi, walletIdentity } from '@latchkey/protocol';
import {
  decodeGroupParameters,
  encodeGroupParameters,
  encodeInput,
  evaluate,
  type GroupParameters,
  type KeyRequest,
  type Share,
} from '@latchkey/threshold';
import { generate, range, split } from '@latchkey/threshold/testing';
import {
  type Address,
  createClient as createChainClient,
  createWalletClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  type Hex,
  numberToHex,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { beforeEach, describe, expect, test } from 'vitest';
import { createClient, type LatchkeyError, verifyWalletAddress } from './index.ts';

const CONTRACT = getAddress(`0x${'c0'.repeat(20)}`);
const apiKey = Buffer.alloc(32, 7).toString('base64');
const admin = privateKeyToAccount(generatePrivateKey());
const wallet = getAddress(`0x${'ab'.repeat(20)}`);
const another = getAddress(`0x${'cd'.repeat(20)}`);
const path = (BigInt(admin.address) << 96n) | 5n;

const SECRET = 77n;
const group = split(SECRET, 2, range(3));
const keyNodes = encodeGroupParameters(group.parameters);
const statementOf = (address: Address, at: bigint): KeyRequest => ({
  kind: 'wallet-address',
  path: at,
  address: address.slice(2).toLowerCase(),
});

/** A certificate by these shares. */
function certify(
  statement: KeyRequest,
  shares: Share[] = group.shares.slice(0, 2),
  parameters: GroupParameters = group.parameters,
) {
  const input = encodeInput(statement);
  return {
    parameters: encodeGroupParameters(parameters),
    partials: shares.map((share) => ({
      identifier: share.identifier,
      partial: Buffer.from(evaluate(parameters, share, input)).toString('base64'),
    })),
  };
}
const genuine = certify(statementOf(wallet, path));
const [corrupt] = group.shares;
if (!corrupt) throw new Error('no share');
const stranger = generate(2, 3);

type Reply = { address?: Address; at?: bigint; certificate?: typeof genuine | undefined };
const forgeries: [string, Reply][] = [
  ['an address of its own', { address: another }],
  ['an address without a certificate', { address: another, certificate: undefined }],
  ['the right address without a certificate', { certificate: undefined }],
  ['the certificate of another path', { certificate: certify(statementOf(wallet, path + 1n)) }],
  ['another path for a certified address', { at: path + 1n }],
  [
    'a certificate of another group',
    {
      address: another,
      certificate: certify(statementOf(another, path), stranger.shares, stranger.parameters),
    },
  ],
  [
    'a certificate of another group under the parameters of this one',
    {
      address: another,
      certificate: {
        ...certify(statementOf(another, path), stranger.shares, stranger.parameters),
        parameters: keyNodes,
      },
    },
  ],
  [
    'parameters with the group key and shares of its own',
    {
      address: another,
      certificate: {
        ...certify(statementOf(another, path), stranger.shares, stranger.parameters),
        parameters: encodeGroupParameters({
          ...stranger.parameters,
          groupPublicKey: group.parameters.groupPublicKey,
        }),
      },
    },
  ],
  [
    'a certificate of fewer nodes than the threshold',
    { address: another, certificate: certify(statementOf(another, path), [corrupt]) },
  ],
  [
    'a certificate of one node, twice',
    { address: another, certificate: certify(statementOf(another, path), [corrupt, corrupt]) },
  ],
  [
    'a certificate with answers for the key of a wallet',
    { address: another, certificate: certify({ kind: 'wallet', path }) },
  ],
  ['malformed partials', { certificate: { ...genuine, partials: [{ identifier: 1, partial: '!' }] } }],
];

describe('verifyWalletAddress', () => {
  const verify = ({ address = wallet, at = path, ...rest }: Reply, of = keyNodes) =>
    verifyWalletAddress({
      walletAddress: address,
      derivationPath: at,
      // A hostile relayer sends no certificate.
      certificate: ('certificate' in rest ? rest.certificate : genuine) as typeof genuine,
      keyNodes: of,
    });

  test('accepts what t nodes have signed, also after a refresh and in other letter case', async () => {
    expect(await verify({})).toBe(true);
    expect(await verify({ address: wallet.toLowerCase() as Address })).toBe(true);
    const refreshed = encodeGroupParameters(split(SECRET, 3, range(5), 2).parameters);
    expect(decodeGroupParameters(refreshed).groupPublicKey).toBe(group.parameters.groupPublicKey);
    expect(await verify({}, refreshed)).toBe(true);
  });

  test.each(forgeries)('refuses %s', async (_, reply) => expect(await verify(reply)).toBe(false));

  test('refuses everything under a text that names no key nodes', async () => {
    for (const text of ['', 'latchkey-threshold/1', encodeGroupParameters(stranger.parameters)])
      expect(await verify({}, text)).toBe(false);
  });
});

/** Calls of the wallet that sign or send something on the chain. */
let signed: string[];
/** Answers of the contract. */
let views: { keyNodes: string; derivation: bigint };
beforeEach(() => {
  signed = [];
  views = { keyNodes, derivation: path };
});

/** The state of the identity of `admin`, which owns an account. */
const accountOfAdmin = {
  state: 1,
  masterApiKeyHash: walletIdentity(admin.address),
  adminWalletAddress: admin.address,
  managed: false,
  accepted: true,
  giver: zeroAddress,
  rotated: false,
  frozen: false,
  expiration: 0n,
};

function answerCall(data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: accountConfigAbi, data });
  const encode = (result: unknown) =>
    encodeFunctionResult({ abi: accountConfigAbi, functionName, result } as Parameters<
      typeof encodeFunctionResult
    >[0]);
  if (functionName === 'multicall') return encode((args[0] as Hex[]).map(answerCall));
  if (functionName === 'nodeConfigurationValue') return encode(views.keyNodes);
  if (functionName === 'getWalletDerivation') return encode(views.derivation);
  if (functionName === 'accountState') return encode(accountOfAdmin);
  return '0x';
}
/** The node of the client. */
const transport = custom({
  async request({ method, params }: { method: string; params: [{ data: Hex }] }) {
    if (method === 'eth_chainId') return numberToHex(foundry.id);
    if (method === 'eth_blockNumber') return '0x10';
    if (method === 'eth_call') return answerCall(params[0].data);
    signed.push(method);
    throw new Error(`the wallet was asked for ${method}`);
  },
});

/** A relayer that replies so to a mint. */
const relayer = ({ address = wallet, at = path, ...rest }: Reply): typeof fetch => {
  const certificate = 'certificate' in rest ? rest.certificate : genuine;
  return async (input) =>
    Response.json(
      String(input).endsWith('get_node_chain_config')
        ? { contract_address: CONTRACT, chain_id: foundry.id }
        : { wallet_address: address, derivation_path: numberToHex(at, { size: 32 }), certificate },
      { headers: { 'x-block-number': '16' } },
    );
};
const url = 'http://localhost';
const managed = (reply: Reply) =>
  createClient({
    url,
    apiKey,
    fetch: relayer(reply),
    publicClient: createChainClient({ transport }),
    contractAddress: CONTRACT,
  }).createWallet({});
const chainSecured = (reply: Reply) =>
  createClient({
    url,
    fetch: relayer(reply),
    contractAddress: CONTRACT,
    wallet: createWalletClient({ account: admin, chain: foundry, transport }),
  }).createWallet({});
const refused = expect.objectContaining<Partial<LatchkeyError>>({ code: 'unverified_address' });

describe.each([
  ['an account key', managed],
  ['a wallet', chainSecured],
])('createWallet by %s', (_, create) => {
  test.each(forgeries)('returns no address and signs no registration for %s', async (_, reply) => {
    await expect(create(reply)).rejects.toEqual(refused);
    expect(signed).toEqual([]);
  });
});

describe('createWallet', () => {
  test('by an account key returns the address that the nodes have signed and the contract has in the account', async () => {
    expect(await managed({})).toMatchObject({ walletAddress: wallet });
    for (const derivation of [0n, path + 1n]) {
      views.derivation = derivation;
      await expect(managed({})).rejects.toEqual(refused);
    }
  });

  test('by a wallet signs the registration of a verified address', async () => {
    await expect(chainSecured({})).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect(signed).not.toEqual([]);
  });

  test('by a wallet refuses the certified address that was minted for another wallet', async () => {
    const at = (BigInt(another) << 96n) | 5n;
    const reply = { at, certificate: certify(statementOf(wallet, at)) };
    await expect(chainSecured(reply)).rejects.toEqual(refused);
    expect(signed).toEqual([]);
  });

  test('returns no address when the contract names no key nodes', async () => {
    views.keyNodes = '';
    for (const reply of [{}, { certificate: undefined }])
      await expect(managed(reply)).rejects.toEqual(refused);
  });

  test('requires the address of the contract with a node of the chain', () => {
    const publicClient = createChainClient({ transport });
    expect(() => createClient({ url, apiKey, publicClient })).toThrow('set both');
    expect(() => createClient({ url, apiKey, contractAddress: CONTRACT })).toThrow('set both');
  });
});
