// Wallet, HDNode, mnemonics, typed data: docs.ethers.org/v5/api/signer, /api/utils/hdnode, /api/utils/signing-key

const { Wallet, VoidSigner, utils } = ethers;
const WORDS = 'announce room limb pattern dry unit scale effort smooth jazz weasel alcohol';
const ADDRESS = '0x71CB05EE1b1F506fF321Da3dac38f25c0c9ce6E1';
const KEY = '0x1da6847600b0ee25e9ad9a52abbd786dd2502fa4005dd5af9310b7cc7a3b25db';
const JUNK = `${'test '.repeat(11)}junk`;
const code = (expected, run) => {
  try {
    run();
  } catch (error) {
    return assert_equals(error.code, expected);
  }
  assert_unreached('did not throw');
};
const rejects = async (expected, promise) => {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  assert_equals(error?.code, expected);
};

test(() => {
  const wallet = Wallet.fromMnemonic(WORDS);
  assert_equals(wallet.address, ADDRESS);
  assert_equals(wallet.privateKey, KEY);
  assert_equals(wallet.mnemonic.phrase, WORDS);
  assert_equals(wallet.mnemonic.path, "m/44'/60'/0'/0/0");
  assert_true(wallet.publicKey.startsWith('0x04b9e72dfd423bcf95b3801ac93f4392be5ff22143f9980eb78b3a860c48'));
  assert_equals(wallet.provider, null);
}, 'a wallet of a mnemonic');
test(() => {
  for (const key of [KEY, KEY.slice(2), utils.arrayify(KEY), new utils.SigningKey(KEY)])
    assert_equals(new Wallet(key).address, ADDRESS);
  assert_equals(new Wallet(KEY).mnemonic, null);
}, 'a wallet of a key');
for (const bad of ['', '0x', '0x12', `${KEY}00`, 'not a key'])
  test(
    () => code('INVALID_ARGUMENT', () => new Wallet(bad)),
    `a wallet of ${JSON.stringify(bad)} is refused`,
  );
test(() => {
  const [a, b] = [Wallet.createRandom(), Wallet.createRandom({ extraEntropy: [1, 2, 3] })];
  assert_not_equals(a.address, b.address);
  assert_equals(a.mnemonic.phrase.split(' ').length, 12);
  assert_equals(Wallet.fromMnemonic(a.mnemonic.phrase).address, a.address);
}, 'random wallets');
promise_test(async () => {
  const wallet = new Wallet(KEY);
  const signature = await wallet.signMessage('Hello World');
  assert_equals(
    signature,
    '0x14280e5885a19f60e536de50097e96e3738c7acae4e9e62d67272d794b8127d31c03d9cd59781d4ee31fb4e1b893bd9b020ec67dfa65cfb51e2bdadbb1de26d91c',
  );
  assert_equals(utils.verifyMessage('Hello World', signature), ADDRESS);
  assert_not_equals(utils.verifyMessage('other', signature), ADDRESS);
  const hash = utils.id('x');
  assert_equals(
    utils.verifyMessage(utils.arrayify(hash), await wallet.signMessage(utils.arrayify(hash))),
    ADDRESS,
  );
  assert_equals(await wallet.getAddress(), ADDRESS);
}, 'signMessage and verifyMessage');
promise_test(async () => {
  const domain = {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  };
  const types = {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  };
  const value = {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  };
  assert_equals(
    utils._TypedDataEncoder.hash(domain, types, value),
    '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
  );
  const wallet = new Wallet(utils.id('cow'));
  const signature = await wallet._signTypedData(domain, types, value);
  const { r, s, v } = utils.splitSignature(signature);
  assert_equals(r, '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d');
  assert_equals(s, '0x07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b91562');
  assert_equals(v, 28);
  assert_equals(utils.verifyTypedData(domain, types, value, signature), wallet.address);
  const payload = utils._TypedDataEncoder.getPayload(domain, types, value);
  assert_equals(payload.primaryType, 'Mail');
  assert_throws_js(Error, () =>
    utils._TypedDataEncoder.hash(domain, { Mail: [{ name: 'a', type: 'Mail' }] }, {}),
  );
}, 'typed data');
promise_test(async () => {
  const wallet = new Wallet(KEY);
  const steps = [];
  const json = await wallet.encrypt('password', { scrypt: { N: 64 } }, (progress) => {
    steps.push(progress);
  });
  assert_true(steps.length > 0);
  assert_equals((await Wallet.fromEncryptedJson(json, 'password')).address, ADDRESS);
  assert_equals(Wallet.fromEncryptedJsonSync(json, 'password').privateKey, KEY);
  assert_equals(utils.getJsonWalletAddress(json), ADDRESS);
  for (const [text, password, message] of [
    ['{}', 'password', 'invalid JSON wallet'],
    [json, 'wrong', 'invalid password'],
  ])
    assert_equals(await Wallet.fromEncryptedJson(text, password).catch((error) => error.message), message);
  const words = await Wallet.fromMnemonic(WORDS).encrypt('password', { scrypt: { N: 64 } });
  assert_equals((await Wallet.fromEncryptedJson(words, 'password')).mnemonic.phrase, WORDS);
}, 'encrypted JSON');
promise_test(async () => {
  const wallet = new Wallet(`0x${'46'.repeat(32)}`);
  const raw = await wallet.signTransaction({
    nonce: 9,
    gasPrice: utils.parseUnits('20', 'gwei'),
    gasLimit: 21_000,
    to: `0x${'35'.repeat(20)}`,
    value: utils.parseEther('1'),
    chainId: 1,
  });
  assert_equals(
    raw,
    '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  );
  await rejects('INVALID_ARGUMENT', wallet.signTransaction({ from: ADDRESS, to: ADDRESS, chainId: 1 }));
}, 'signTransaction of the example of EIP-155');
promise_test(async () => {
  const wallet = new Wallet(KEY);
  await rejects('UNSUPPORTED_OPERATION', wallet.sendTransaction({ to: ADDRESS }));
  await rejects('UNSUPPORTED_OPERATION', wallet.getBalance());
  const watcher = new VoidSigner(ADDRESS);
  assert_equals(await watcher.getAddress(), ADDRESS);
  await rejects('UNSUPPORTED_OPERATION', watcher.signMessage('a'));
  assert_true(
    ethers.Signer.isSigner(wallet) && ethers.Signer.isSigner(watcher) && !ethers.Signer.isSigner({}),
  );
}, 'a signer without a provider');

test(() => {
  const node = utils.HDNode.fromMnemonic(JUNK);
  const first = node.derivePath("m/44'/60'/0'/0/0");
  assert_equals(first.address, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  assert_equals(first.privateKey, '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  assert_equals(node.derivePath(utils.getAccountPath(0)).address, first.address);
  const account = node.derivePath("m/44'/60'/0'/0");
  const open = account.neuter();
  assert_equals(open.privateKey, null);
  assert_equals(open.derivePath('0').address, first.address);
  assert_equals(
    utils.HDNode.fromExtendedKey(account.extendedKey).derivePath('0').privateKey,
    first.privateKey,
  );
  assert_equals(utils.HDNode.fromExtendedKey(open.extendedKey).derivePath('0').address, first.address);
  assert_equals(utils.HDNode.fromSeed(utils.mnemonicToSeed(JUNK)).fingerprint, node.fingerprint);
  assert_not_equals(utils.HDNode.fromMnemonic(JUNK, 'password').fingerprint, node.fingerprint);
  assert_throws_js(Error, () => open.derivePath("0'"));
  assert_throws_js(Error, () => first.derivePath('m/0'));
}, 'HDNode');
test(() => {
  assert_equals(utils.entropyToMnemonic(`0x${'00'.repeat(16)}`), `${'abandon '.repeat(11)}about`);
  assert_equals(utils.mnemonicToEntropy(`${'abandon '.repeat(11)}about`), `0x${'00'.repeat(16)}`);
  assert_true(utils.isValidMnemonic(WORDS));
  for (const bad of ['', 'abandon', WORDS.replace('room', 'moor'), `${'abandon '.repeat(11)}abandon`])
    assert_false(utils.isValidMnemonic(bad));
  assert_throws_js(Error, () => Wallet.fromMnemonic('abandon'));
  assert_equals(
    Wallet.fromMnemonic(JUNK, "m/44'/60'/0'/0/1").address,
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  );
}, 'mnemonics');
test(() => {
  const key = new utils.SigningKey(KEY);
  const signature = key.signDigest(utils.id('x'));
  assert_equals(utils.recoverAddress(utils.id('x'), signature), ADDRESS);
  assert_equals(utils.recoverPublicKey(utils.id('x'), signature), key.publicKey);
  assert_equals(utils.computePublicKey(KEY, true), key.compressedPublicKey);
  assert_equals(utils.computePublicKey(key.compressedPublicKey), key.publicKey);
  assert_equals(utils.computeAddress(key.publicKey), ADDRESS);
  assert_equals(
    utils.joinSignature(utils.splitSignature(utils.joinSignature(signature))),
    utils.joinSignature(signature),
  );
  assert_equals(utils.splitSignature(signature.compact).s, signature.s);
  const other = new utils.SigningKey(utils.id('other'));
  assert_equals(key.computeSharedSecret(other.publicKey), other.computeSharedSecret(key.compressedPublicKey));
  assert_true(utils.SigningKey.isSigningKey(key));
  code('INVALID_ARGUMENT', () => key.signDigest('0x12'));
  code('INVALID_ARGUMENT', () => utils.splitSignature('0x1234'));
}, 'SigningKey');
const TO = `0x${'35'.repeat(20)}`;
for (const [name, transaction, type] of [
  ['legacy', { gasPrice: 1, chainId: 1 }, null],
  ['legacy without a chain', { gasPrice: 1 }, null],
  [
    'access list',
    {
      type: 1,
      gasPrice: 1,
      chainId: 1,
      accessList: [{ address: TO, storageKeys: [`0x${'00'.repeat(32)}`] }],
    },
    1,
  ],
  ['EIP-1559', { type: 2, maxFeePerGas: 3, maxPriorityFeePerGas: 2, chainId: 1 }, 2],
  ['contract creation', { gasPrice: 1, chainId: 5, to: undefined, data: '0x6000' }, null],
])
  promise_test(async () => {
    const wallet = new Wallet(KEY);
    const full = { nonce: 7, gasLimit: 21_000, to: TO, value: 5, data: '0x12', ...transaction };
    const raw = await wallet.signTransaction(full);
    const parsed = utils.parseTransaction(raw);
    assert_equals(parsed.from, ADDRESS);
    assert_equals(parsed.type, type);
    assert_equals(parsed.nonce, 7);
    assert_equals(parsed.data, full.data);
    assert_equals(parsed.to, full.to ? utils.getAddress(full.to) : null);
    assert_equals(parsed.value.toNumber(), 5);
    assert_equals(parsed.chainId, transaction.chainId ?? 0);
    assert_equals(parsed.hash, utils.keccak256(raw));
    assert_equals(JSON.stringify(parsed.accessList ?? []), JSON.stringify(transaction.accessList ?? []));
    const unsigned = utils.parseTransaction(utils.serializeTransaction(full));
    assert_equals(unsigned.hash ?? null, null);
    assert_equals(unsigned.from ?? null, null);
  }, `serialize and parse: ${name}`);
test(() => {
  code('UNSUPPORTED_OPERATION', () => utils.parseTransaction('0x05'));
  code('UNSUPPORTED_OPERATION', () => utils.serializeTransaction({ type: 9 }));
}, 'unknown types of transactions');
