// https://url.spec.whatwg.org

/** Input, base, and the serialized URL, or null where parsing fails. */
const PARSED = [
  // Scheme.
  ['http://example.org', null, 'http://example.org/'],
  ['HTTP://EXAMPLE.ORG/Path', null, 'http://example.org/Path'],
  ['hTtPs:example.org', null, 'https://example.org/'],
  ['http:/example.org/', null, 'http://example.org/'],
  ['http:///example.org/', null, 'http://example.org/'],
  ['http:////example.org/', null, 'http://example.org/'],
  ['http:\\\\example.org\\a\\b', null, 'http://example.org/a/b'],
  ['ws://example.org', null, 'ws://example.org/'],
  ['wss://example.org:443/', null, 'wss://example.org/'],
  ['ftp://example.org:21/x', null, 'ftp://example.org/x'],
  ['non-special://example.org', null, 'non-special://example.org'],
  ['a+b-c.d://h', null, 'a+b-c.d://h'],
  ['1a:b', null, null],
  ['a_b:c', null, null],
  [':', null, null],
  ['', null, null],
  ['/a', null, null],
  ['//a', null, null],
  ['a', null, null],
  ['?a', null, null],
  ['#a', null, null],
  ['http:', null, null],
  ['http://', null, null],
  ['https:#', null, null],
  ['mailto:a@b.example', null, 'mailto:a@b.example'],
  ['data:text/plain,a b', null, 'data:text/plain,a b'],
  ['data:text/plain,a #b', null, 'data:text/plain,a%20#b'],
  ['data:text/plain,a ?b', null, 'data:text/plain,a%20?b'],
  ['javascript:alert(1)', null, 'javascript:alert(1)'],
  ['javascript:a\nb', null, 'javascript:ab'],
  ['about:blank', null, 'about:blank'],
  ['urn:uuid:1', null, 'urn:uuid:1'],
  ['blob:https://example.org/id', null, 'blob:https://example.org/id'],
  // White space and controls are stripped.
  ['  http://example.org/  ', null, 'http://example.org/'],
  ['\u0000\u001fhttp://example.org/\u0001', null, 'http://example.org/'],
  ['ht\ntp://exa\tmple.or\rg/a\nb', null, 'http://example.org/ab'],
  ['http://example.org/a b', null, 'http://example.org/a%20b'],
  // Credentials.
  ['http://user@example.org/', null, 'http://user@example.org/'],
  ['http://user:pass@example.org/', null, 'http://user:pass@example.org/'],
  ['http://user:@example.org/', null, 'http://user@example.org/'],
  ['http://:pass@example.org/', null, 'http://:pass@example.org/'],
  ['http://:@example.org/', null, 'http://example.org/'],
  ['http://@example.org/', null, 'http://example.org/'],
  ['http://a@b@example.org/', null, 'http://a%40b@example.org/'],
  ['http://a:b:c@example.org/', null, 'http://a:b%3Ac@example.org/'],
  ['http://a b:c|d@example.org/', null, 'http://a%20b:c%7Cd@example.org/'],
  ['http://ü:é@example.org/', null, 'http://%C3%BC:%C3%A9@example.org/'],
  ['http://a;b=c[d]^@example.org/', null, 'http://a%3Bb%3Dc%5Bd%5D%5E@example.org/'],
  ['http://user@', null, null],
  ['http://user@/path', null, null],
  ['http://user:pass@:80/', null, null],
  // Port.
  ['http://example.org:80/', null, 'http://example.org/'],
  ['http://example.org:/', null, 'http://example.org/'],
  ['http://example.org:8080/', null, 'http://example.org:8080/'],
  ['http://example.org:0/', null, 'http://example.org:0/'],
  ['http://example.org:00000080/', null, 'http://example.org/'],
  ['http://example.org:65535/', null, 'http://example.org:65535/'],
  ['http://example.org:65536/', null, null],
  ['http://example.org:4294967376/', null, null],
  ['http://example.org:-1/', null, null],
  ['http://example.org:8a/', null, null],
  ['http://example.org:8 0/', null, null],
  ['http://:80/', null, null],
  ['https://example.org:80/', null, 'https://example.org:80/'],
  ['x://example.org:80/', null, 'x://example.org:80/'],
  // Hosts of special schemes.
  ['http://EXAMPLE.org./', null, 'http://example.org./'],
  ['http://a..b/', null, 'http://a..b/'],
  ['http://a_b.example/', null, 'http://a_b.example/'],
  ['http://-a-.example/', null, 'http://-a-.example/'],
  ['http://ex%61mple.org/', null, 'http://example.org/'],
  ['http://%65%78%61mple.org/', null, 'http://example.org/'],
  ['http://a%00b/', null, null],
  ['http://a%20b/', null, null],
  ['http://a b/', null, null],
  ['http://a%b/', null, null],
  ['http://a%25b/', null, null],
  ['http://a<b/', null, null],
  ['http://a>b/', null, null],
  ['http://a^b/', null, null],
  ['http://a|b/', null, null],
  ['http://a[b/', null, null],
  ['http://a]b/', null, null],
  ['http://a%2Fb/', null, null],
  ['http://a%3Fb/', null, null],
  ['http://a%40b/', null, null],
  ['http://a%3Ab/', null, null],
  ['http://a\u007fb/', null, null],
  ['http://a%7Fb/', null, null],
  ["http://a!$&'()*+,;=b/", null, "http://a!$&'()*+,;=b/"],
  ['http://a`{}~b/', null, 'http://a`{}~b/'],
  // Internationalized names.
  ['http://bücher.example/', null, 'http://xn--bcher-kva.example/'],
  ['http://BÜCHER.example/', null, 'http://xn--bcher-kva.example/'],
  ['http://faß.example/', null, 'http://xn--fa-hia.example/'],
  ['http://ςσ.example/', null, 'http://xn--3xac.example/'],
  ['http://日本語.example/', null, 'http://xn--wgv71a119e.example/'],
  ['http://ＧＯ.example/', null, 'http://go.example/'],
  ['http://www。example。org/', null, 'http://www.example.org/'],
  ['http://a\u00adb.example/', null, 'http://ab.example/'],
  ['http://a\u200bb.example/', null, 'http://ab.example/'],
  ['http://a\u2060b.example/', null, 'http://ab.example/'],
  ['http://ﬁ.example/', null, 'http://fi.example/'],
  ['http://☃.example/', null, 'http://xn--n3h.example/'],
  ['http://💩.example/', null, 'http://xn--ls8h.example/'],
  ['http://xn--bcher-kva.example/', null, 'http://xn--bcher-kva.example/'],
  ['http://XN--BCHER-KVA.example/', null, 'http://xn--bcher-kva.example/'],
  ['http://xn--/', null, null],
  ['http://xn--a/', null, null],
  ['http://xn--ü.example/', null, null],
  ['http://\u00ad/', null, null],
  ['http://%C2%AD/', null, null],
  ['http://％００.example/', null, null],
  ['http://％４１.example/', null, null],
  ['http://a\ufdd0b/', null, null],
  ['http://\u0301a.example/', null, null],
  ['http://%C3%BC.example/', null, 'http://xn--tda.example/'],
  ['http://%FF.example/', null, null],
  ['http://a\ud800b/', null, null],
  // IPv4.
  ['http://127.0.0.1/', null, 'http://127.0.0.1/'],
  ['http://127.0.0.1./', null, 'http://127.0.0.1/'],
  ['http://127.1/', null, 'http://127.0.0.1/'],
  ['http://127.0.1/', null, 'http://127.0.0.1/'],
  ['http://2130706433/', null, 'http://127.0.0.1/'],
  ['http://0x7f000001/', null, 'http://127.0.0.1/'],
  ['http://0X7F.0.0.1/', null, 'http://127.0.0.1/'],
  ['http://017700000001/', null, 'http://127.0.0.1/'],
  ['http://0177.0.0.0x1/', null, 'http://127.0.0.1/'],
  ['http://0x/', null, 'http://0.0.0.0/'],
  ['http://0/', null, 'http://0.0.0.0/'],
  ['http://4294967295/', null, 'http://255.255.255.255/'],
  ['http://4294967296/', null, null],
  ['http://256.0.0.1/', null, null],
  ['http://1.256/', null, 'http://1.0.1.0/'],
  ['http://1.2.65536/', null, null],
  ['http://1.2.3.4.5/', null, null],
  ['http://1.2.3.256/', null, null],
  ['http://1.2.3.08/', null, null],
  ['http://1.2.3.09./', null, null],
  ['http://a.0/', null, null],
  ['http://a.0x/', null, null],
  ['http://a.09/', null, null],
  ['http://0.0.0.a/', null, 'http://0.0.0.a/'],
  ['http://1..2/', null, null],
  ['http://１２７.０.０.１/', null, 'http://127.0.0.1/'],
  ['http://%31%32%37.0.0.1/', null, 'http://127.0.0.1/'],
  ['http://0x.0x.0x.0x/', null, 'http://0.0.0.0/'],
  ['x://127.1/', null, 'x://127.1/'],
  ['x://256.256.256.256/', null, 'x://256.256.256.256/'],
  // IPv6.
  ['http://[::1]/', null, 'http://[::1]/'],
  ['http://[::]/', null, 'http://[::]/'],
  ['http://[1:2:3:4:5:6:7:8]/', null, 'http://[1:2:3:4:5:6:7:8]/'],
  ['http://[1:0:0:4:5:0:0:8]/', null, 'http://[1::4:5:0:0:8]/'],
  ['http://[1:0:0:4:0:0:0:8]/', null, 'http://[1:0:0:4::8]/'],
  ['http://[1:2:0:4:5:6:7:8]/', null, 'http://[1:2:0:4:5:6:7:8]/'],
  ['http://[2001:DB8::00FF]/', null, 'http://[2001:db8::ff]/'],
  ['http://[::127.0.0.1]/', null, 'http://[::7f00:1]/'],
  ['http://[::ffff:1.2.3.4]/', null, 'http://[::ffff:102:304]/'],
  ['http://[0:0::0]:8080/', null, 'http://[::]:8080/'],
  ['http://[::1', null, null],
  ['http://::1]', null, null],
  ['http://[::1%25eth0]/', null, null],
  ['http://[::1.2.3]/', null, null],
  ['http://[::1.2.3.4.5]/', null, null],
  ['http://[::1.2.3.04]/', null, null],
  ['http://[::256.0.0.1]/', null, null],
  ['http://[1:2:3:4:5:6:7]/', null, null],
  ['http://[1:2:3:4:5:6:7:8:9]/', null, null],
  ['http://[1::2::3]/', null, null],
  ['http://[:1]/', null, null],
  ['http://[1:]/', null, null],
  ['http://[12345::]/', null, null],
  ['http://[g::]/', null, null],
  ['http://[]/', null, null],
  ['http://[::1]a/', null, null],
  ['x://[::1]/', null, 'x://[::1]/'],
  ['x://[:::1]/', null, null],
  // Opaque hosts.
  ['x://HOST/', null, 'x://HOST/'],
  ['x://ü/', null, 'x://%C3%BC/'],
  ['x://a b/', null, null],
  ['x://a%20b/', null, 'x://a%20b/'],
  ['x://a<b/', null, null],
  ['x://a^b/', null, null],
  ['x://a|b/', null, null],
  ['x://a%zz/', null, 'x://a%zz/'],
  ['x://a\u0001b/', null, 'x://a%01b/'],
  ['x://a\u0000b/', null, null],
  ['x:///p', null, 'x:///p'],
  ['x://:80/', null, null],
  ['x://@/', null, null],
  // Path.
  ['http://h/./a/../b/./c/..', null, 'http://h/b/'],
  ['http://h/a/b/../../../c', null, 'http://h/c'],
  ['http://h/..', null, 'http://h/'],
  ['http://h/%2e/a', null, 'http://h/a'],
  ['http://h/a/%2E%2e/b', null, 'http://h/b'],
  ['http://h/a/.%2e', null, 'http://h/'],
  ['http://h/a/%2e./b', null, 'http://h/b'],
  ['http://h/.a/..b/...', null, 'http://h/.a/..b/...'],
  ['http://h//a//', null, 'http://h//a//'],
  ['http://h/a\\b\\..\\c', null, 'http://h/a/c'],
  ['x://h/a\\b\\..\\c', null, 'x://h/a\\b\\..\\c'],
  ['http://h/"<>`{}#', null, 'http://h/%22%3C%3E%60%7B%7D#'],
  ["http://h/!$&'()*+,;=:@~_-.|[]", null, "http://h/!$&'()*+,;=:@~_-.|[]"],
  ['http://h/a^b', null, 'http://h/a%5Eb'],
  ['http://h/%zz%1', null, 'http://h/%zz%1'],
  ['http://h/%c3%bc%41', null, 'http://h/%c3%bc%41'],
  ['http://h/ü€😀', null, 'http://h/%C3%BC%E2%82%AC%F0%9F%98%80'],
  ['http://h/\ud800', null, 'http://h/%EF%BF%BD'],
  ['http://h/\u007f', null, 'http://h/%7F'],
  ['http://h/;p?q', null, 'http://h/;p?q'],
  ['x:/.//p', null, 'x:/.//p'],
  ['x:/..//p', null, 'x:/.//p'],
  ['x:/a/..//p', null, 'x:/.//p'],
  ['x:a/../b', null, 'x:a/../b'],
  ['x:a b', null, 'x:a b'],
  ['x:"<>`{}', null, 'x:"<>`{}'],
  ['x:\u0001ü', null, 'x:%01%C3%BC'],
  // Query and fragment.
  ['http://h?q', null, 'http://h/?q'],
  ['http://h/?', null, 'http://h/?'],
  ['http://h/#', null, 'http://h/#'],
  ['http://h/?#', null, 'http://h/?#'],
  ['http://h/?a=b&c=d#e?f#g', null, 'http://h/?a=b&c=d#e?f#g'],
  [`http://h/? "<>'\``, null, 'http://h/?%20%22%3C%3E%27`'],
  [`x://h/? "<>'\``, null, "x://h/?%20%22%3C%3E'`"],
  ['http://h/?ü{}|^[]', null, 'http://h/?%C3%BC{}|^[]'],
  ['http://h/?\ud83d', null, 'http://h/?%EF%BF%BD'],
  ['http://h/# "<>`{}\'ü', null, "http://h/#%20%22%3C%3E%60{}'%C3%BC"],
  ['http://h/#\u0000', null, 'http://h/#'],
  ['http://h/#\u0000a', null, 'http://h/#%00a'],
  ['http://h/?a\u0000b', null, 'http://h/?a%00b'],
  // Relative.
  ['', 'http://h/a/b?q#f', 'http://h/a/b?q'],
  ['c', 'http://h/a/b?q#f', 'http://h/a/c'],
  ['./c', 'http://h/a/b', 'http://h/a/c'],
  ['../c', 'http://h/a/b/d', 'http://h/a/c'],
  ['../../../c', 'http://h/a/b', 'http://h/c'],
  ['/c', 'http://h/a/b', 'http://h/c'],
  ['//g/c', 'http://h/a', 'http://g/c'],
  ['\\c', 'http://h/a', 'http://h/c'],
  ['\\\\g\\c', 'http://h/a', 'http://g/c'],
  ['?r', 'http://h/a/b?q#f', 'http://h/a/b?r'],
  ['#g', 'http://h/a/b?q#f', 'http://h/a/b?q#g'],
  ['.', 'http://h/a/b', 'http://h/a/'],
  ['..', 'http://h/a/b', 'http://h/'],
  ['http:c', 'http://h/a/b', 'http://h/a/c'],
  ['http:/c', 'http://h/a/b', 'http://h/c'],
  ['https:c', 'http://h/a/b', 'https://c/'],
  ['http:', 'http://h/a?q#f', 'http://h/a?q'],
  ['a:b', 'http://h/', 'a:b'],
  ['  c  ', 'http://h/a', 'http://h/c'],
  [':a', 'http://h/', 'http://h/:a'],
  ['1:a', 'http://h/', 'http://h/1:a'],
  ['//', 'http://h/', null],
  ['///g', 'http://h/', 'http://g/'],
  ['//user@g:81', 'http://h/', 'http://user@g:81/'],
  ['c', 'http://user:pw@h:8/a', 'http://user:pw@h:8/c'],
  ['c', 'mailto:x', null],
  ['', 'mailto:x', null],
  ['#f', 'mailto:x', 'mailto:x#f'],
  ['?q', 'mailto:x', null],
  ['/c', 'x:/a/b', 'x:/c'],
  ['//h/c', 'x:/a/b', 'x://h/c'],
  ['../..//c', 'x:/a/b', 'x:/.//c'],
  ['c', 'x://h', 'x://h/c'],
  ['c', 'x:///', 'x:///c'],
  ['?q', 'x://h', 'x://h?q'],
  ['c', 'no base', null],
  ['http://h/', 'no base', null],
  // Files.
  ['file:', null, 'file:///'],
  ['file:a', null, 'file:///a'],
  ['file:/a/b', null, 'file:///a/b'],
  ['file://host/a', null, 'file://host/a'],
  ['file://localhost/a', null, 'file:///a'],
  ['file://LOCALHOST/a', null, 'file:///a'],
  ['file:///C|/a/../..', null, 'file:///C:/'],
  ['file:C:\\a\\b', null, 'file:///C:/a/b'],
  ['file://C:/a', null, 'file:///C:/a'],
  ['file:///C:/../a', null, 'file:///C:/a'],
  ['file:////host/a', null, 'file:////host/a'],
  ['file://host:80/', null, null],
  ['file://%43%3A/', null, null],
  ['file://a b/', null, null],
  ['/a', 'file:///C:/b/c', 'file:///C:/a'],
  ['D:/a', 'file:///C:/b', 'd:/a'],
  ['D|/a', 'file:///C:/b', 'file:///D:/a'],
  ['..', 'file:///C:/b', 'file:///C:/'],
  ['//h/a', 'file:///b', 'file://h/a'],
  ['?q', 'file:///b', 'file:///b?q'],
  ['#f', 'file:///b?q', 'file:///b?q#f'],
  ['', 'file:///b?q#f', 'file:///b?q'],
];
const quoted = (value) => (value === null ? 'no base' : JSON.stringify(value));
for (const [input, base, href] of PARSED) {
  const args = base === null ? [input] : [input, base];
  test(
    () => {
      if (href === null) {
        assert_throws_js(TypeError, () => new URL(...args));
        assert_equals(URL.parse(...args), null);
      } else {
        assert_equals(new URL(...args).href, href);
        const url = URL.parse(...args);
        assert_equals(new URL(url.href).href, url.href, 'parses to itself');
        assert_equals(url.toJSON(), url.href);
        assert_equals(String(url), url.href);
      }
      assert_equals(URL.canParse(...args), href !== null);
    },
    `parse ${quoted(input)} against ${quoted(base)}`,
  );
}

/** URL, and its origin, protocol, username, password, host, hostname, port, pathname, search and hash. */
const PARTS = [
  ['https://u:p@h:8/a/b?c#d', 'https://h:8 https: u p h:8 h 8 /a/b ?c #d'],
  ['http://h', 'http://h http: - - h h - / - -'],
  ['http://h/?#', 'http://h http: - - h h - / - -'],
  ['ws://h:80/a', 'ws://h ws: - - h h - /a - -'],
  ['ftp://h/', 'ftp://h ftp: - - h h - / - -'],
  ['http://[::1]:1/', 'http://[::1]:1 http: - - [::1]:1 [::1] 1 / - -'],
  ['x://h:9/a', 'null x: - - h:9 h 9 /a - -'],
  ['x:opaque?q#f', 'null x: - - - - - opaque ?q #f'],
  ['file:///a', 'null file: - - - - - /a - -'],
  ['blob:https://h:9/id', 'https://h:9 blob: - - - - - https://h:9/id - -'],
  ['blob:ftp://h/id', 'null blob: - - - - - ftp://h/id - -'],
  ['blob:x', 'null blob: - - - - - x - -'],
  ['data:,a', 'null data: - - - - - ,a - -'],
  [
    'https://bücher.example:443/',
    'https://xn--bcher-kva.example https: - - xn--bcher-kva.example xn--bcher-kva.example - / - -',
  ],
];
const NAMES = [
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
];
for (const [href, parts] of PARTS) {
  const expected = parts.split(' ').map((part) => (part === '-' ? '' : part));
  for (const [at, name] of NAMES.entries())
    test(() => assert_equals(new URL(href)[name], expected[at]), `${name} of ${href}`);
}

/** Attribute, URL, value to set, URL after it. */
const SET = [
  ['protocol', 'http://h/', 'https', 'https://h/'],
  ['protocol', 'http://h/', 'HTTPS:', 'https://h/'],
  ['protocol', 'http://h/', 'https:foo', 'https://h/'],
  ['protocol', 'http://h:443/', 'https', 'https://h/'],
  ['protocol', 'http://h/', 'x', 'http://h/'],
  ['protocol', 'x://h/', 'http', 'x://h/'],
  ['protocol', 'x://h/', 'y', 'y://h/'],
  ['protocol', 'http://h/', '', 'http://h/'],
  ['protocol', 'http://h/', '1a', 'http://h/'],
  ['protocol', 'http://h/', 'a_b', 'http://h/'],
  ['protocol', 'http://u@h/', 'file', 'http://u@h/'],
  ['protocol', 'http://h:8/', 'file', 'http://h:8/'],
  ['protocol', 'file://h/', 'http', 'http://h/'],
  ['protocol', 'file:///a', 'http', 'file:///a'],
  ['protocol', 'mailto:a', 'x', 'x:a'],
  ['username', 'http://h/', 'a', 'http://a@h/'],
  ['username', 'http://a@h/', '', 'http://h/'],
  ['username', 'http://a:b@h/', '', 'http://:b@h/'],
  ['username', 'http://h/', 'a:@/ü', 'http://a%3A%40%2F%C3%BC@h/'],
  ['username', 'http://h/', '%c3', 'http://%c3@h/'],
  ['username', 'mailto:a', 'b', 'mailto:a'],
  ['username', 'file:///a', 'b', 'file:///a'],
  ['username', 'x://h', 'b', 'x://b@h'],
  ['password', 'http://h/', 'b', 'http://:b@h/'],
  ['password', 'http://a:b@h/', '', 'http://a@h/'],
  ['password', 'http://a@h/', ' :?', 'http://a:%20%3A%3F@h/'],
  ['password', 'file:///a', 'b', 'file:///a'],
  ['host', 'http://h/', 'g', 'http://g/'],
  ['host', 'http://h:8/', 'g', 'http://g:8/'],
  ['host', 'http://h:8/', 'g:9', 'http://g:9/'],
  ['host', 'http://h:8/', 'g:80', 'http://g/'],
  ['host', 'http://h/', 'g:', 'http://g/'],
  ['host', 'http://h/', 'g:x', 'http://g/'],
  ['host', 'http://h/', 'g:8x', 'http://g:8/'],
  ['host', 'http://h/', 'g:65536', 'http://g/'],
  ['host', 'http://h/', '', 'http://h/'],
  ['host', 'http://h/', 'g/p', 'http://g/'],
  ['host', 'http://h/', 'g?q', 'http://g/'],
  ['host', 'http://h/', 'g#f', 'http://g/'],
  ['host', 'http://h/', 'g\\p', 'http://g/'],
  ['host', 'http://h/', 'u@g', 'http://h/'],
  ['host', 'http://h/', 'a b', 'http://h/'],
  ['host', 'http://h/', '0x7f.1', 'http://127.0.0.1/'],
  ['host', 'http://h/', '[::0:1]:7', 'http://[::1]:7/'],
  ['host', 'http://h/', '[::1', 'http://h/'],
  ['host', 'http://h/', 'BÜCHER', 'http://xn--bcher-kva/'],
  ['host', 'mailto:a', 'b', 'mailto:a'],
  ['host', 'x://h/', '', 'x:///'],
  ['host', 'x://u@h/', '', 'x://u@h/'],
  ['host', 'x://h:8/', '', 'x://h:8/'],
  ['host', 'x:/p', 'h', 'x://h/p'],
  ['host', 'file:///p', 'localhost', 'file:///p'],
  ['host', 'file:///p', 'h:8', 'file:///p'],
  ['hostname', 'http://h:8/', 'g', 'http://g:8/'],
  ['hostname', 'http://h:8/', 'g:9', 'http://h:8/'],
  ['hostname', 'http://h:8/', '', 'http://h:8/'],
  ['hostname', 'http://h/', ':9', 'http://h/'],
  ['hostname', 'http://h/', 'g/p', 'http://g/'],
  ['hostname', 'x:/.//p', 'h', 'x://h//p'],
  ['hostname', 'x://h//p', '', 'x:////p'],
  ['hostname', 'mailto:a', 'b', 'mailto:a'],
  ['port', 'http://h/', '8', 'http://h:8/'],
  ['port', 'http://h:8/', '', 'http://h/'],
  ['port', 'http://h:8/', '80', 'http://h/'],
  ['port', 'http://h:8/', '9x', 'http://h:9/'],
  ['port', 'http://h:8/', 'x9', 'http://h:8/'],
  ['port', 'http://h:8/', '65536', 'http://h:8/'],
  ['port', 'http://h:8/', '65535', 'http://h:65535/'],
  ['port', 'http://h:8/', '007', 'http://h:7/'],
  ['port', 'http://h:8/', '9/p', 'http://h:9/'],
  ['port', 'http://h:8/', '-1', 'http://h:8/'],
  ['port', 'http://h:8/', '\t9\n', 'http://h:9/'],
  ['port', 'file:///a', '8', 'file:///a'],
  ['port', 'mailto:a', '8', 'mailto:a'],
  ['pathname', 'http://h/a', 'b', 'http://h/b'],
  ['pathname', 'http://h/a', '/b/../c', 'http://h/c'],
  ['pathname', 'http://h/a?q#f', '', 'http://h/?q#f'],
  ['pathname', 'http://h/a', '?#', 'http://h/%3F%23'],
  ['pathname', 'http://h/a', '\\b', 'http://h/b'],
  ['pathname', 'http://h/a', ' ü', 'http://h/%20%C3%BC'],
  ['pathname', 'http://h/a', '%2e%2e/b', 'http://h/b'],
  ['pathname', 'mailto:a', 'b', 'mailto:a'],
  ['pathname', 'x://h/a', '', 'x://h'],
  ['pathname', 'x:/a', '//p', 'x:/.//p'],
  ['pathname', 'x:/a', '/.//p', 'x:/.//p'],
  ['pathname', 'file:///C:/a', '/../b', 'file:///b'],
  ['search', 'http://h/', 'q', 'http://h/?q'],
  ['search', 'http://h/', '?q', 'http://h/?q'],
  ['search', 'http://h/', '??q', 'http://h/??q'],
  ['search', 'http://h/?q', '', 'http://h/'],
  ['search', 'http://h/?q', '?', 'http://h/?'],
  ['search', 'http://h/#f', "a#'ü ", 'http://h/?a%23%27%C3%BC%20#f'],
  ['search', 'x://h/', "'", "x://h/?'"],
  ['hash', 'http://h/', 'f', 'http://h/#f'],
  ['hash', 'http://h/', '#f', 'http://h/#f'],
  ['hash', 'http://h/', '##f', 'http://h/##f'],
  ['hash', 'http://h/#f', '', 'http://h/'],
  ['hash', 'http://h/#f', '#', 'http://h/#'],
  ['hash', 'http://h/', ' "<>`ü', 'http://h/#%20%22%3C%3E%60%C3%BC'],
  ['hash', 'http://h/', 'a\u0000b', 'http://h/#a%00b'],
  ['hash', 'mailto:a', 'f', 'mailto:a#f'],
  ['href', 'http://h/', 'x://g', 'x://g'],
];
for (const [name, before, value, after] of SET) {
  test(
    () => {
      const url = new URL(before);
      url[name] = value;
      assert_equals(url.href, after);
    },
    `set ${name} of ${before} to ${quoted(value)}`,
  );
}
test(() => {
  const url = new URL('http://h/');
  assert_throws_js(TypeError, () => {
    url.href = 'bad';
  });
  assert_equals(url.href, 'http://h/');
}, 'a malformed href throws and changes nothing');
test(() => {
  const url = new URL('http://h/');
  assert_throws_js(TypeError, () => {
    url.origin = 'x';
  });
}, 'origin is read-only');

/** Query, and its pairs. */
const QUERIES = [
  ['', []],
  ['?', []],
  ['a=b', [['a', 'b']]],
  ['?a=b', [['a', 'b']]],
  ['??a=b', [['?a', 'b']]],
  ['a', [['a', '']]],
  ['a=', [['a', '']]],
  ['=b', [['', 'b']]],
  ['=', [['', '']]],
  ['&&', []],
  [
    'a&b',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  ['a=b=c', [['a', 'b=c']]],
  ['a+b=c+d', [['a b', 'c d']]],
  ['a%20b=%2B', [['a b', '+']]],
  ['%zz=%', [['%zz', '%']]],
  ['%c3%bc=%FF', [['ü', '\ufffd']]],
  ['%EF%BB%BFa=%FE%FF', [['\ufeffa', '\ufffd\ufffd']]],
  [
    'a=1&a=2',
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  ['a;b=c', [['a;b', 'c']]],
  ['ü=€', [['ü', '€']]],
  ['\ud800=x', [['\ufffd', 'x']]],
];
for (const [query, pairs] of QUERIES) {
  test(
    () => assert_equals(JSON.stringify([...new URLSearchParams(query)]), JSON.stringify(pairs)),
    `pairs of ${quoted(query)}`,
  );
}
/** Name, and its serialization. */
const SERIALIZED = [
  [' ', '+='],
  ['+', '%2B='],
  ['&=', '%26%3D='],
  ['%', '%25='],
  ["'()!~", '%27%28%29%21%7E='],
  ['*-._', '*-._='],
  ['ü😀', '%C3%BC%F0%9F%98%80='],
  ['\u0000\n\r', '%00%0A%0D='],
  ['/?:@', '%2F%3F%3A%40='],
  ['\udc00', '%EF%BF%BD='],
];
for (const [name, text] of SERIALIZED) {
  test(
    () => assert_equals(String(new URLSearchParams([[name, '']])), text),
    `serialization of ${quoted(name)}`,
  );
}

test(() => {
  assert_equals(String(new URLSearchParams()), '');
  assert_equals(String(new URLSearchParams(undefined)), '');
  assert_equals(String(new URLSearchParams(null)), 'null=');
  assert_equals(String(new URLSearchParams({ a: 1, b: true })), 'a=1&b=true');
  assert_equals(String(new URLSearchParams(new URLSearchParams('a=b&a=c'))), 'a=b&a=c');
  assert_equals(String(new URLSearchParams(new Map([['a', 'b']]))), 'a=b');
  assert_equals(String(new URLSearchParams({ '\ud800': '1' })), '%EF%BF%BD=1');
  for (const bad of [[['a']], [['a', 'b', 'c']], ['ab'], [1], [[]]])
    assert_throws_js(TypeError, () => new URLSearchParams(bad));
  assert_throws_js(TypeError, () => new URLSearchParams({ [Symbol('a')]: 1 }));
}, 'URLSearchParams takes text, pairs and records');
test(() => {
  const params = new URLSearchParams('a=1&b=2&a=3&c=4');
  assert_equals(params.size, 4);
  assert_equals(params.get('a'), '1');
  assert_equals(params.get('z'), null);
  assert_array_equals(params.getAll('a'), ['1', '3']);
  assert_array_equals(params.getAll('z'), []);
  assert_true(params.has('a') && params.has('a', '3') && !params.has('a', '4') && !params.has('z'));
  params.set('a', '9');
  assert_equals(String(params), 'a=9&b=2&c=4');
  params.append('b', '5');
  params.delete('b', '2');
  assert_equals(String(params), 'a=9&c=4&b=5');
  params.delete('b');
  params.delete('z');
  assert_equals(String(params), 'a=9&c=4');
  params.set('new', '');
  assert_equals(String(params), 'a=9&c=4&new=');
  assert_true(params.has('a', undefined));
}, 'URLSearchParams reads and changes pairs');
test(() => {
  const params = new URLSearchParams('z=b&ﬃ&🌈&a=2&a=1&z=a');
  params.sort();
  assert_equals([...params].join(';'), 'a,2;a,1;z,b;z,a;🌈,;ﬃ,');
}, 'URLSearchParams sorts by code units and keeps the order of equal names');
test(() => {
  const params = new URLSearchParams('a=1&b=2');
  assert_array_equals([...params.keys()], ['a', 'b']);
  assert_array_equals([...params.values()], ['1', '2']);
  assert_equals(params.entries, params[Symbol.iterator]);
  const seen = [];
  params.forEach(
    function (value, name, all) {
      seen.push(value, name, all === params, this.x);
    },
    { x: 5 },
  );
  assert_array_equals(seen, ['1', 'a', true, 5, '2', 'b', true, 5]);
  const iterator = params.entries();
  assert_equals(Object.prototype.toString.call(iterator), '[object URLSearchParams Iterator]');
  assert_equals(iterator[Symbol.iterator](), iterator);
  assert_throws_js(TypeError, () => params.forEach());
}, 'URLSearchParams iterates');
test(() => {
  const seen = [];
  const params = new URLSearchParams('a=1&b=2&c=3');
  for (const [name] of params) {
    seen.push(name);
    if (name === 'a') params.delete('b');
  }
  assert_array_equals(seen, ['a', 'c']);
}, 'an iteration of URLSearchParams sees deletions');
test(() => {
  const url = new URL('http://h/?a=~%20b#f');
  const { searchParams } = url;
  assert_equals(url.searchParams, searchParams);
  assert_equals(url.search, '?a=~%20b', 'reading changes nothing');
  searchParams.append('c', 'd e');
  assert_equals(url.href, 'http://h/?a=%7E+b&c=d+e#f');
  url.search = '?x=y';
  assert_equals(searchParams.get('x'), 'y');
  assert_equals(searchParams.get('a'), null);
  searchParams.delete('x');
  assert_equals(url.href, 'http://h/#f');
  url.href = 'http://g/?k=v';
  assert_equals(searchParams.get('k'), 'v');
}, 'searchParams follows its URL, and the URL follows it');
test(() => {
  assert_throws_js(TypeError, () => URL('http://h/'));
  assert_throws_js(TypeError, () => new URL());
  assert_throws_js(TypeError, () => URLSearchParams(''));
  assert_equals(new URL({ toString: () => 'http://h/' }).href, 'http://h/');
  assert_equals(new URL('/a', new URL('http://h/b')).href, 'http://h/a');
  assert_equals(new URL('http://h/', undefined).href, 'http://h/');
  assert_throws_js(TypeError, () => new URL('/a', null));
}, 'URL converts its arguments');
test(() => {
  const url = URL.createObjectURL(new Blob(['a']));
  assert_true(url.startsWith('blob:'));
  assert_equals(URL.revokeObjectURL(url), undefined);
  assert_equals(URL.revokeObjectURL('blob:unknown'), undefined);
}, 'object URLs can be created and revoked');
