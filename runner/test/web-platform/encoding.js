// https://encoding.spec.whatwg.org and https://infra.spec.whatwg.org/#forgiving-base64

/** The labels of each encoding. */
const LABELS = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
  ibm866: '866 cp866 csibm866 ibm866',
  'iso-8859-2': 'csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2',
  'iso-8859-3': 'csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3',
  'iso-8859-4': 'csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4',
  'iso-8859-5':
    'csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988',
  'iso-8859-6':
    'arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987',
  'iso-8859-7':
    'csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek',
  'iso-8859-8':
    'csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual',
  'iso-8859-8-i': 'csiso88598i iso-8859-8-i logical',
  'iso-8859-10': 'csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6',
  'iso-8859-13': 'iso-8859-13 iso8859-13 iso885913',
  'iso-8859-14': 'iso-8859-14 iso8859-14 iso885914',
  'iso-8859-15': 'csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9',
  'iso-8859-16': 'iso-8859-16',
  'koi8-r': 'cskoi8r koi koi8 koi8-r koi8_r',
  'koi8-u': 'koi8-ru koi8-u',
  macintosh: 'csmacintosh mac macintosh x-mac-roman',
  'windows-874': 'dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874',
  'windows-1250': 'cp1250 windows-1250 x-cp1250',
  'windows-1251': 'cp1251 windows-1251 x-cp1251',
  'windows-1252':
    'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
  'windows-1253': 'cp1253 windows-1253 x-cp1253',
  'windows-1254':
    'cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254',
  'windows-1255': 'cp1255 windows-1255 x-cp1255',
  'windows-1256': 'cp1256 windows-1256 x-cp1256',
  'windows-1257': 'cp1257 windows-1257 x-cp1257',
  'windows-1258': 'cp1258 windows-1258 x-cp1258',
  'x-mac-cyrillic': 'x-mac-cyrillic x-mac-ukrainian',
  gbk: 'chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk',
  gb18030: 'gb18030',
  big5: 'big5 big5-hkscs cn-big5 csbig5 x-x-big5',
  'euc-jp': 'cseucpkdfmtjapanese euc-jp x-euc-jp',
  'iso-2022-jp': 'csiso2022jp iso-2022-jp',
  shift_jis: 'csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis',
  'euc-kr':
    'cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949',
  'utf-16be': 'unicodefffe utf-16be',
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
  'x-user-defined': 'x-user-defined',
};
for (const [encoding, labels] of Object.entries(LABELS)) {
  for (const label of labels.split(' ')) {
    test(() => {
      assert_equals(new TextDecoder(label).encoding, encoding);
      assert_equals(new TextDecoder(`\t\n\f\r ${label.toUpperCase()} `).encoding, encoding);
    }, `label ${label} is ${encoding}`);
  }
}
for (const label of [
  ...['', 'utf-7', 'utf-32', 'invalid', 'replacement', 'iso-2022-cn', 'iso-2022-kr', 'hz-gb-2312'],
  ...[
    'csiso2022kr',
    'iso-2022-cn-ext',
    'utf-8\u00a0',
    '\u000butf-8',
    'utf-8\u0000',
    'ＵＴＦ-8',
    'utf\u20118',
  ],
]) {
  test(
    () => assert_throws_js(RangeError, () => new TextDecoder(label)),
    `label ${JSON.stringify(label)} is refused`,
  );
}

const REPLACED = '\ufffd';
/** Encoding, bytes in hexadecimal, and the text. */
const DECODED = [
  ['utf-8', '', ''],
  ['utf-8', '61 c3bc e282ac f09f9880', 'aü€😀'],
  ['utf-8', '00 7f', '\u0000\u007f'],
  ['utf-8', 'efbbbf 61', 'a'],
  ['utf-8', 'efbbbf efbbbf 61', '\ufeffa'],
  ['utf-8', '61 efbbbf', 'a\ufeff'],
  ['utf-8', 'efbb', REPLACED],
  ['utf-8', '80', REPLACED],
  ['utf-8', 'c0 80', REPLACED + REPLACED],
  ['utf-8', 'c1 bf', REPLACED + REPLACED],
  ['utf-8', 'c3', REPLACED],
  ['utf-8', 'c3 61', `${REPLACED}a`],
  ['utf-8', 'e0 80 80', REPLACED.repeat(3)],
  ['utf-8', 'e0 9f bf', REPLACED.repeat(3)],
  ['utf-8', 'e2 82', REPLACED],
  ['utf-8', 'e2 82 61', `${REPLACED}a`],
  ['utf-8', 'ed a0 80', REPLACED.repeat(3)],
  ['utf-8', 'ed 9f bf', '\ud7ff'],
  ['utf-8', 'ee 80 80', '\ue000'],
  ['utf-8', 'ef bf bf', '\uffff'],
  ['utf-8', 'f0 80 80 80', REPLACED.repeat(4)],
  ['utf-8', 'f0 90 80 80', '\u{10000}'],
  ['utf-8', 'f0 9f 98', REPLACED],
  ['utf-8', 'f0 9f 41', `${REPLACED}A`],
  ['utf-8', 'f4 8f bf bf', '\u{10ffff}'],
  ['utf-8', 'f4 90 80 80', REPLACED.repeat(4)],
  ['utf-8', 'f5 80', REPLACED.repeat(2)],
  ['utf-8', 'ff fe', REPLACED.repeat(2)],
  ['utf-16le', '6100 fc00 ac20', 'aü€'],
  ['utf-16le', '3dd8 00de', '😀'],
  ['utf-16le', 'fffe 6100', 'a'],
  ['utf-16le', 'feff', '\ufffe'],
  ['utf-16le', '00d8', REPLACED],
  ['utf-16le', '00d8 6100', `${REPLACED}a`],
  ['utf-16le', '00dc 6100', `${REPLACED}a`],
  ['utf-16le', '61', REPLACED],
  ['utf-16le', '6100 62', `a${REPLACED}`],
  ['utf-16be', '0061 d83d de00', 'a😀'],
  ['utf-16be', 'feff 0061', 'a'],
  ['utf-16be', 'dc00 d800', REPLACED + REPLACED],
  ['windows-1252', '80 81 8d 99 9f a0 ff', '€\u0081\u008d™Ÿ\u00a0ÿ'],
  ['latin1', '80 e4', '€ä'],
  ['ibm866', '80 ff', 'А\u00a0'],
  ['iso-8859-2', 'a1 b1', 'Ąą'],
  ['iso-8859-3', 'a5', REPLACED],
  ['iso-8859-5', 'b0 d0', 'Аа'],
  ['iso-8859-6', 'c7 a1', `ا${REPLACED}`],
  ['iso-8859-7', 'c1 e1 a4', 'Αα€'],
  ['iso-8859-8', 'e0', 'א'],
  ['iso-8859-15', 'a4', '€'],
  ['koi8-r', 'c1 d2', 'ар'],
  ['koi8-u', 'a4 b4', 'єЄ'],
  ['macintosh', '80 db', 'Ä€'],
  ['windows-874', 'a1 fc', `ก${REPLACED}`],
  ['windows-1250', '8a 9a', 'Šš'],
  ['windows-1251', 'c0 e0', 'Аа'],
  ['windows-1253', 'c1 aa', `Α${REPLACED}`],
  ['windows-1254', 'd0 dd', 'Ğİ'],
  ['windows-1255', 'e0', 'א'],
  ['windows-1256', 'c7', 'ا'],
  ['windows-1257', 'c0', 'Ą'],
  ['windows-1258', 'd2', '\u0309'],
  ['x-mac-cyrillic', '80 ff', 'А€'],
  ['gbk', 'c4e3 bac3 80', '你好€'],
  ['gb18030', '81308130 c4e3', '\u0080你'],
  ['gb18030', '9439fc36', '😀'],
  ['gb18030', 'ff', REPLACED],
  ['gb18030', '81 20', `${REPLACED} `],
  ['big5', 'a741 a66e', '你好'],
  ['big5', '8862', '\u00ca\u0304'],
  ['big5', '81', REPLACED],
  ['big5', '80 61', `${REPLACED}a`],
  ['euc-jp', 'c6fc cbdc 8eb1', '日本ｱ'],
  ['euc-jp', '8fa2b7', '～'],
  ['euc-jp', 'c6 61', `${REPLACED}a`],
  ['iso-2022-jp', '1b2442 467c 1b2842 61', '日a'],
  ['iso-2022-jp', '1b2849 31', 'ｱ'],
  ['iso-2022-jp', '1b 61', `${REPLACED}a`],
  ['iso-2022-jp', '0e 80', REPLACED + REPLACED],
  ['shift_jis', '93fa 967b b1', '日本ｱ'],
  ['shift_jis', '80 a0', `\u0080${REPLACED}`],
  ['shift_jis', '81', REPLACED],
  ['shift_jis', 'f040', '\ue000'],
  ['euc-kr', 'c7d1 b1db', '한글'],
  ['euc-kr', '81 5b', `${REPLACED}[`],
  ['x-user-defined', '41 80 ff', 'A\uf780\uf7ff'],
];
const bytesOf = (hex) =>
  Uint8Array.from(hex.match(/[0-9a-f]{2}/g) ?? [], (byte) => Number.parseInt(byte, 16));
for (const [encoding, hex, text] of DECODED) {
  test(() => assert_equals(new TextDecoder(encoding).decode(bytesOf(hex)), text), `${encoding} ${hex}`);
  test(() => {
    const decoder = new TextDecoder(encoding);
    let decoded = '';
    for (const byte of bytesOf(hex)) decoded += decoder.decode(Uint8Array.of(byte), { stream: true });
    assert_equals(decoded + decoder.decode(), text);
  }, `${encoding} ${hex}, byte by byte`);
  test(() => {
    const decode = () => new TextDecoder(encoding, { fatal: true }).decode(bytesOf(hex));
    if (text.includes(REPLACED)) assert_throws_js(TypeError, decode);
    else assert_equals(decode(), text);
  }, `${encoding} ${hex}, fatal`);
}

test(() => {
  const decoder = new TextDecoder();
  assert_equals(decoder.encoding, 'utf-8');
  assert_equals(decoder.fatal, false);
  assert_equals(decoder.ignoreBOM, false);
  const strict = new TextDecoder('latin1', { fatal: 1, ignoreBOM: 'yes' });
  assert_equals(strict.fatal, true);
  assert_equals(strict.ignoreBOM, true);
}, 'attributes of TextDecoder');
for (const [encoding, hex] of [
  ['utf-8', 'efbbbf61'],
  ['utf-16le', 'fffe6100'],
  ['utf-16be', 'feff0061'],
]) {
  test(() => {
    assert_equals(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytesOf(hex)), '\ufeffa');
    const decoder = new TextDecoder(encoding);
    for (let round = 0; round < 2; round++)
      assert_equals(decoder.decode(bytesOf(hex)), 'a', `round ${round}`);
    assert_equals(decoder.decode(bytesOf(hex), { stream: true }) + decoder.decode(bytesOf(hex)), 'a\ufeffa');
  }, `byte order mark of ${encoding}`);
}
test(() => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  assert_throws_js(TypeError, () => decoder.decode(bytesOf('ff')));
  assert_equals(decoder.decode(bytesOf('61')), 'a');
  assert_equals(decoder.decode(bytesOf('e282'), { stream: true }), '');
  assert_throws_js(TypeError, () => decoder.decode());
  assert_equals(decoder.decode(bytesOf('61')), 'a');
}, 'a fatal decoder can be used after an error');
test(() => {
  const bytes = new TextEncoder().encode('xaüb');
  const decoder = new TextDecoder();
  for (const view of [
    bytes,
    bytes.buffer,
    new DataView(bytes.buffer),
    new Int8Array(bytes.buffer),
    new Uint8ClampedArray(bytes.buffer),
  ])
    assert_equals(decoder.decode(view), 'xaüb');
  assert_equals(decoder.decode(bytes.subarray(1, 4)), 'aü');
  assert_equals(decoder.decode(new Uint16Array(Uint8Array.of(97, 98).buffer)), 'ab');
  assert_equals(decoder.decode(), '');
  assert_equals(decoder.decode(undefined), '');
  for (const bad of ['a', 1, null, {}, []]) assert_throws_js(TypeError, () => decoder.decode(bad));
  const detached = new Uint8Array(2);
  structuredClone(detached, { transfer: [detached.buffer] });
  assert_equals(decoder.decode(detached), '');
}, 'TextDecoder takes every kind of bytes');

/** Text, and its UTF-8 in hexadecimal. */
const ENCODED = [
  ['', ''],
  ['a\u0000', '6100'],
  ['ü€😀', 'c3bce282acf09f9880'],
  ['\ud800', 'efbfbd'],
  ['\udc00', 'efbfbd'],
  ['a\ud800b', '61efbfbd62'],
  ['\udc00\ud800', 'efbfbdefbfbd'],
  ['\ud800\ud800\udc00', 'efbfbdf0908080'],
  ['\ufeff', 'efbbbf'],
  ['\uffff', 'efbfbf'],
  ['\u{10ffff}', 'f48fbfbf'],
  ['\u07ff\u0800', 'dfbfe0a080'],
];
const hexOf = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
const encoder = new TextEncoder();
for (const [text, hex] of ENCODED) {
  test(() => assert_equals(hexOf(encoder.encode(text)), hex), `encode ${escape(text)}`);
  test(
    () => {
      const target = new Uint8Array(20);
      const { read, written } = encoder.encodeInto(text, target);
      assert_equals(read, text.length);
      assert_equals(hexOf(target.subarray(0, written)), hex);
    },
    `encodeInto ${escape(text)}`,
  );
}
/** Text, length of the target, code units read, bytes written. */
const INTO = [
  ['abc', 0, 0, 0],
  ['abc', 2, 2, 2],
  ['ü', 1, 0, 0],
  ['aü', 2, 1, 1],
  ['aü', 3, 2, 3],
  ['€', 2, 0, 0],
  ['😀', 3, 0, 0],
  ['😀', 4, 2, 4],
  ['a😀b', 5, 3, 5],
  ['\ud800', 2, 0, 0],
  ['\ud800', 3, 1, 3],
];
for (const [text, length, read, written] of INTO) {
  test(
    () => {
      const target = new Uint8Array(length + 2).fill(7);
      const result = encoder.encodeInto(text, target.subarray(0, length));
      assert_equals(result.read, read);
      assert_equals(result.written, written);
      assert_equals(target[length], 7, 'nothing beyond the target');
    },
    `encodeInto ${escape(text)} with ${length} bytes`,
  );
}
test(() => {
  assert_equals(encoder.encoding, 'utf-8');
  assert_equals(encoder.encode().length, 0);
  assert_equals(encoder.encode(undefined).length, 0);
  assert_equals(new TextDecoder().decode(encoder.encode(null)), 'null');
  assert_true(encoder.encode('a') instanceof Uint8Array);
  assert_throws_js(TypeError, () => encoder.encode(Symbol('a')));
  for (const bad of [new Uint16Array(4), new ArrayBuffer(4), [], undefined])
    assert_throws_js(TypeError, () => encoder.encodeInto('a', bad));
}, 'arguments of TextEncoder');

// Streams.
const collect = async (chunks, through) => {
  const collected = [];
  for await (const chunk of ReadableStream.from(chunks).pipeThrough(through)) collected.push(chunk);
  return collected;
};
for (const [chunks, hex] of [
  [['a', 'b'], '6162'],
  [['\ud83d', '\ude00'], 'f09f9880'],
  [['\ud83d'], 'efbfbd'],
  [['\ud83d', 'a'], 'efbfbd61'],
  [['\ud83d', '', '\ude00'], 'f09f9880'],
  [['\ude00', '\ud83d'], 'efbfbdefbfbd'],
  [[''], ''],
  [[1, null, undefined], hexOf(new TextEncoder().encode('1nullundefined'))],
]) {
  promise_test(
    async () => {
      const bytes = await collect(chunks, new TextEncoderStream());
      for (const chunk of bytes) assert_true(chunk instanceof Uint8Array && chunk.length > 0);
      assert_equals(bytes.map(hexOf).join(''), hex);
    },
    `TextEncoderStream of ${escape(JSON.stringify(chunks))}`,
  );
}
for (const [encoding, chunks, text] of [
  ['utf-8', ['61', '62'], 'ab'],
  ['utf-8', ['e2', '82', 'ac'], '€'],
  ['utf-8', ['e2', '82'], REPLACED],
  ['utf-8', ['efbb', 'bf61'], 'a'],
  ['utf-8', ['', '61'], 'a'],
  ['utf-16le', ['3d', 'd800', 'de'], '😀'],
  ['shift_jis', ['93', 'fa'], '日'],
]) {
  promise_test(async () => {
    const texts = await collect(chunks.map(bytesOf), new TextDecoderStream(encoding));
    assert_equals(texts.join(''), text);
    assert_false(texts.includes(''));
  }, `TextDecoderStream ${encoding} of ${chunks}`);
}
promise_test(async (t) => {
  await promise_rejects_js(
    t,
    TypeError,
    collect([bytesOf('ff')], new TextDecoderStream('utf-8', { fatal: true })),
  );
  await promise_rejects_js(
    t,
    TypeError,
    collect([bytesOf('e2')], new TextDecoderStream('utf-8', { fatal: true })),
  );
  await promise_rejects_js(t, TypeError, collect(['text'], new TextDecoderStream()));
  await promise_rejects_js(t, TypeError, collect([Symbol('a')], new TextEncoderStream()));
}, 'streams reject malformed chunks');
test(() => {
  const stream = new TextDecoderStream('latin1', { fatal: true, ignoreBOM: true });
  assert_equals([stream.encoding, stream.fatal, stream.ignoreBOM].join(), 'windows-1252,true,true');
  assert_true(stream.readable instanceof ReadableStream && stream.writable instanceof WritableStream);
  assert_equals(new TextEncoderStream().encoding, 'utf-8');
  assert_throws_js(RangeError, () => new TextDecoderStream('invalid'));
}, 'attributes of the streams');

/** Text, and what `btoa` returns. */
const BASE64 = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
  ['\u0000', 'AA=='],
  ['\u00ff\u00fe', '//4='],
  ['\u00fb\u00ef\u00be', '++++'],
];
for (const [text, base64] of BASE64) {
  test(
    () => {
      assert_equals(btoa(text), base64);
      assert_equals(atob(base64), text);
      assert_equals(atob(base64.replaceAll('=', '')), text, 'without padding');
      assert_equals(atob(` \t\n\f\r${base64.split('').join(' ')} `), text, 'with white space');
    },
    `base64 of ${escape(text)}`,
  );
}
test(() => {
  let all = '';
  for (let code = 0; code < 256; code++) all += String.fromCharCode(code);
  assert_equals(atob(btoa(all)), all);
}, 'base64 of every byte');
for (const text of ['\u0100', 'ü€', '\ud83d\ude00', 'a\uffff'])
  test(() => assert_throws_dom('InvalidCharacterError', () => btoa(text)), `btoa refuses ${escape(text)}`);
for (const text of [
  ...[
    'a',
    'abcde',
    '=',
    '==',
    '===',
    'a=',
    'ab=',
    'abc==',
    'abcd=',
    'abcd==',
    'ab===',
    'a===',
    '=a',
    'ab=c',
    'a=b=',
  ],
  ...[
    'ab==cd',
    'ab-_',
    'ab,d',
    'ab\u000bc',
    'ab\u00a0cd',
    'abc\u0000',
    'abü',
    'ab\u2003cd',
    '  a ',
    'abcd====',
    '{}',
  ],
])
  test(() => assert_throws_dom('InvalidCharacterError', () => atob(text)), `atob refuses ${escape(text)}`);
for (const [text, decoded] of [
  ['ab', 'i'],
  ['abc', 'i·'],
  ['abcd', 'i·\u001d'],
  ['ab==', 'i'],
  ['abc=', 'i·'],
  ['ab= =', 'i'],
  ['ab =\n=', 'i'],
  ['ab\n\t\f\r cd', 'i·\u001d'],
  ['ZE==', 'd'],
  ['ZF', 'd'],
  ['/+8', 'ÿï'],
])
  test(() => assert_equals(atob(text), decoded), `atob of ${escape(text)}`);
test(() => {
  assert_equals(atob(null), '\u009eée');
  assert_equals(btoa(null), 'bnVsbA==');
  assert_equals(btoa(undefined), 'dW5kZWZpbmVk');
  assert_equals(btoa(12), 'MTI=');
  assert_equals(atob({ toString: () => 'ZA==' }), 'd');
  assert_throws_dom('InvalidCharacterError', () => atob(undefined));
  assert_throws_js(TypeError, () => atob());
  assert_throws_js(TypeError, () => btoa());
  assert_throws_js(TypeError, () => btoa(Symbol('a')));
}, 'atob and btoa convert their argument');
