import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, publicAddresses } from './public-address.ts';

describe('not public', () => {
  test.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '10.255.255.255',
      '100.64.0.1',
      '100.100.100.200',
      '100.127.255.255',
    ],
    ...['127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.0.0.1', '192.0.0.192', '192.0.2.1', '192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
    ...[
      '64:ff9b::7f00:1',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:db8::1',
      '2002:7f00:1::',
    ],
    ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '3fff::1', '5f00::1'],
    ...['', 'localhost', 'example.com', '1.2.3', '8.8.8.8:80', '[::1]'],
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '172.32.0.1',
  '192.167.1.1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe('the addresses of a name', () => {
  const refused = new Error('refused');
  const forbidden = new BlockList();
  forbidden.addSubnet('11.0.0.0', 8, 'ipv4');
  forbidden.addAddress('2a00:1450::5', 'ipv6');
  const find = (...addresses: string[]) => publicAddresses(addresses, () => refused, forbidden);

  test.each([
    [[]],
    [['93.184.215.14', '127.0.0.1']],
    [['93.184.215.14', '11.2.3.4']],
    [['2a00:1450:0:0:0:0:0:5']],
    [[...Array(20).fill('93.184.215.14'), '10.0.0.1']],
  ])('are refused when one is private or forbidden, or there is none: %j', async (addresses) => {
    await expect(find(...addresses)).rejects.toBe(refused);
  });

  test('are at most 16, to which the machine has a route', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `93.184.215.${index + 1}`);
    const found = await find(...many).catch((error) => error.code);
    // A machine without a network has none.
    expect([many.slice(0, 16), 'ENETUNREACH']).toContainEqual(found);
  });
});
