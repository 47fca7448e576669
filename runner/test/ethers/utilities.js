// docs.ethers.org/v5/api/utils

const { BigNumber, FixedNumber, utils } = ethers;
const code = (expected, run) => {
  try {
    run();
  } catch (error) {
    return assert_equals(error.code, expected);
  }
  assert_unreached('did not throw');
};
const A = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

/** An expression, and its value as text. */
const VALUES = [
  // Hashes.
  [() => utils.id('hello world'), '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad'],
  [() => utils.keccak256([0x12, 0x34]), '0x56570de287d73cd1cb6092bb8fdee6173974955fdef345ae579ee9f475ea7432'],
  [() => utils.keccak256('0x'), '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  [() => utils.ripemd160('0x'), '0x9c1185a5c5e9fc54612808977ee8f548b2258d31'],
  [() => utils.sha256('0x'), '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [() => utils.sha512('0x').slice(0, 34), '0xcf83e1357eefb8bdf1542850d66d8007'],
  [
    () =>
      utils.computeHmac(
        'sha256',
        utils.toUtf8Bytes('Jefe'),
        utils.toUtf8Bytes('what do ya want for nothing?'),
      ),
    '0x5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    () => utils.hashMessage('Hello World'),
    '0xa1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2',
  ],
  [
    () => utils.namehash('ricmoo.firefly.eth'),
    '0x0bcad17ecf260d6506c6b97768bdc2acfb6694445d27ffd3f9c1cfbee4a9bd6d',
  ],
  [() => utils.namehash(''), `0x${'00'.repeat(32)}`],
  [() => utils.isValidName('a..eth'), false],
  [() => utils.dnsEncode('a.eth'), '0x01610365746800'],
  [() => utils.solidityPack(['int16', 'uint48'], [-1, 12]), '0xffff00000000000c'],
  [
    () => utils.solidityPack(['string', 'uint8', 'bool', 'bytes2'], ['Hi', 3, true, '0x1234']),
    '0x486903011234',
  ],
  [() => utils.solidityPack(['uint8[]'], [[1, 2]]).length, 130],
  [
    () => utils.solidityKeccak256(['int16', 'uint48'], [-1, 12]),
    '0x81da7abb5c9c7515f57dab2fc946f01217ab52f3bd8958bc36bd55894451a93c',
  ],
  [
    () => utils.soliditySha256(['string'], ['abc']),
    '0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  ],
  // Addresses.
  [() => utils.getAddress(A.toLowerCase()), A],
  [() => utils.getAddress('XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36'), A],
  [() => utils.getIcapAddress(A), 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36'],
  [() => utils.isAddress(A.slice(2)), true],
  [() => utils.isAddress(A.replace('D', 'd')), false],
  [() => utils.getContractAddress({ from: A, nonce: 5 }), '0x082B6aC9e47d7D83ea3FaBbD1eC7DAba9D687b36'],
  [
    () =>
      utils.getCreate2Address(
        A,
        '0x7c5ea36004851c764c44143b1dcb59679b11c9a68e5f41497f6cf3d480715331',
        utils.keccak256('0x6394198df16000526103ff60206004601c335afa6040516060f3'),
      ),
    '0x533ae9d683B10C02EbDb05471642F85230071FC3',
  ],
  [() => ethers.constants.AddressZero, `0x${'00'.repeat(20)}`],
  // Bytes.
  [() => utils.hexlify(1), '0x01'],
  [() => utils.hexlify([1, 2]), '0x0102'],
  [() => utils.hexlify(BigNumber.from(256)), '0x0100'],
  [() => utils.hexlify('0x1', { hexPad: 'left' }), '0x01'],
  [() => utils.hexlify(300n), '0x012c'],
  [() => utils.arrayify('0x1234'), '18,52'],
  [() => utils.arrayify(258), '1,2'],
  [() => utils.hexValue('0x000f'), '0xf'],
  [() => utils.hexConcat(['0x12', [0x34], '0x']), '0x1234'],
  [() => utils.hexZeroPad('0x12', 3), '0x000012'],
  [() => utils.hexStripZeros('0x000123'), '0x123'],
  [() => utils.hexDataSlice('0x12345678', 1, 3), '0x3456'],
  [() => utils.hexDataLength('0x1234'), 2],
  [() => utils.isHexString('0x12', 1), true],
  [() => utils.isBytesLike([1]), true],
  [() => utils.isBytes([1, 256]), false],
  [() => utils.concat(['0x01', [2, 3]]), '1,2,3'],
  [() => utils.stripZeros('0x0001'), '1'],
  [() => utils.zeroPad('0x01', 2), '0,1'],
  [() => utils.randomBytes(8).length, 8],
  [() => utils.shuffled([1, 2, 3]).sort(), '1,2,3'],
  [() => utils.base58.encode('0x12345678'), 'TzMhH'],
  [() => utils.hexlify(utils.base58.decode('TzMhH')), '0x12345678'],
  [() => utils.base64.encode('0x1234'), 'EjQ='],
  [() => utils.hexlify(utils.base64.decode('EjQ=')), '0x1234'],
  [() => utils.RLP.encode('0x12345678'), '0x8412345678'],
  [() => utils.RLP.encode(['0x12345678', []]), '0xc68412345678c0'],
  [() => JSON.stringify(utils.RLP.decode('0xc68412345678c0')), '["0x12345678",[]]'],
  [() => utils.RLP.encode('0x'), '0x80'],
  // Text.
  [() => utils.toUtf8Bytes('ü'), '195,188'],
  [() => utils.toUtf8String([0xe2, 0x82, 0xac]), '€'],
  [() => utils.toUtf8CodePoints('a😀'), '97,128512'],
  [() => utils.toUtf8String([0xff, 0x61], utils.Utf8ErrorFuncs.replace), '\ufffda'],
  [() => utils.toUtf8String([0xff, 0x61], utils.Utf8ErrorFuncs.ignore), 'a'],
  [() => utils._toEscapedUtf8String([0x22, 0x0a]), '"\\"\\n"'],
  [() => utils.formatBytes32String('testing'), `0x74657374696e67${'00'.repeat(25)}`],
  [() => utils.parseBytes32String(utils.formatBytes32String('testing')), 'testing'],
  [() => utils.nameprep('ÄB'), 'äb'],
  // Units.
  [() => utils.parseEther('1.0'), '1000000000000000000'],
  [() => utils.parseUnits('1.5', 6), '1500000'],
  [() => utils.parseUnits('121.0', 'gwei'), '121000000000'],
  [() => utils.parseUnits('-0.000001', 6), '-1'],
  [() => utils.formatEther('1000000000000000001'), '1.000000000000000001'],
  [() => utils.formatUnits(1_500_000, 6), '1.5'],
  [() => utils.formatUnits('1', 'gwei'), '0.000000001'],
  [() => utils.formatUnits(5, 0), '5'],
  [() => utils.commify('-1000.3000'), '-1,000.3'],
  // BigNumber.
  [() => BigNumber.from('0xff').add(1), '256'],
  [
    () =>
      BigNumber.from(2n ** 70n)
        .sub('1')
        .toString(),
    '1180591620717411303423',
  ],
  [() => BigNumber.from('-7').div(2), '-3'],
  [() => BigNumber.from('-7').mod(3), '2'],
  [() => BigNumber.from(2).pow(255).toHexString(), `0x80${'00'.repeat(31)}`],
  [() => BigNumber.from(-5).abs(), '5'],
  [() => BigNumber.from(-1).toTwos(8).toHexString(), '0xff'],
  [() => BigNumber.from('0xff').fromTwos(8), '-1'],
  [() => BigNumber.from(5).and(3).or(8).xor(1), '8'],
  [() => BigNumber.from(1).shl(9).shr(1), '256'],
  [() => BigNumber.from(0x1ff).mask(8), '255'],
  [
    () => [
      BigNumber.from(1).lt(2),
      BigNumber.from(1).gte(2),
      BigNumber.from(1).eq('0x01'),
      BigNumber.from(0).isZero(),
    ],
    'true,false,true,true',
  ],
  [() => BigNumber.from({ type: 'BigNumber', hex: '0x0a' }), '10'],
  [() => JSON.stringify(BigNumber.from(10)), '{"type":"BigNumber","hex":"0x0a"}'],
  [() => BigNumber.from(10).toBigInt(), '10'],
  [() => ethers.constants.MaxUint256.add(1).eq(BigNumber.from(2).pow(256)), true],
  // FixedNumber.
  [() => FixedNumber.from('1.5').addUnsafe(FixedNumber.from('2.25')), '3.75'],
  [() => FixedNumber.from('3.0').subUnsafe(FixedNumber.from('0.5')), '2.5'],
  [() => FixedNumber.from('1.5').mulUnsafe(FixedNumber.from('2.0')), '3.0'],
  [() => FixedNumber.from('3.0').divUnsafe(FixedNumber.from('2.0')), '1.5'],
  [() => FixedNumber.from('-1.5').floor(), '-2.0'],
  [() => FixedNumber.from('1.5').ceiling(), '2.0'],
  [() => FixedNumber.from('1.256').round(2), '1.26'],
  [() => FixedNumber.from('1.50', 'fixed128x2').format.name, 'fixed128x2'],
  [() => FixedNumber.fromValue(BigNumber.from(150), 2), '1.5'],
  // ABI.
  [() => utils.defaultAbiCoder.encode(['uint256', 'string'], [1, 'a']).length, 258],
  [
    () =>
      utils.defaultAbiCoder.decode(
        ['uint8', 'string', 'int8[2]'],
        utils.defaultAbiCoder.encode(['uint8', 'string', 'int8[2]'], [5, 'ü', [-1, 1]]),
      ),
    '5,ü,-1,1',
  ],
  [
    () =>
      utils.defaultAbiCoder.decode(
        ['tuple(uint256 a, bytes b)'],
        utils.defaultAbiCoder.encode(['tuple(uint256 a, bytes b)'], [{ a: 1, b: '0x12' }]),
      )[0].b,
    '0x12',
  ],
  [
    () => utils.Fragment.from('function f(uint256 a, tuple(address b) c) view returns (bool)').format('full'),
    'function f(uint256 a, tuple(address b) c) view returns (bool)',
  ],
  [() => utils.Fragment.from('event E(address indexed a, uint256 b)').format(), 'E(address,uint256)'],
  [() => utils.ParamType.from('uint256[3][]').arrayLength, -1],
  [() => ethers.version, 'ethers/5.8.0'],
];
for (const [compute, expected] of VALUES)
  test(() => assert_equals(String(compute()), String(expected)), String(compute).slice(6));

/** A code of an error, and the call that throws it. */
const ERRORS = [
  ['INVALID_ARGUMENT', () => utils.getAddress('0x12')],
  ['INVALID_ARGUMENT', () => utils.getAddress(A.replace('D', 'd'))],
  ['INVALID_ARGUMENT', () => utils.getAddress('XE66GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36')],
  ['INVALID_ARGUMENT', () => utils.arrayify('12')],
  ['INVALID_ARGUMENT', () => utils.hexlify({})],
  ['INVALID_ARGUMENT', () => utils.hexZeroPad('0x1234', 1)],
  ['INVALID_ARGUMENT', () => utils.toUtf8String([0xff])],
  ['INVALID_ARGUMENT', () => utils.parseUnits('x')],
  ['NUMERIC_FAULT', () => utils.parseUnits('1.0000001', 6)],
  ['INVALID_ARGUMENT', () => BigNumber.from('1.5')],
  ['INVALID_ARGUMENT', () => BigNumber.from('')],
  ['NUMERIC_FAULT', () => BigNumber.from(1.5)],
  ['NUMERIC_FAULT', () => BigNumber.from(2 ** 53)],
  ['NUMERIC_FAULT', () => BigNumber.from(1).div(0)],
  ['NUMERIC_FAULT', () => BigNumber.from(1).pow(-1)],
  ['NUMERIC_FAULT', () => BigNumber.from(2).pow(64).toNumber()],
  ['NUMERIC_FAULT', () => FixedNumber.from('1.555', 'fixed128x2')],
  ['INVALID_ARGUMENT', () => FixedNumber.from('1.5').addUnsafe(FixedNumber.from('1.5', 'fixed128x2'))],
  ['INVALID_ARGUMENT', () => utils.defaultAbiCoder.encode(['uint8'], [256])],
  ['INVALID_ARGUMENT', () => utils.defaultAbiCoder.encode(['address'], ['0x12'])],
  ['INVALID_ARGUMENT', () => utils.defaultAbiCoder.encode(['uint8', 'uint8'], [1])],
  ['BUFFER_OVERRUN', () => utils.defaultAbiCoder.decode(['uint256'], '0x12')],
  ['INVALID_ARGUMENT', () => new utils.Interface(['function f()']).getFunction('g')],
  ['INVALID_ARGUMENT', () => new utils.Interface(['function f()']).decodeFunctionData('f', '0x12345678')],
  ['UNSUPPORTED_OPERATION', () => utils.computeHmac('md5', '0x', '0x')],
  ['UNSUPPORTED_OPERATION', () => utils.serializeTransaction({ type: 5 })],
];
for (const [expected, run] of ERRORS) test(() => code(expected, run), `${expected}: ${String(run).slice(6)}`);
test(() => {
  try {
    utils.getAddress('0x12');
  } catch (error) {
    assert_equals(
      [error.reason, error.argument, error.value, error.code].join(),
      'invalid address,address,0x12,INVALID_ARGUMENT',
    );
    assert_true(error.message.includes('version=address/'));
  }
  const { errors } = utils.Logger;
  for (const name of ['CALL_EXCEPTION', 'INSUFFICIENT_FUNDS', 'NETWORK_ERROR', 'TRANSACTION_REPLACED'])
    assert_equals(errors[name], name);
}, 'errors of Logger');

const ABI = [
  'function transfer(address to, uint256 amount) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'error Poor(uint256 has)',
  'constructor(uint256 start)',
];
test(() => {
  const contract = new utils.Interface(ABI);
  const data = contract.encodeFunctionData('transfer', [A, 5]);
  assert_equals(data.slice(0, 10), '0xa9059cbb');
  assert_equals(contract.getSighash('transfer'), '0xa9059cbb');
  assert_equals(contract.decodeFunctionData('transfer', data).amount.toNumber(), 5);
  assert_true(
    contract.decodeFunctionResult('transfer', contract.encodeFunctionResult('transfer', [true]))[0],
  );
  assert_equals(
    contract.getEventTopic('Transfer'),
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  );
  const log = contract.encodeEventLog('Transfer', [A, A, 7]);
  const { name, args } = contract.parseLog(log);
  assert_equals([name, args.from, args.amount].join(), `Transfer,${A},7`);
  assert_equals(contract.encodeFilterTopics('Transfer', [null, A]).length, 3);
  assert_equals(contract.parseTransaction({ data }).signature, 'transfer(address,uint256)');
  assert_equals(contract.encodeDeploy([1]).length, 66);
  assert_equals(contract.parseError(contract.encodeErrorResult('Poor', [3])).args.has.toNumber(), 3);
  try {
    contract.decodeFunctionResult('transfer', contract.encodeErrorResult('Poor', [3]));
    assert_unreached();
  } catch (error) {
    assert_equals([error.code, error.errorName, error.errorArgs.has].join(), 'CALL_EXCEPTION,Poor,3');
  }
  assert_equals(contract.format('minimal')[0], 'function transfer(address,uint256) returns (bool)');
  assert_equals(JSON.parse(contract.format('json')).length, 4);
  assert_equals(new utils.Interface(contract.format('json')).getSighash('transfer'), '0xa9059cbb');
}, 'Interface');
test(() => {
  const copy = utils.deepCopy({ a: [1, { b: 2 }] });
  assert_equals(copy.a[1].b, 2);
  assert_true(Object.isFrozen(copy.a));
  assert_equals(utils.shallowCopy({ a: 1 }).a, 1);
  const target = {};
  utils.defineReadOnly(target, 'x', 1);
  assert_throws_js(TypeError, () => {
    target.x = 2;
  });
  assert_throws_js(Error, () => utils.checkProperties({ a: 1 }, { b: true }));
}, 'properties');
promise_test(async () => {
  const resolved = await utils.resolveProperties({ a: Promise.resolve(1), b: 2 });
  assert_equals(resolved.a + resolved.b, 3);
  let calls = 0;
  assert_equals(await utils.poll(async () => (++calls > 2 ? calls : undefined), { interval: 1 }), 3);
}, 'asynchronous utilities');
