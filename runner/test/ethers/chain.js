// Providers and contracts, on a local chain: docs.ethers.org/v5/api/providers, /api/contract

const { Contract, ContractFactory, Wallet, providers, utils } = ethers;
/** The second account that anvil funds. */
const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TO = utils.getAddress(`0x${'de'.repeat(20)}`);
const ABI = [
  'constructor(uint256 start) payable',
  'function total() view returns (uint256)',
  'function add(uint256 amount) payable returns (uint256)',
  'event Added(address indexed by, uint256 amount, uint256 total)',
  'error TooMuch(uint256 amount, uint256 limit)',
];
/**
 * contract Counter {
 *     event Added(address indexed by, uint256 amount, uint256 total);
 *     error TooMuch(uint256 amount, uint256 limit);
 *     uint256 public total;
 *     constructor(uint256 start) payable { total = start; }
 *     function add(uint256 amount) external payable returns (uint256) {
 *         if (amount > 100) revert TooMuch(amount, 100);
 *         require(amount != 0, "amount is zero");
 *         total += amount;
 *         emit Added(msg.sender, amount, total);
 *         return total;
 *     }
 * }
 */
const BYTECODE =
  '0x' +
  '60806040526040516101bb3803806101bb8339810160408190526020916026565b5f55603c565b5f60208284031215603557' +
  '5f5ffd5b5051919050565b610172806100495f395ff3fe608060405260043610610028575f3560e01c80631003e2d2146100' +
  '2c5780632ddbd13a14610051575b5f5ffd5b61003f61003a366004610136565b610065565b60405190815260200160405180' +
  '910390f35b34801561005c575f5ffd5b5061003f5f5481565b5f606482111561009757604051636073b21f60e01b81526004' +
  '8101839052606460248201526044015b60405180910390fd5b815f036100d75760405162461bcd60e51b8152602060048201' +
  '52600e60248201526d616d6f756e74206973207a65726f60901b604482015260640161008e565b815f5f8282546100e79190' +
  '61014d565b90915550505f5460405133917f2a8f5e2f05e241e9eed0e8f7a9338ba078a26ed2cfc22913acfd874a2d3093c5' +
  '9161012791868252602082015260400190565b60405180910390a250505f5490565b5f60208284031215610146575f5ffd5b' +
  '5035919050565b8082018082111561016c57634e487b7160e01b5f52601160045260245ffd5b9291505056';
const rejects = async (expected, promise) => {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  assert_equals(error?.code, expected, error?.message);
  return error;
};

const provider = new providers.StaticJsonRpcProvider(RPC_URL);
provider.pollingInterval = 20;
const wallet = new Wallet(KEY, provider);
/** Tests run one after the other. */
let contract;
promise_test(async () => {
  const factory = new ContractFactory(ABI, BYTECODE, wallet);
  const deployed = await factory.deploy(7, { value: 1 });
  assert_equals(deployed.deployTransaction.from, ADDRESS);
  contract = await deployed.deployed();
  assert_equals(contract.address, utils.getContractAddress(deployed.deployTransaction));
  assert_equals((await contract.total()).toNumber(), 7);
  assert_not_equals(await provider.getCode(contract.address), '0x');
  assert_equals((await provider.getBalance(contract.address)).toNumber(), 1);
  assert_equals(factory.attach(contract.address).address, contract.address);
  assert_true(factory.getDeployTransaction(1).data.startsWith('0x'));
}, 'ContractFactory deploys');
promise_test(async () => {
  assert_equals((await provider.getNetwork()).chainId, 31_337);
  assert_true((await provider.getBlockNumber()) >= 1);
  const block = await provider.getBlock('latest');
  assert_equals(block.number, await provider.getBlockNumber());
  assert_equals(
    (await provider.getBlockWithTransactions(block.hash)).transactions.length,
    block.transactions.length,
  );
  assert_true((await provider.getGasPrice()).gt(0));
  const fees = await provider.getFeeData();
  assert_true(fees.maxFeePerGas.gte(fees.maxPriorityFeePerGas));
  assert_equals(await provider.getCode(TO), '0x');
  assert_equals((await provider.getBalance(TO, 'earliest')).toString(), '0');
  assert_equals(await provider.getTransactionCount(`0x${'01'.repeat(20)}`), 0);
  assert_equals(await provider.getTransaction(`0x${'00'.repeat(32)}`), null);
  assert_equals(await provider.getTransactionReceipt(`0x${'00'.repeat(32)}`), null);
  assert_equals(utils.hexDataLength(await provider.getStorageAt(contract.address, 0)), 32);
  assert_equals(await provider.send('eth_chainId', []), '0x7a69');
}, 'a provider reads');
promise_test(async () => {
  const before = await provider.getBalance(TO);
  const sent = await wallet.sendTransaction({ to: TO, value: utils.parseEther('0.5') });
  assert_equals(sent.type, 2);
  const receipt = await sent.wait();
  assert_equals(
    [receipt.status, receipt.from, receipt.to, receipt.confirmations > 0].join(),
    `1,${ADDRESS},${TO},true`,
  );
  assert_equals((await provider.waitForTransaction(sent.hash)).blockNumber, receipt.blockNumber);
  assert_equals((await provider.getTransaction(sent.hash)).value.toString(), sent.value.toString());
  assert_equals(utils.formatEther((await provider.getBalance(TO)).sub(before)), '0.5');
}, 'sendTransaction');
for (const [name, type] of [
  ['legacy', 0],
  ['access list', 1],
])
  promise_test(async () => {
    const gasPrice = await provider.getGasPrice();
    const receipt = await (await wallet.sendTransaction({ to: TO, value: 1, type, gasPrice })).wait();
    assert_equals(receipt.type, type);
  }, `sendTransaction of the type ${name}`);
promise_test(async () => {
  const full = await wallet.populateTransaction({ to: TO, value: 1 });
  assert_equals([full.chainId, full.from, full.gasLimit].join(), `31337,${ADDRESS},21000`);
  const raw = await wallet.signTransaction(full);
  const sent = await provider.sendTransaction(raw);
  assert_equals(sent.hash, utils.keccak256(raw));
  await sent.wait();
  await rejects('NONCE_EXPIRED', provider.sendTransaction(raw));
}, 'populateTransaction, signTransaction and a raw transaction');
promise_test(async () => {
  assert_equals((await contract.callStatic.add(5)).toNumber(), 12);
  assert_true((await contract.estimateGas.add(5)).gt(21_000));
  assert_equals(
    (await contract.populateTransaction.add(5)).data,
    contract.interface.encodeFunctionData('add', [5]),
  );
  const sent = await contract.add(5, { value: 2 });
  const receipt = await sent.wait();
  const [event] = receipt.events;
  assert_equals(
    [event.event, event.args.by, event.args.amount, event.args.total].join(),
    `Added,${ADDRESS},5,12`,
  );
  assert_equals((await contract.functions.total())[0].toNumber(), 12);
  assert_equals((await contract['total()']({ blockTag: receipt.blockNumber - 1 })).toNumber(), 7);
  assert_equals((await event.getBlock()).number, receipt.blockNumber);
}, 'a contract is read and written');
promise_test(async () => {
  await (await contract.add(3)).wait();
  const all = await contract.queryFilter('Added');
  assert_array_equals(
    all.map(({ args }) => args.amount.toNumber()),
    [5, 3],
  );
  const mine = await contract.queryFilter(contract.filters.Added(ADDRESS), all[1].blockNumber);
  assert_equals(mine.length, 1);
  assert_equals((await contract.queryFilter(contract.filters.Added(TO))).length, 0);
  const logs = await provider.getLogs({ ...contract.filters.Added(), fromBlock: 0 });
  assert_equals(contract.interface.parseLog(logs[0]).args.total.toNumber(), 12);
}, 'queryFilter and getLogs');
promise_test(async () => {
  const seen = new Promise((resolve) =>
    contract.on('Added', (by, amount, total, event) => {
      // It can also get the event of the latest block.
      if (amount.eq(1)) resolve([by, amount, total, event.event].join());
    }),
  );
  await (await contract.add(1)).wait();
  assert_equals(await seen, `${ADDRESS},1,16,Added`);
  contract.removeAllListeners('Added');
  assert_equals(contract.listenerCount('Added'), 0);
}, 'an event reaches its listener');
promise_test(async () => {
  const custom = await rejects('CALL_EXCEPTION', contract.callStatic.add(101));
  assert_equals([custom.errorName, custom.errorArgs.limit].join(), 'TooMuch,100');
  const text = await rejects('CALL_EXCEPTION', contract.callStatic.add(0));
  assert_equals(text.reason, 'amount is zero');
  await rejects('UNPREDICTABLE_GAS_LIMIT', contract.add(101));
  const failed = await contract.add(101, { gasLimit: 100_000 });
  const error = await rejects('CALL_EXCEPTION', failed.wait());
  assert_equals(error.receipt.status, 0);
}, 'a reverted call and transaction');
promise_test(async () => {
  await rejects(
    'INSUFFICIENT_FUNDS',
    new Wallet(utils.id('poor'), provider).sendTransaction({ to: TO, value: 1, gasLimit: 21_000 }),
  );
  await rejects('UNSUPPORTED_OPERATION', contract.connect(provider).add(1));
  await rejects('UNEXPECTED_ARGUMENT', contract.total(1, 2));
  await rejects('CALL_EXCEPTION', new Contract(TO, ABI, provider).total());
  await rejects('SERVER_ERROR', provider.send('no_such_method', []));
}, 'codes of errors');
promise_test(async () => {
  const dynamic = new providers.JsonRpcProvider(RPC_URL);
  assert_equals((await dynamic.detectNetwork()).chainId, 31_337);
  assert_true((await dynamic.listAccounts()).includes(ADDRESS));
  const signer = dynamic.getSigner(ADDRESS);
  assert_equals(utils.verifyMessage('a', await signer.signMessage('a')), ADDRESS);
  const wrong = new providers.JsonRpcProvider(RPC_URL, 1);
  assert_equals(wrong.network.chainId, 1);
}, 'JsonRpcProvider');
promise_test(async () => {
  const fallback = new providers.FallbackProvider(
    [
      { provider, stallTimeout: 50 },
      { provider: new providers.StaticJsonRpcProvider(RPC_URL), stallTimeout: 50 },
    ],
    2,
  );
  assert_equals((await fallback.getNetwork()).chainId, 31_337);
  assert_equals(
    (await fallback.getBalance(contract.address)).toString(),
    (await provider.getBalance(contract.address)).toString(),
  );
  assert_equals((await contract.connect(fallback).total()).toNumber(), 16);
}, 'FallbackProvider');
promise_test(async () => {
  const batch = new providers.JsonRpcBatchProvider(RPC_URL, 31_337);
  const [number, balance] = await Promise.all([batch.getBlockNumber(), batch.getBalance(contract.address)]);
  assert_true(number > 0 && balance.eq(3));
}, 'JsonRpcBatchProvider');
promise_test(async () => {
  const calls = [];
  const web3 = new providers.Web3Provider({
    request: async ({ method, params }) => {
      calls.push(method);
      return provider.send(method, params);
    },
  });
  assert_equals((await web3.getNetwork()).chainId, 31_337);
  assert_true(calls.includes('eth_chainId'));
}, 'Web3Provider');
promise_test(async () => {
  const reply = await utils.fetchJson(
    RPC_URL,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  );
  assert_equals(reply.result, '0x7a69');
}, 'fetchJson');
