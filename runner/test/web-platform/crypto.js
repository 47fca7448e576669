// https://w3c.github.io/webcrypto. The vectors are those of the RFCs and NIST publications named at each table.

const { subtle } = crypto;
const bytes = (hex) =>
  Uint8Array.from(hex.replaceAll(/\s/g, '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const ascii = (text) => new TextEncoder().encode(text);
const base64url = (data) =>
  btoa(String.fromCharCode(...data))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const rejects = (t, name, promise) => promise_rejects_dom(t, name, promise);

// Digests: FIPS 180-4 examples.
const DIGESTS = [
  ['SHA-1', '', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['SHA-1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['SHA-256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['SHA-256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'SHA-256',
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    'SHA-384',
    '',
    '38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b',
  ],
  [
    'SHA-384',
    'abc',
    'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7',
  ],
  [
    'SHA-512',
    '',
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
  ],
  [
    'SHA-512',
    'abc',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
];
for (const [name, text, expected] of DIGESTS) {
  promise_test(async () => {
    const data = ascii(text);
    for (const algorithm of [name, name.toLowerCase(), { name }])
      for (const input of [data, data.buffer, new DataView(data.buffer)])
        assert_equals(hex(await subtle.digest(algorithm, input)), expected);
  }, `${name} of "${text}"`);
  promise_test(async () => {
    const padded = new Uint8Array([1, 2, ...ascii(text), 3]);
    const promise = subtle.digest(name, padded.subarray(2, -1));
    padded.fill(0);
    assert_equals(hex(await promise), expected);
  }, `${name} of "${text}", changed after the call`);
}
promise_test(async (t) => {
  for (const bad of ['SHA-2', 'MD5', '', 'AES-CBC', { name: 'x' }])
    await rejects(t, 'NotSupportedError', subtle.digest(bad, new Uint8Array()));
  for (const bad of [{}, { name: Symbol('a') }])
    await promise_rejects_js(t, TypeError, subtle.digest(bad, new Uint8Array()));
  for (const bad of ['text', 1, null, undefined, {}, []])
    await promise_rejects_js(t, TypeError, subtle.digest('SHA-256', bad));
  await promise_rejects_js(t, TypeError, subtle.digest('SHA-256'));
}, 'arguments of digest');

// HMAC: RFC 4231, cases 1 to 4, 6.
const HMAC = [
  [
    '0b'.repeat(20),
    hex(ascii('Hi There')),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    'afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6',
    '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
  ],
  [
    hex(ascii('Jefe')),
    hex(ascii('what do ya want for nothing?')),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  ],
  [
    'aa'.repeat(20),
    'dd'.repeat(50),
    '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
    '88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27',
    'fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb',
  ],
];
for (const [key, data, ...macs] of HMAC)
  ['SHA-256', 'SHA-384', 'SHA-512'].forEach((hash, at) => {
    promise_test(
      async () => {
        const imported = await subtle.importKey('raw', bytes(key), { name: 'HMAC', hash }, false, [
          'sign',
          'verify',
        ]);
        assert_equals(hex(await subtle.sign('HMAC', imported, bytes(data))), macs[at]);
        assert_true(await subtle.verify('HMAC', imported, bytes(macs[at]), bytes(data)));
        for (const bad of [macs[at].replace(/^../, '00'), macs[at].slice(2), `${macs[at]}00`, ''])
          assert_false(await subtle.verify('HMAC', imported, bytes(bad), bytes(data)));
      },
      `HMAC with ${hash} of ${data.slice(0, 12)}`,
    );
  });

// AES: NIST SP 800-38A, F.2.1, F.2.5, F.5.1, F.5.5; GCM: the vectors of McGrew and Viega; key wrap: RFC 3394, 4.1 and 4.6.
const PLAIN = '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51';
const AES = [
  [
    'AES-CBC',
    '2b7e151628aed2a6abf7158809cf4f3c',
    { iv: '000102030405060708090a0b0c0d0e0f' },
    PLAIN,
    '7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2',
    true,
  ],
  [
    'AES-CBC',
    '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
    { iv: '000102030405060708090a0b0c0d0e0f' },
    PLAIN,
    'f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d',
    true,
  ],
  [
    'AES-CTR',
    '2b7e151628aed2a6abf7158809cf4f3c',
    { counter: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', length: 128 },
    PLAIN,
    '874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff',
  ],
  [
    'AES-CTR',
    '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
    { counter: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', length: 64 },
    PLAIN,
    '601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5',
  ],
  [
    'AES-GCM',
    '00000000000000000000000000000000',
    { iv: '000000000000000000000000' },
    '',
    '58e2fccefa7e3061367f1d57a4e7455a',
  ],
  [
    'AES-GCM',
    '00000000000000000000000000000000',
    { iv: '000000000000000000000000' },
    '00000000000000000000000000000000',
    '0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf',
  ],
  [
    'AES-GCM',
    'feffe9928665731c6d6a8f9467308308',
    { iv: 'cafebabefacedbaddecaf888', additionalData: 'feedfacedeadbeeffeedfacedeadbeefabaddad2' },
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47',
  ],
  [
    'AES-GCM',
    '0000000000000000000000000000000000000000000000000000000000000000',
    { iv: '000000000000000000000000' },
    '',
    '530f8afbc74536b9a963b4f1c4cb738b',
  ],
];
for (const [name, key, options, plain, encrypted, padded] of AES) {
  const params = Object.fromEntries(
    Object.entries(options).map(([option, value]) => [
      option,
      typeof value === 'string' ? bytes(value) : value,
    ]),
  );
  promise_test(
    async () => {
      const imported = await subtle.importKey('raw', bytes(key), name, false, ['encrypt', 'decrypt']);
      const result = hex(await subtle.encrypt({ name, ...params }, imported, bytes(plain)));
      // CBC of the Web Cryptography API adds a block of padding.
      assert_equals(padded ? result.slice(0, encrypted.length) : result, encrypted);
      assert_equals(hex(await subtle.decrypt({ name, ...params }, imported, bytes(result))), plain);
    },
    `${name} with ${key.length * 4} bits, ${plain.length / 2} bytes`,
  );
}
for (const tagLength of [96, 104, 112, 120, 128])
  promise_test(async (t) => {
    const key = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt', 'decrypt']);
    const params = { name: 'AES-GCM', iv: new Uint8Array(12), tagLength };
    const encrypted = await subtle.encrypt(params, key, ascii('abc'));
    assert_equals(encrypted.byteLength, 3 + tagLength / 8);
    assert_equals(hex(await subtle.decrypt(params, key, encrypted)), '616263');
    const changed = new Uint8Array(encrypted);
    changed[0] ^= 1;
    await rejects(t, 'OperationError', subtle.decrypt(params, key, changed));
    await rejects(
      t,
      'OperationError',
      subtle.decrypt({ ...params, additionalData: ascii('x') }, key, encrypted),
    );
    await rejects(
      t,
      'OperationError',
      subtle.decrypt({ ...params, iv: ascii('x'.repeat(12)) }, key, encrypted),
    );
  }, `AES-GCM with a tag of ${tagLength} bits`);
for (const tagLength of [32, 64])
  promise_test(async () => {
    const key = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
    const encrypted = await subtle.encrypt(
      { name: 'AES-GCM', iv: new Uint8Array(12), tagLength },
      key,
      ascii('abc'),
    );
    assert_equals(encrypted.byteLength, 3 + tagLength / 8);
  }, `AES-GCM with a tag of ${tagLength} bits`);
for (const [kek, data, wrapped] of [
  [
    '000102030405060708090a0b0c0d0e0f',
    '00112233445566778899aabbccddeeff',
    '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5',
  ],
  [
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f',
    '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
  ],
])
  promise_test(
    async (t) => {
      const key = await subtle.importKey('raw', bytes(kek), 'AES-KW', false, ['wrapKey', 'unwrapKey']);
      const inner = await subtle.importKey('raw', bytes(data), 'AES-CBC', true, ['encrypt']);
      assert_equals(hex(await subtle.wrapKey('raw', inner, key, 'AES-KW')), wrapped);
      const unwrapped = await subtle.unwrapKey('raw', bytes(wrapped), key, 'AES-KW', 'AES-CBC', true, [
        'encrypt',
      ]);
      assert_equals(hex(await subtle.exportKey('raw', unwrapped)), data);
      await rejects(
        t,
        'OperationError',
        subtle.unwrapKey('raw', bytes(wrapped.replace(/^../, '00')), key, 'AES-KW', 'AES-CBC', true, [
          'encrypt',
        ]),
      );
    },
    `AES-KW with ${kek.length * 4} bits`,
  );
promise_test(async (t) => {
  const key = await subtle.generateKey({ name: 'AES-CBC', length: 128 }, false, ['encrypt', 'decrypt']);
  const params = { name: 'AES-CBC', iv: new Uint8Array(16) };
  for (const length of [0, 1, 15, 16, 17])
    assert_equals(
      (await subtle.encrypt(params, key, new Uint8Array(length))).byteLength,
      (Math.floor(length / 16) + 1) * 16,
    );
  for (const length of [0, 15, 17])
    await rejects(
      t,
      'OperationError',
      subtle.encrypt({ ...params, iv: new Uint8Array(length) }, key, new Uint8Array()),
    );
  for (const length of [0, 15])
    await rejects(t, 'OperationError', subtle.decrypt(params, key, new Uint8Array(length)));
  await promise_rejects_js(t, TypeError, subtle.encrypt({ name: 'AES-CBC' }, key, new Uint8Array()));
  await rejects(
    t,
    'InvalidAccessError',
    subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }, key, new Uint8Array()),
  );
}, 'padding and errors of AES-CBC');
promise_test(async (t) => {
  const key = await subtle.generateKey({ name: 'AES-CTR', length: 256 }, false, ['encrypt']);
  for (const [size, length] of [
    [15, 64],
    [16, 0],
    [16, 129],
  ])
    await rejects(
      t,
      'OperationError',
      subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(size), length }, key, new Uint8Array(1)),
    );
}, 'errors of AES-CTR');
promise_test(async (t) => {
  const key = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
  for (const tagLength of [0, 16, 97, 136])
    await rejects(
      t,
      'OperationError',
      subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12), tagLength }, key, new Uint8Array(1)),
    );
}, 'errors of AES-GCM');

// HKDF: RFC 5869, cases 1 and 3. PBKDF2: RFC 7914, section 11, and the vectors of RFC 6070.
for (const [ikm, salt, info, length, okm] of [
  [
    '0b'.repeat(22),
    '000102030405060708090a0b0c',
    'f0f1f2f3f4f5f6f7f8f9',
    42,
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  ],
  [
    '0b'.repeat(22),
    '',
    '',
    42,
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  ],
])
  promise_test(async () => {
    const key = await subtle.importKey('raw', bytes(ikm), 'HKDF', false, ['deriveBits', 'deriveKey']);
    const params = { name: 'HKDF', hash: 'SHA-256', salt: bytes(salt), info: bytes(info) };
    assert_equals(hex(await subtle.deriveBits(params, key, length * 8)), okm);
    const derived = await subtle.deriveKey(params, key, { name: 'AES-GCM', length: 256 }, true, ['encrypt']);
    assert_equals(hex(await subtle.exportKey('raw', derived)), okm.slice(0, 64));
  }, `HKDF with the salt "${salt}"`);
for (const [hash, password, salt, iterations, expected] of [
  ['SHA-1', 'password', 'salt', 1, '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
  ['SHA-1', 'password', 'salt', 4096, '4b007901b765489abead49d926f721d065a429c1'],
  [
    'SHA-256',
    'passwd',
    'salt',
    1,
    '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
  ],
])
  promise_test(async (t) => {
    const key = await subtle.importKey('raw', ascii(password), 'PBKDF2', false, ['deriveBits', 'deriveKey']);
    const params = { name: 'PBKDF2', hash, salt: ascii(salt), iterations };
    assert_equals(hex(await subtle.deriveBits(params, key, Math.floor(expected.length / 2) * 8)), expected);
    await rejects(t, 'OperationError', subtle.deriveBits({ ...params, iterations: 0 }, key, 128));
    await rejects(t, 'OperationError', subtle.deriveBits(params, key, 127));
    await rejects(t, 'OperationError', subtle.deriveBits(params, key, null));
  }, `PBKDF2 with ${hash} and ${iterations} iterations`);

// X25519: RFC 7748, 6.1. Ed25519: RFC 8032, 7.1, tests 1 to 3.
const pkcs8 = (oid, key) => bytes(`302e020100300506032b65${oid}04220420${key}`);
promise_test(async (t) => {
  const ALICE = '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a';
  const BOB = '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb';
  const SHARED = '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742';
  const secret = await subtle.importKey('pkcs8', pkcs8('6e', BOB), 'X25519', true, [
    'deriveBits',
    'deriveKey',
  ]);
  const other = await subtle.importKey('raw', bytes(ALICE), 'X25519', true, []);
  const params = { name: 'X25519', public: other };
  assert_equals(hex(await subtle.deriveBits(params, secret, 256)), SHARED);
  assert_equals(hex(await subtle.deriveBits(params, secret, null)), SHARED);
  assert_equals(hex(await subtle.deriveBits(params, secret)), SHARED);
  assert_equals(hex(await subtle.deriveBits(params, secret, 128)), SHARED.slice(0, 32));
  const key = await subtle.deriveKey(params, secret, { name: 'AES-CBC', length: 256 }, true, ['encrypt']);
  assert_equals(hex(await subtle.exportKey('raw', key)), SHARED);
  await rejects(t, 'OperationError', subtle.deriveBits(params, secret, 264));
  await rejects(t, 'InvalidAccessError', subtle.deriveBits({ name: 'X25519', public: secret }, secret, 256));
  const jwk = await subtle.exportKey('jwk', secret);
  assert_equals([jwk.kty, jwk.crv, jwk.d].join(), `OKP,X25519,${base64url(bytes(BOB))}`);
  assert_equals(hex(await subtle.exportKey('pkcs8', secret)), hex(pkcs8('6e', BOB)));
  assert_equals(hex(await subtle.exportKey('spki', other)), `302a300506032b656e032100${ALICE}`);
}, 'X25519');
promise_test(async (t) => {
  const secret = await subtle.generateKey('X25519', false, ['deriveBits']);
  const zero = await subtle.importKey('raw', new Uint8Array(32), 'X25519', true, []);
  await rejects(
    t,
    'OperationError',
    subtle.deriveBits({ name: 'X25519', public: zero }, secret.privateKey, 256),
  );
}, 'X25519 refuses a point of small order');
const ED25519 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
];
for (const [secret, open, message, signature] of ED25519)
  promise_test(async () => {
    const privateKey = await subtle.importKey('pkcs8', pkcs8('70', secret), 'Ed25519', true, ['sign']);
    const publicKey = await subtle.importKey('raw', bytes(open), 'Ed25519', true, ['verify']);
    assert_equals(hex(await subtle.sign('Ed25519', privateKey, bytes(message))), signature);
    assert_true(await subtle.verify('Ed25519', publicKey, bytes(signature), bytes(message)));
    for (const bad of [signature.replace(/^../, '00'), signature.slice(2), ''])
      assert_false(await subtle.verify('Ed25519', publicKey, bytes(bad), bytes(message)));
    assert_false(await subtle.verify('Ed25519', publicKey, bytes(signature), bytes(`${message}00`)));
    const jwk = await subtle.exportKey('jwk', privateKey);
    assert_equals([jwk.kty, jwk.crv, jwk.x].join(), `OKP,Ed25519,${base64url(bytes(open))}`);
    assert_equals(hex(await subtle.exportKey('spki', publicKey)), `302a300506032b6570032100${open}`);
    assert_equals(hex(await subtle.exportKey('pkcs8', privateKey)), hex(pkcs8('70', secret)));
  }, `Ed25519 of "${message}"`);

// ECDSA: RFC 6979, A.2.5 and A.2.6, message "sample". ECDH: RFC 5903, 8.1.
const EC = [
  [
    'P-256',
    'SHA-256',
    'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721',
    '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
    '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
    'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  ],
  [
    'P-384',
    'SHA-384',
    '6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5',
    'ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13',
    '8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720',
    '94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe4699ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8',
  ],
];
for (const [namedCurve, hash, d, x, y, signature] of EC) {
  const jwk = { kty: 'EC', crv: namedCurve, x: base64url(bytes(x)), y: base64url(bytes(y)) };
  const algorithm = { name: 'ECDSA', namedCurve };
  promise_test(async () => {
    const publicKey = await subtle.importKey('raw', bytes(`04${x}${y}`), algorithm, true, ['verify']);
    assert_true(await subtle.verify({ name: 'ECDSA', hash }, publicKey, bytes(signature), ascii('sample')));
    assert_false(await subtle.verify({ name: 'ECDSA', hash }, publicKey, bytes(signature), ascii('other')));
    for (const bad of [signature.slice(2), `${signature}00`, '00'.repeat(signature.length / 2), ''])
      assert_false(await subtle.verify({ name: 'ECDSA', hash }, publicKey, bytes(bad), ascii('sample')));
  }, `ECDSA verifies with ${namedCurve}`);
  promise_test(async () => {
    const privateKey = await subtle.importKey('jwk', { ...jwk, d: base64url(bytes(d)) }, algorithm, true, [
      'sign',
    ]);
    const publicKey = await subtle.importKey('jwk', jwk, algorithm, true, ['verify']);
    for (const hash of ['SHA-256', 'SHA-384']) {
      const made = await subtle.sign({ name: 'ECDSA', hash }, privateKey, ascii('x'));
      assert_equals(made.byteLength, signature.length / 2);
      assert_true(await subtle.verify({ name: 'ECDSA', hash }, publicKey, made, ascii('x')));
    }
    const again = await subtle.importKey(
      'pkcs8',
      await subtle.exportKey('pkcs8', privateKey),
      algorithm,
      true,
      ['sign'],
    );
    assert_equals((await subtle.exportKey('jwk', again)).d, base64url(bytes(d)));
    const open = await subtle.importKey(
      'spki',
      await subtle.exportKey('spki', publicKey),
      algorithm,
      true,
      [],
    );
    assert_equals(hex(await subtle.exportKey('raw', open)), `04${x}${y}`);
    const exported = await subtle.exportKey('jwk', publicKey);
    assert_equals(
      [exported.kty, exported.crv, exported.x, exported.y, exported.ext].join(),
      ['EC', namedCurve, jwk.x, jwk.y, true].join(),
    );
    assert_array_equals(exported.key_ops, ['verify']);
  }, `ECDSA signs with ${namedCurve}, and its formats`);
  for (const [what, bad] of Object.entries({
    curve: { crv: 'P-521' },
    type: { kty: 'RSA' },
    x: { x: 'AA' },
    'missing y': { y: undefined },
    use: { use: 'enc' },
    operations: { key_ops: ['sign'] },
    ext: { ext: false },
  }))
    promise_test(
      (t) =>
        rejects(t, 'DataError', subtle.importKey('jwk', { ...jwk, ...bad }, algorithm, true, ['verify'])),
      `a JWK of ${namedCurve} with another ${what}`,
    );
  promise_test(async (t) => {
    await rejects(t, 'DataError', subtle.importKey('raw', bytes(`04${x}${x}`), algorithm, true, ['verify']));
    await rejects(t, 'DataError', subtle.importKey('raw', bytes(`04${x}`), algorithm, true, ['verify']));
    await rejects(t, 'DataError', subtle.importKey('raw', new Uint8Array(), algorithm, true, ['verify']));
    await rejects(t, 'SyntaxError', subtle.importKey('raw', bytes(`04${x}${y}`), algorithm, true, ['sign']));
  }, `malformed points of ${namedCurve}`);
}
promise_test(async (t) => {
  const at = (x, y) => ({ kty: 'EC', crv: 'P-256', x: base64url(bytes(x)), y: base64url(bytes(y)) });
  const mine = at(
    'dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180',
    '5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3',
  );
  const theirs = at(
    'd12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63',
    '56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab',
  );
  const d = base64url(bytes('c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433'));
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' };
  const secret = await subtle.importKey('jwk', { ...mine, d }, algorithm, false, ['deriveBits']);
  const open = await subtle.importKey('jwk', theirs, algorithm, true, []);
  assert_equals(
    hex(await subtle.deriveBits({ name: 'ECDH', public: open }, secret, 256)),
    'd6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de',
  );
  const other = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-384' }, false, ['deriveBits']);
  await rejects(
    t,
    'InvalidAccessError',
    subtle.deriveBits({ name: 'ECDH', public: other.publicKey }, secret, 256),
  );
  await rejects(t, 'OperationError', subtle.deriveBits({ name: 'ECDH', public: open }, secret, 264));
}, 'ECDH');

/** A key, its signatures of "abc" and a ciphertext with the label "label", all made by OpenSSL. */
const RSA = {
  jwk: {
    kty: 'RSA',
    n:
      'pdCw8kLUYsBvHeNM0_dAmiHx2LFgKYg9ykUIFAp-R_p2ifNlovAFkrOXOPJXKhqYzcf20M62VSdGukX7Yv_FLnPOwry8JYeW' +
      'n_FV3WkjPTOLGMFgG1IG2TvsgW7-PGlaB5-RWfnA9-Gt-lX9EnQMs-NAJ1o2MrXmDtykGsivXUm7-VwVmhJ9OspsugTpO7B-' +
      'vX1OugTfcdHLMKnsaF5noNfXmzeH7ayGuM09G9S-cXb-8dukyVRYCHzoJ3MxjsIYXAIKSpIu7yOWw6xyiYRhuIVZ2qlpudHu' +
      'wIN48-A2C7n6DNK0pbSuRxSnXwn4NUXq88OFTICetHamhuYN__LZ9w',
    e: 'AQAB',
    d:
      'CrJ_9-Ef2o8XnBIB7trQrCDsfVJUJdnIQrhZYRGcPACIjTXKpMxfT6uOYfogbXLx0LTJ04bCdJPoGDRTl3twuSJ3gFC0wqcQ' +
      'rJjhNTuHLneYzawMCzcrgfA_vcnvVO5nBH7i3a8jJ9rDYpcRkJM0DpbmmKNVQ8hAY00QuTmhNp9khPWAeaTo9Ax164oLLdg-' +
      'M05r8t9TO4_RQ5zqNovlJxXPndLdPC7KVWUyHEFgD2SpDvo3_5mw-5KkECANeoP8dzgjlAvicrtx1glZbxxmRtvT6txsmkb_' +
      '7RGaD-NIPVYzxrw06yCkNseS0lhcbdpf40PsV0bFtzAvTftap_vEgQ',
    p:
      '2eoFpOrFlK5-MerlMvgmACk_Q3nLEnozqsRjLct_bs6ST-rqA9GEt7YbQmaV0iDn10zFjzp_GsIAyajsS7nZ_U_fKJMHGKrQ' +
      'q2z1LhRF2EGCXa4uTqkLD7arCInP2lCLUo6F2OslSjJngXctazx-MesBa8bk0P3mkbehzS-pFTE',
    q:
      'wsuklRDSM1QF375qJLYiWRDvYC7U640cBJrjVYhmIopnCBL31geRQNS06mSgRC9VujHYYvM91Q4Tg1JwwszTVqzqw-pvz2M1' +
      '0k2P0ls36edDPaVQwQwy_7sKJEZhPmNcHpizU-XRjM3346uav3TbPDRdXtaOLjrtqObXOhKAt6c',
    dp:
      'UkIv3UAuU2DHDErSODpKBfeMBQmdqZztkgHOOoQ913Ms8fQIYGafxcV9ZsRYu9hmC_TUAqwfPNeM-pLEmBVQ_3k-EQ_nNt2M' +
      'JZnct4c5klewQXK10kWngkf_KhrzlkKfRQu95NNm4SpDvjBhucA9FtTSVX_f8jBV8B20e0MJfZE',
    dq:
      'N-u6PcjsbyvJ2-eQFSXsSmFgNt565XxG9NN6O83CdFwDJAA-AcV-X3wwy7FDiQ-FrsQseIuXzpgR5fs-v82JRjKx2rhsjL7Q' +
      'bqUxipQBQzbOyN2yhxj3cw7A5JUHyZ9AjNANeyJYu_FNHqDe9eOYJHpr65PwkTj9jSVn2BYDubU',
    qi:
      'yyDJv41neL2ZoUfHu4aUk5bk7ysLphkrhy2oduE4T5u8p5LYuYwgYfkhrwOAvD5ief5gnkpMXQjGWAHSNRoWx7xuBYmpE5d3' +
      'DDWE_r9yGudZz5YhqTebtRBWN0DTg5nMS537-Fv_XRPiFNoK38qbKoSZTNxveFeCFIzBIwXsoW8',
  },
  pkcs1:
    'djlbhuzlxsAiIcIMBzGZ7CDhq7nXQdqbSM8GcKDGhLeAs9jf9VLPJUZ2__ey5SBjvO-SIwWQEBqHKl6wh8iz0OZsmhvH9hqX' +
    'zy_QkueDpbm_yYIr4aQwy9ynNaflOlO36m-2cVF_PD3fXAo3Dg1P3bwOG13UFvxEEMvHdW1XnD0LLJm1ZkoA7mrcBF7lfUp0' +
    'Yd0j9VIwOwSstKYCDzKC8fmU0Uno5-6Jpat7hvXxJkTPOiERd1fg0Aagii6xDcelR3UOHNaPaBA8BSAWqme0PvqZdvg5VjjS' +
    'wq5r-k_PmHFpv-FjULOIZNIbp7UmAonrggSd0r1yvCx2bFMukhNS6Q',
  pss:
    'DR12N_1QtPHs9vU3aFIvd5NbGjp3Ug9R75bR7NY84pZMheRzTSSshU2fu7LMqbM7V9LNdPWL60lKpLF5UAfVj0r4FZLIYASx' +
    '9lSKIMsP_1d2iKsRUpFFqVI6CJdrXjTqLz3obt1dB8qz2XiTd7WB2sR_KZrCW2NJo1NE3mc7wPWxwzuIxRmZB1k6SdNLu44f' +
    'j2e1YWcIlFU_9AXn-8Xd5e7YX14x32CqKb2znEtPH997KShbhvsJoCnrbtV7ZanscwJ4xaCDgAkXgNePLIO-NPfkM9rp-wcL' +
    'sMrvvf6eDyQOTe6Z9o9Pv96YZ8NmdbJBW37yZ0QrXfGTaPptHE1iEA',
  oaep:
    'Yrp38RU3hmalHv3BkHt29RYStFOhzxNPb-kvZ0Bjp-UVBFUAM6EOfdQ4YR6FzKcevk0K3MIqRAFF_vY9_NkvqfdWjwy17AHV' +
    'dhASR_xOcoItfuBdEzlHbudXgFLbjxMtueMixUqu_cOudTrYBq0aJqVdIxYIUa2IRotW4lCiuFDWUeXSy-Ffu-5VDgVPQbYQ' +
    'Sz27WZOnIQlIDCYmKBvoXZ8pPssK-itTFgepNjdpC54fkvXBd9UFYaMdWqk15wVKKzz-Ab7g83Ni2910U3Qg-i-lzTPHLRwf' +
    'B_pQwH2gONFMgCASAbw_ySeZr1S696MbghZzCjc3bIK7EQiJ6_HcNQ',
};
const RSA_PUBLIC = { kty: 'RSA', n: RSA.jwk.n, e: RSA.jwk.e };
const unbase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const rsaKeys = (name, uses, hash = 'SHA-256') =>
  Promise.all([
    subtle.importKey('jwk', RSA.jwk, { name, hash }, true, [uses[0]]),
    subtle.importKey('jwk', RSA_PUBLIC, { name, hash }, true, [uses[1]]),
  ]);
for (const [name, params, signature] of [
  ['RSASSA-PKCS1-v1_5', {}, RSA.pkcs1],
  ['RSA-PSS', { saltLength: 32 }, RSA.pss],
])
  promise_test(async () => {
    const [privateKey, publicKey] = await rsaKeys(name, ['sign', 'verify']);
    const made = await subtle.sign({ name, ...params }, privateKey, ascii('abc'));
    if (name !== 'RSA-PSS') assert_equals(base64url(new Uint8Array(made)), signature);
    for (const each of [made, unbase64url(signature)])
      assert_true(await subtle.verify({ name, ...params }, publicKey, each, ascii('abc')));
    assert_false(await subtle.verify({ name, ...params }, publicKey, made, ascii('abd')));
    assert_false(await subtle.verify({ name, ...params }, publicKey, new Uint8Array(256), ascii('abc')));
    assert_false(await subtle.verify({ name, ...params }, publicKey, new Uint8Array(1), ascii('abc')));
  }, `${name} signs and verifies`);
promise_test(async (t) => {
  const [privateKey, publicKey] = await rsaKeys('RSA-OAEP', ['decrypt', 'encrypt']);
  const params = { name: 'RSA-OAEP', label: ascii('label') };
  assert_equals(hex(await subtle.decrypt(params, privateKey, unbase64url(RSA.oaep))), '616263');
  assert_equals(
    hex(await subtle.decrypt(params, privateKey, await subtle.encrypt(params, publicKey, ascii('xyz')))),
    hex(ascii('xyz')),
  );
  await rejects(t, 'OperationError', subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, unbase64url(RSA.oaep)));
  await rejects(t, 'OperationError', subtle.encrypt(params, publicKey, new Uint8Array(191)));
  assert_equals((await subtle.encrypt(params, publicKey, new Uint8Array(190))).byteLength, 256);
}, 'RSA-OAEP encrypts and decrypts');
for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
  promise_test(async () => {
    const [privateKey, publicKey] = await rsaKeys('RSA-PSS', ['sign', 'verify'], hash);
    const params = { name: 'RSA-PSS', saltLength: 20 };
    assert_true(
      await subtle.verify(params, publicKey, await subtle.sign(params, privateKey, ascii('m')), ascii('m')),
    );
    const { algorithm } = publicKey;
    assert_equals(
      [algorithm.name, algorithm.modulusLength, algorithm.hash.name, hex(algorithm.publicExponent)].join(),
      `RSA-PSS,2048,${hash},010001`,
    );
    const exported = await subtle.exportKey('jwk', publicKey);
    assert_equals(exported.alg, `PS${hash === 'SHA-1' ? '1' : hash.slice(4)}`);
    assert_equals(exported.n, RSA.jwk.n);
  }, `RSA-PSS with ${hash}`);
promise_test(async () => {
  const [privateKey, publicKey] = await rsaKeys('RSASSA-PKCS1-v1_5', ['sign', 'verify']);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const again = await subtle.importKey(
    'pkcs8',
    await subtle.exportKey('pkcs8', privateKey),
    algorithm,
    true,
    ['sign'],
  );
  const jwk = await subtle.exportKey('jwk', again);
  for (const part of ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'])
    assert_equals(jwk[part], RSA.jwk[part], part);
  const open = await subtle.importKey('spki', await subtle.exportKey('spki', publicKey), algorithm, true, [
    'verify',
  ]);
  assert_equals((await subtle.exportKey('jwk', open)).n, RSA.jwk.n);
}, 'formats of RSA keys');

// Keys.
/** Algorithm, usages of the secret or private key, and of the public key. */
const GENERATED = [
  [{ name: 'AES-CBC', length: 128 }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']],
  [{ name: 'AES-CTR', length: 192 }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']],
  [{ name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']],
  [{ name: 'AES-KW', length: 256 }, ['wrapKey', 'unwrapKey']],
  [{ name: 'HMAC', hash: 'SHA-256' }, ['sign', 'verify']],
  [{ name: 'HMAC', hash: 'SHA-512', length: 256 }, ['sign', 'verify']],
  [{ name: 'ECDSA', namedCurve: 'P-256' }, ['sign'], ['verify']],
  [{ name: 'ECDSA', namedCurve: 'P-384' }, ['sign'], ['verify']],
  [{ name: 'ECDSA', namedCurve: 'P-521' }, ['sign'], ['verify']],
  [{ name: 'ECDH', namedCurve: 'P-256' }, ['deriveKey', 'deriveBits'], []],
  [{ name: 'ECDH', namedCurve: 'P-384' }, ['deriveKey', 'deriveBits'], []],
  [{ name: 'ECDH', namedCurve: 'P-521' }, ['deriveKey', 'deriveBits'], []],
  [{ name: 'Ed25519' }, ['sign'], ['verify']],
  [{ name: 'X25519' }, ['deriveKey', 'deriveBits'], []],
];
promise_test(
  (t) => promise_rejects_js(t, TypeError, subtle.generateKey({ name: 'Ed25519' }, true, ['bad'])),
  'an unknown usage is refused',
);
const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
for (const [algorithm, own, open] of GENERATED) {
  const label = `${algorithm.name} ${algorithm.length ?? algorithm.namedCurve ?? ''}`.trim();
  promise_test(async () => {
    for (const extractable of [true, false]) {
      const made = await subtle.generateKey(algorithm, extractable, [...own, ...(open ?? [])]);
      const key = open ? made.privateKey : made;
      assert_true(key instanceof CryptoKey);
      assert_equals(Object.prototype.toString.call(key), '[object CryptoKey]');
      assert_equals(key.type, open ? 'private' : 'secret');
      assert_equals(key.extractable, extractable);
      assert_array_equals([...key.usages].sort(), [...own].sort());
      assert_equals(key.algorithm.name, algorithm.name);
      if (algorithm.name !== 'HMAC' && algorithm.length)
        assert_equals(key.algorithm.length, algorithm.length);
      assert_equals(key.algorithm.namedCurve, algorithm.namedCurve);
      if (!open) continue;
      assert_equals(made.publicKey.type, 'public');
      assert_true(made.publicKey.extractable);
      assert_array_equals(made.publicKey.usages, open);
    }
  }, `generateKey ${label}`);
  promise_test(async (t) => {
    for (const usage of USAGES.filter((each) => !own.includes(each) && !open?.includes(each)))
      await rejects(t, 'SyntaxError', subtle.generateKey(algorithm, true, [...own, usage]));
    await rejects(t, 'SyntaxError', subtle.generateKey(algorithm, true, []));
  }, `usages of ${label}`);
  promise_test(async (t) => {
    const made = await subtle.generateKey(algorithm, true, [...own, ...(open ?? [])]);
    const key = open ? made.privateKey : made;
    for (const format of open ? ['pkcs8', 'jwk'] : ['raw', 'jwk']) {
      const data = await subtle.exportKey(format, key);
      const again = await subtle.importKey(format, data, algorithm, true, own);
      assert_equals(
        JSON.stringify(await subtle.exportKey('jwk', again)),
        JSON.stringify(await subtle.exportKey('jwk', key)),
        format,
      );
    }
    for (const format of open ? ['raw', 'spki'] : ['pkcs8', 'spki'])
      await promise_rejects_dom(
        t,
        open ? 'InvalidAccessError' : 'NotSupportedError',
        subtle.exportKey(format, key),
      );
    const jwk = await subtle.exportKey('jwk', key);
    const locked = await subtle.importKey('jwk', jwk, algorithm, false, own);
    for (const format of ['jwk', 'raw', 'pkcs8']) {
      const error = await subtle.exportKey(format, locked).catch((error) => error.name);
      assert_in_array(error, ['InvalidAccessError', 'NotSupportedError'], format);
    }
    await promise_rejects_js(t, TypeError, subtle.exportKey('bad', key));
  }, `formats of ${label}`);
}
for (const [algorithm, name] of [
  [{ name: 'AES-CBC', length: 127 }, 'OperationError'],
  [{ name: 'AES-GCM', length: 0 }, 'OperationError'],
  [{ name: 'ECDSA', namedCurve: 'P-1' }, 'NotSupportedError'],
  [{ name: 'HMAC', hash: 'MD5' }, 'NotSupportedError'],
  [{ name: 'HMAC', hash: 'SHA-256', length: 0 }, 'OperationError'],
  [{ name: 'PBKDF2' }, 'NotSupportedError'],
  [{ name: 'SHA-256' }, 'NotSupportedError'],
  [{ name: 'none' }, 'NotSupportedError'],
])
  promise_test(
    (t) =>
      rejects(t, name, subtle.generateKey(algorithm, true, ['sign'])).catch((error) =>
        // Usages may be checked first.
        rejects(t, name, subtle.generateKey(algorithm, true, ['encrypt'])).catch(() => {
          throw error;
        }),
      ),
    `generateKey ${JSON.stringify(algorithm)} is refused`,
  );
for (const [format, data, algorithm, usages, name] of [
  ['raw', new Uint8Array(15), 'AES-CBC', ['encrypt'], 'DataError'],
  ['raw', new Uint8Array(0), { name: 'HMAC', hash: 'SHA-256' }, ['sign'], 'DataError'],
  ['raw', new Uint8Array(16), 'AES-CBC', [], 'SyntaxError'],
  ['raw', new Uint8Array(16), 'AES-CBC', ['sign'], 'SyntaxError'],
  ['pkcs8', new Uint8Array(16), 'AES-CBC', ['encrypt'], 'NotSupportedError'],
  ['raw', new Uint8Array(1), 'PBKDF2', ['encrypt'], 'SyntaxError'],
  ['raw', new Uint8Array(31), 'Ed25519', ['verify'], 'DataError'],
  ['pkcs8', new Uint8Array(48), 'Ed25519', ['sign'], 'DataError'],
  ['spki', new Uint8Array(44), { name: 'ECDSA', namedCurve: 'P-256' }, ['verify'], 'DataError'],
  ['spki', new Uint8Array(1), { name: 'RSA-PSS', hash: 'SHA-256' }, ['verify'], 'DataError'],
  ['jwk', { kty: 'oct', k: 'AA' }, 'AES-CBC', ['encrypt'], 'DataError'],
  ['jwk', { kty: 'RSA', k: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'AES-CBC', ['encrypt'], 'DataError'],
  ['jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A256CBC' }, 'AES-CBC', ['encrypt'], 'DataError'],
  ['jwk', { kty: 'oct', k: '!' }, { name: 'HMAC', hash: 'SHA-256' }, ['sign'], 'DataError'],
])
  promise_test(
    (t) => rejects(t, name, subtle.importKey(format, data, algorithm, true, usages)),
    `importKey ${format} ${JSON.stringify(algorithm)} ${JSON.stringify(data)} ${usages} is refused`,
  );
promise_test(async (t) => {
  await promise_rejects_js(
    t,
    TypeError,
    subtle.importKey('raw', { kty: 'oct' }, 'AES-CBC', true, ['encrypt']),
  );
  await promise_rejects_js(
    t,
    TypeError,
    subtle.importKey('jwk', new Uint8Array(16), 'AES-CBC', true, ['encrypt']),
  );
  await promise_rejects_js(
    t,
    TypeError,
    subtle.importKey('bad', new Uint8Array(16), 'AES-CBC', true, ['encrypt']),
  );
  await promise_rejects_js(t, TypeError, subtle.sign('HMAC', {}, new Uint8Array()));
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  await rejects(t, 'InvalidAccessError', subtle.verify('HMAC', key, new Uint8Array(), new Uint8Array()));
  await rejects(t, 'InvalidAccessError', subtle.exportKey('raw', key));
  assert_throws_js(TypeError, () => new CryptoKey());
  assert_throws_js(TypeError, () => {
    key.type = 'public';
  });
  assert_equals(key.usages, key.usages);
  assert_equals(key.algorithm, key.algorithm);
}, 'a key is used for its algorithm and usages');
promise_test(async (t) => {
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  await rejects(t, 'NotSupportedError', subtle.encrypt('HMAC', key, new Uint8Array()));
}, 'an algorithm is used for its operations');
for (const format of ['raw', 'jwk'])
  promise_test(async () => {
    const wrapping = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'wrapKey',
      'unwrapKey',
    ]);
    const inner = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    const params = { name: 'AES-GCM', iv: new Uint8Array(12) };
    const wrapped = await subtle.wrapKey(format, inner, wrapping, params);
    const again = await subtle.unwrapKey(
      format,
      wrapped,
      wrapping,
      params,
      { name: 'HMAC', hash: 'SHA-256' },
      true,
      ['sign'],
    );
    assert_equals(hex(await subtle.exportKey('raw', again)), hex(await subtle.exportKey('raw', inner)));
  }, `wrapKey of ${format}`);

// Random values.
for (const name of [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
])
  test(() => {
    const array = new globalThis[name](32);
    assert_equals(crypto.getRandomValues(array), array);
    assert_true(array.some((value) => BigInt(value) !== 0n));
    assert_equals(crypto.getRandomValues(new globalThis[name](0)).length, 0);
    const part = new globalThis[name](new ArrayBuffer(64), 16, 2);
    crypto.getRandomValues(part);
    assert_true(new Uint8Array(part.buffer, 0, 16).every((value) => value === 0));
  }, `getRandomValues of ${name}`);
for (const name of ['Float16Array', 'Float32Array', 'Float64Array'])
  test(
    () => assert_throws_dom('TypeMismatchError', () => crypto.getRandomValues(new globalThis[name](1))),
    `getRandomValues refuses ${name}`,
  );
test(() => {
  assert_throws_dom('TypeMismatchError', () => crypto.getRandomValues(new DataView(new ArrayBuffer(1))));
  assert_throws_js(TypeError, () => crypto.getRandomValues());
}, 'getRandomValues takes arrays of integers');
test(() => {
  for (const bad of [new ArrayBuffer(1), [], 1, undefined, null])
    assert_throws_js(TypeError, () => crypto.getRandomValues(bad));
}, 'getRandomValues takes only views');
test(() => {
  assert_equals(crypto.getRandomValues(new Uint8Array(65_536)).length, 65_536);
  for (const array of [new Uint8Array(65_537), new Uint32Array(16_385)])
    try {
      crypto.getRandomValues(array);
      assert_unreached('did not throw');
    } catch (error) {
      assert_true(error instanceof QuotaExceededError);
    }
}, 'getRandomValues fills 65536 bytes at most');
test(() => {
  const ids = new Set();
  for (let i = 0; i < 200; i++) {
    const id = crypto.randomUUID();
    assert_regexp_match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    ids.add(id);
  }
  assert_equals(ids.size, 200);
}, 'randomUUID');
test(() => {
  for (const Interface of [Crypto, SubtleCrypto]) assert_throws_js(TypeError, () => new Interface());
  assert_true(crypto instanceof Crypto && subtle instanceof SubtleCrypto);
  assert_equals(crypto.subtle, subtle);
  assert_throws_js(TypeError, () => Crypto.prototype.randomUUID.call({}));
}, 'interfaces of the Web Cryptography API');
