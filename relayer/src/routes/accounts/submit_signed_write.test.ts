import { accountConfigAbi, buildSignedWrites, walletIdentity } from '@latchkey/protocol';
import {
  call,
  client,
  describeBadBodies,
  expectError,
  expectWritten,
  hex,
  newAccount,
  newWallet,
  post,
  type Reply,
  read,
  stack,
  testClient,
  type Wallet,
} from '@latchkey/testing/stack';
import {
  type AdminWallet,
  accountOf,
  billingAuth,
  deployCode,
  deployMock,
  eoa,
  multisig,
  seconds,
  signerOf,
} from '@latchkey/testing/wallet-proof';
import { type Address, encodeFunctionData, type Hex, hashTypedData, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, test } from 'vitest';
import { solveChallengeOf } from '../../../test/challenge.ts';
import { readCredit } from '../../../test/credit.ts';
import { ownRelayer } from '../../../test/own-relayer.ts';

type Signer = Pick<AdminWallet, 'address' | 'signDigest'>;
/** `by`: the wallet in the typed data, by default the one that signs. */
type Writes = { account: bigint; by: Address; calls: Hex[]; nonce: bigint; deadline: bigint };
type Signed = {
  [Field in 'api_key_hash' | 'nonce' | 'signature']: Hex;
} & { signer: Address; calls: Hex[]; deadline: string };

/** A wallet that never has any ether. */
function penniless(): Signer {
  const privateKey = generatePrivateKey();
  return { address: privateKeyToAddress(privateKey), signDigest: signerOf(privateKey) };
}
const encode = (functionName: string, args: unknown[]): Hex =>
  encodeFunctionData({ abi: accountConfigAbi, functionName, args } as never);
/** Returns the wallet with a v of 0 or 1 in its signatures, as hardware wallets sign. */
const withSmallV = ({ address, signDigest }: Signer): Signer => ({
  address,
  signDigest: async (digest) => {
    const signature = await signDigest(digest);
    return `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}` as Hex;
  },
});
const addGroupCall = (account: bigint, name = 'signed'): Hex =>
  encode('addGroup', [account, name, '', [], []]);
const randomNonce = (): bigint => BigInt(hex(BigInt(`0x${crypto.randomUUID().replaceAll('-', '')}`)));

/** Returns the body that `signer` signed. */
async function signed(signer: Signer, writes: Partial<Writes> & { calls: Hex[] }): Promise<Signed> {
  const account = writes.account ?? walletIdentity(signer.address);
  const { calls, by = signer.address, nonce = randomNonce(), deadline = seconds() + 600n } = writes;
  const digest = hashTypedData(
    buildSignedWrites({
      chainId: stack.chainId,
      contractAddress: stack.contractAddress,
      calls,
      signer: by,
      nonce,
      deadline,
    }) as never,
  );
  return {
    api_key_hash: hex(account),
    signer: by,
    calls,
    nonce: hex(nonce),
    deadline: String(deadline),
    signature: await signer.signDigest(digest),
  };
}
const submit = (body: object): Promise<Reply> => post('submit_signed_write', body);
const open = async (signer: Signer): Promise<Reply> =>
  submit(await signed(signer, { calls: [encode('newChainSecuredAccount', ['signed', ''])] }));

const creditOf = async (signer: Signer): Promise<number> =>
  readCredit(await billingAuth(signer as AdminWallet));
const groupsOf = async (address: Address): Promise<bigint> => {
  const { length } = await read('listGroups', [walletIdentity(address), 0n, 100n]);
  return BigInt(length);
};

/** Opens an account with credit and transfers it to the wallet, both by signatures. Resolves to its master hash. */
async function openFor(wallet: Address): Promise<bigint> {
  const first = penniless();
  const account = walletIdentity(first.address);
  expectWritten(await open(first), { success: true });
  const transfer = encode('transferChainSecuredAccountOwnership', [account, wallet]);
  expectWritten(await submit(await signed(first, { calls: [transfer] })), { success: true });
  return account;
}

/** An account that its wallet opened by a signature. */
let admin: Signer;
beforeAll(async () => {
  admin = penniless();
  expectWritten(await open(admin), { success: true });
});

describe('200', () => {
  test('opens the account of a wallet without ether, with its starter credit', async () => {
    expect(await client.getBalance({ address: admin.address })).toBe(0n);
    expect(await read('getAccountWalletAddress', [walletIdentity(admin.address)])).toBe(admin.address);
    expect(await creditOf(admin)).toBeGreaterThan(0);
  });

  test('executes a write once and charges it once, also when it is submitted again', async () => {
    const [credit, groups] = [await creditOf(admin), await groupsOf(admin.address)];
    const body = await signed(admin, { calls: [addGroupCall(walletIdentity(admin.address))] });
    const replies = await Promise.all([submit(body), submit(body), submit(body)]);
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expectWritten(replies[0] as Reply, { success: true });
    expect(await submit(body)).toMatchObject({ status: 200, body: replies[0]?.body });
    expect(await groupsOf(admin.address)).toBe(groups + 1n);
    expect(credit - (await creditOf(admin))).toBe(10_000);
  });

  test('executes a batch in order, all or nothing, and charges each call', async () => {
    const [credit, groups] = [await creditOf(admin), await groupsOf(admin.address)];
    const account = walletIdentity(admin.address);
    const id = groups + 1n;
    const calls = [
      addGroupCall(account, 'first'),
      encode('updateGroupMetadata', [account, id, 'renamed', '']),
      encode('removeGroup', [account, id]),
    ];
    expectError(await submit(await signed(admin, { calls: [...calls, calls[2] as Hex] })), 404);
    expect(await creditOf(admin)).toBe(credit);
    expectWritten(await submit(await signed(admin, { calls })), { success: true });
    expect(credit - (await creditOf(admin))).toBe(30_000);
  });

  test('accepts a contract wallet (ERC-1271) by the master hash of an account that was transferred to it', async () => {
    const wallet = await multisig();
    const account = await openFor(wallet.address);
    const body = await signed(wallet, { account, calls: [addGroupCall(account)] });
    expectWritten(await submit(body), { success: true });
    expect(await read('listGroups', [account, 0n, 100n])).toHaveLength(1);
  });
});

test('opens the account of a contract wallet', async () => {
  const wallet = await multisig();
  expectWritten(await open(wallet), { success: true });
  expect(await read('getAccountWalletAddress', [walletIdentity(wallet.address)])).toBe(wallet.address);
});

test('accepts an account, and gives another one back, by signatures', async () => {
  const [taker, giver] = [penniless(), penniless()];
  const account = await openFor(taker.address);
  const accept = encode('acceptAccount', [account]);
  expectWritten(await submit(await signed(taker, { account, calls: [accept] })), { success: true });
  expect(await read('allApiKeyHashesToMaster', [walletIdentity(taker.address)])).toBe(account);

  expectWritten(await open(giver), { success: true });
  const given = walletIdentity(giver.address);
  const transfer = encode('transferChainSecuredAccountOwnership', [given, penniless().address]);
  expectWritten(await submit(await signed(giver, { calls: [transfer] })), { success: true });
  const cancel = encode('cancelTransfer', [given]);
  expectError(await submit(await signed(penniless(), { account: given, calls: [cancel] })), 400, /signature/);
  expectWritten(await submit(await signed(giver, { calls: [cancel] })), { success: true });
  expect(await read('getAccountWalletAddress', [given])).toBe(giver.address);
});

describe('writes that were executed before return their block and transaction, and charge nothing', () => {
  /** Submits the body to the chain, as any stranger can. */
  const executeBy = async ({ write }: Wallet, body: Signed): Promise<bigint> => {
    const { api_key_hash, signer, calls, nonce, deadline, signature } = body;
    return write('executeSigned', [
      ...([BigInt(api_key_hash), signer, calls, BigInt(nonce), BigInt(deadline), signature] as const),
    ]);
  };

  test('by another submitter, also after the deadline', async () => {
    const [credit, groups] = [await creditOf(admin), await groupsOf(admin.address)];
    const calls = [addGroupCall(walletIdentity(admin.address))];
    const stranger = await newWallet();
    const body = await signed(admin, { calls, deadline: seconds() + 4n });
    const block = await executeBy(stranger, body);
    const reply = await submit(body);
    expect(expectWritten(reply, { success: true })).toBe(block);
    const { transaction_hash: hash } = reply.body as { transaction_hash: Hex };
    const { from } = await client.getTransaction({ hash });
    expect(from.toLowerCase()).toBe(stranger.address.toLowerCase());
    await expect.poll(() => seconds() > BigInt(body.deadline), { timeout: 10_000 }).toBe(true);
    await testClient.mine({ blocks: 1 });
    expect(await submit(body)).toMatchObject({ status: 200, body: reply.body as object });
    expect(await groupsOf(admin.address)).toBe(groups + 1n);
    expect(await creditOf(admin)).toBe(credit);
  });

  test('after a transfer that the signer itself signed, by another submitter', async () => {
    const wallet = penniless();
    expectWritten(await open(wallet), { success: true });
    const account = walletIdentity(wallet.address);
    const transfer = encode('transferChainSecuredAccountOwnership', [account, penniless().address]);
    const body = await signed(wallet, { calls: [transfer] });
    const block = await executeBy(await newWallet(), body);
    expect(expectWritten(await submit(body), { success: true })).toBe(block);
    const next = await signed(wallet, { calls: [addGroupCall(account)] });
    expectError(await submit(next), 403);
  });

  test('other writes with the nonce are 409, and the reply does not say to sign again without a look', async () => {
    const account = walletIdentity(admin.address);
    const nonce = randomNonce();
    await executeBy(await newWallet(), await signed(admin, { nonce, calls: [addGroupCall(account)] }));
    const groups = await groupsOf(admin.address);
    const reply = await submit(await signed(admin, { nonce, calls: [addGroupCall(account, 'other')] }));
    expectError(reply, 409, new RegExp(hex(nonce)));
    expect((reply.body as { fix: string }).fix).toMatch(/^Read the event SignedWritesExecuted/);
    expect(await groupsOf(admin.address)).toBe(groups);
  });
});

describe('a v of 0 or 1', () => {
  test('opens an account and writes, as 27 or 28', async () => {
    const wallet = withSmallV(penniless());
    expectWritten(await open(wallet), { success: true });
    const calls = [addGroupCall(walletIdentity(wallet.address))];
    expectWritten(await submit(await signed(wallet, { calls })), { success: true });
  });

  test('reaches a contract wallet unchanged', async () => {
    // Answers with the magic value of ERC-1271 when the last of 65 bytes is 1.
    const address = await deployCode(
      '0x601a80600b6000396000f360a43560001a600114631626ba7e60e01b0260005260206000f3',
    );
    const account = await openFor(address);
    const sendWith = async (v: string) => {
      const signDigest = async () => `0x${'11'.repeat(64)}${v}` as Hex;
      return submit(await signed({ address, signDigest }, { account, calls: [addGroupCall(account)] }));
    };
    expectWritten(await sendWith('01'), { success: true });
    expectError(await sendWith('00'), 400, /signature/);
  });
});

describe('400, without a change', () => {
  test('a signature of another wallet, and signed values that were changed', async () => {
    const account = walletIdentity(admin.address);
    const calls = [addGroupCall(account)];
    const body = await signed(admin, { calls });
    const groups = await groupsOf(admin.address);
    const other = await signed(penniless(), { account, calls });
    for (const changed of [
      other,
      await signed(penniless(), { account, by: admin.address, calls }),
      { ...body, signer: other.signer },
      { ...body, calls: [addGroupCall(account, 'other')] },
      { ...body, nonce: hex(1n) },
      { ...body, deadline: String(seconds() + 601n) },
      { ...body, signature: '0x' },
    ])
      expectError(await submit(changed), 400);
    expect(await groupsOf(admin.address)).toBe(groups);
  });

  test('a signature over 4,096 bytes, for a contract wallet that accepts every signature', async () => {
    const magic = `0x1626ba7e${'00'.repeat(28)}`;
    const by = await deployMock('Erc1271Wallets', 'AnsweringWallet', [magic, false]);
    const account = await openFor(by);
    const body = await signed(penniless(), { account, by, calls: [addGroupCall(account)] });
    expectError(await submit({ ...body, signature: `0x${'11'.repeat(4_097)}` }), 400);
    expectWritten(await submit({ ...body, signature: `0x${'11'.repeat(4_096)}` }), { success: true });
  });

  test('a deadline in the past', async () => {
    const calls = [addGroupCall(walletIdentity(admin.address))];
    const credit = await creditOf(admin);
    expectError(await submit(await signed(admin, { calls, deadline: seconds() - 5n })), 400, /deadline/);
    expect(await creditOf(admin)).toBe(credit);
  });

  test('calls of another account, of functions that cannot be signed, and with trailing bytes', async () => {
    const account = walletIdentity(admin.address);
    const other = await newAccount();
    const refusals: [Hex, RegExp][] = [
      [addGroupCall(other.hash), /another account hash/],
      [encode('setApiPayers', [[admin.address]]), /cannot be signed/],
      [encode('multicall', [[addGroupCall(account)]]), /cannot be signed/],
      [`${addGroupCall(account)}00`, /canonical ABI encoding/],
    ];
    for (const [call, message] of refusals) {
      const body = await signed(admin, { calls: [addGroupCall(account)] });
      expectError(await submit({ ...body, calls: [call] }), 400, message);
    }
  });

  test('an opening together with other writes, or by another wallet', async () => {
    const wallet = penniless();
    const opening = encode('newChainSecuredAccount', ['', '']);
    const calls = [opening, addGroupCall(walletIdentity(wallet.address))];
    expectError(await submit(await signed(wallet, { calls })), 400, /only call/);
    const account = walletIdentity(penniless().address);
    expectError(await submit(await signed(wallet, { account, calls: [opening] })), 400, /signature/);
  });
});

test('a repeated opening does not need another challenge', async () => {
  await using relayer = await ownRelayer({ NEW_ACCOUNT_CHALLENGE_ABOVE_PER_MINUTE: '0' });
  const opening = encode('newChainSecuredAccount', ['', '']);
  const headers = await solveChallengeOf(relayer.url);
  const body = await signed(penniless(), { calls: [opening] });
  const submitTo = (sent: object) =>
    call('POST', 'submit_signed_write', { body: sent, headers }, relayer.url);
  // The request was admitted: only the payer is missing.
  for (let i = 0; i < 2; i++) expectError(await submitTo(body), 503);
  expectError(await submitTo(await signed(penniless(), { calls: [opening] })), 400, /already used/);
});

describe('a wallet whose code accepts signatures in simulations only', () => {
  // Answers with the magic value of ERC-1271 while the gas price is 0, as in calls and estimates.
  const code = '3a15631626ba7e60e01b0260005260206000f3';
  const deployWallet = () => deployCode(`0x601380600b6000396000f3${code}`);
  const openAttempts = async (wallet: Address, signer: Signer) => {
    const account = await openFor(wallet);
    const before = await client.getBlockNumber();
    return {
      attempt: async () =>
        submit(await signed(signer, { account, by: wallet, calls: [addGroupCall(account)] })),
      /** Resolves to the number of its transactions on the chain. */
      countMined: async () => {
        const blocks = Array.from({ length: Number((await client.getBlockNumber()) - before) }, (_, index) =>
          client.getBlock({ blockNumber: before + BigInt(index) + 1n, includeTransactions: true }),
        );
        const sent = (await Promise.all(blocks)).flatMap(({ transactions }) => transactions);
        return sent.filter(({ input }) => input.includes(hex(account).slice(2))).length;
      },
    };
  };
  const expectThreeReverts = async ({ attempt, countMined }: Awaited<ReturnType<typeof openAttempts>>) => {
    const replies = await Promise.all(Array.from({ length: 20 }, attempt));
    expect(replies.filter(({ status }) => status === 503)).toHaveLength(3);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(17);
    expect(await countMined()).toBe(3);
  };

  test('gets 429 after three reverts', async () => {
    const { attempt, countMined } = await openAttempts(await deployWallet(), penniless());
    for (let i = 0; i < 3; i++) expectError(await attempt(), 503);
    expectError(await attempt(), 429, /reverted/);
    expect(await countMined()).toBe(3);
  });

  test('gets no more reverts by concurrent writes', async () => {
    await expectThreeReverts(await openAttempts(await deployWallet(), penniless()));
  });

  test('writes with its own ECDSA signature, also with a v of 0 or 1', async () => {
    const signer = withSmallV(penniless());
    const { attempt } = await openAttempts(signer.address, signer);
    await testClient.setCode({ address: signer.address, bytecode: `0x${code}` });
    for (let i = 0; i < 5; i++) expectWritten(await attempt(), { success: true });
  });
});

test('concurrent writes of a contract wallet use up no writes of the next hour', async () => {
  const wallet = await multisig();
  const account = await openFor(wallet.address);
  const write = async () => submit(await signed(wallet, { account, calls: [addGroupCall(account)] }));
  const replies = await Promise.all(Array.from({ length: 6 }, write));
  for (const { status } of replies) expect([200, 429]).toContain(status);
  for (let i = 0; i < 4; i++) expectWritten(await write(), { success: true });
});

test('concurrent writes of an ordinary wallet all succeed', async () => {
  const account = walletIdentity(admin.address);
  const write = async () => submit(await signed(admin, { calls: [addGroupCall(account)] }));
  for (const reply of await Promise.all(Array.from({ length: 6 }, write)))
    expectWritten(reply, { success: true });
});

test('returns 402 for an account without credit', async () => {
  const wallet = await eoa();
  await accountOf(wallet)('newChainSecuredAccount', ['', '']);
  expectError(
    await submit(await signed(wallet, { calls: [addGroupCall(walletIdentity(wallet.address))] })),
    402,
  );
});

test('returns 404 for an account that does not exist', async () => {
  const wallet = penniless();
  expectError(
    await submit(await signed(wallet, { calls: [addGroupCall(walletIdentity(wallet.address))] })),
    404,
  );
});

test('returns 409 for a nonce of other writes, and for opening a second account', async () => {
  const account = walletIdentity(admin.address);
  const nonce = randomNonce();
  expectWritten(await submit(await signed(admin, { nonce, calls: [addGroupCall(account)] })), {
    success: true,
  });
  expectError(await submit(await signed(admin, { nonce, calls: [addGroupCall(account, 'b')] })), 409);
  expectError(await open(admin), 409);
});

test('a managed account has no signed writes, not even of the wallet of its account key', async () => {
  const { key, hash, wallet } = await newAccount();
  const ofKey = { address: wallet, signDigest: signerOf(toHex(Buffer.from(key, 'base64'))) };
  const writes = { account: hash, calls: [addGroupCall(hash)] };
  expectError(await submit(await signed(penniless(), writes)), 400, /signature/);
  expectError(await submit(await signed(ofKey, writes)), 409, /managed/);
  expect(await read('listGroups', [hash, 0n, 100n])).toEqual([]);
});

test('the typed data of every signable function has the digest of the contract', async () => {
  const values: Record<string, unknown> = {
    uint256: 7n,
    address: stack.contractAddress,
    bool: true,
    string: 'text',
    'uint256[]': [1n, 2n],
    'address[]': [stack.contractAddress],
  };
  const functions = accountConfigAbi.flatMap((item) =>
    item.type === 'function' && item.stateMutability === 'nonpayable' && 'inputs' in item ? [item] : [],
  );
  const signer = stack.contractAddress;
  const limits = { signer, nonce: 5n, deadline: 6n };
  const chain = { chainId: stack.chainId, contractAddress: stack.contractAddress };
  const signable: Hex[] = [];
  for (const { name, inputs } of functions) {
    if (inputs.some(({ type }) => values[type] === undefined)) continue;
    const data = encode(
      name,
      (inputs as readonly { type: string }[]).map(({ type }) => values[type]),
    );
    const digest = await read('hashSignedWrites', [7n, signer, [data], 5n, 6n]).catch(() => undefined);
    if (digest === undefined) continue;
    signable.push(data);
    expect(hashTypedData(buildSignedWrites({ ...chain, ...limits, calls: [data] }) as never)).toBe(digest);
  }
  expect(signable.length).toBeGreaterThan(15);
  const batch = signable.slice(-16);
  expect(hashTypedData(buildSignedWrites({ ...chain, ...limits, calls: batch }) as never)).toBe(
    await read('hashSignedWrites', [7n, signer, batch, 5n, 6n]),
  );
});

describeBadBodies('submit_signed_write', 422, () => undefined, [{}, { calls: [] }]);
