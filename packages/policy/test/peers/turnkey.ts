import {
  ALICE,
  allow,
  allowMessage,
  allowTyped,
  authorization,
  BOB,
  call,
  deny,
  ETHER,
  EVE,
  functions,
  hash,
  message,
  OTHER_TOKEN,
  permit,
  ROUTER,
  selectorOf,
  send,
  sign,
  TOKEN,
  TRANSFER,
  transfer,
  typed,
} from '../requests.ts';
import type { PeerPolicy } from './peer-policy.ts';

const hyperliquid = (primaryType: string, domain: object = {}) =>
  typed({
    domain: {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: 42_161,
      verifyingContract: `0x${'00'.repeat(20)}`,
      ...domain,
    },
    types: { [primaryType]: [{ name: 'agentAddress', type: 'address' }] },
    primaryType,
    message: { agentAddress: ALICE },
  });
const order = (to: string, amounts: string[]) =>
  typed({
    domain: { name: 'Shop', chainId: 1, verifyingContract: TOKEN },
    types: {
      Order: [
        { name: 'buyer', type: 'Person' },
        { name: 'items', type: 'Item[]' },
      ],
      Person: [{ name: 'wallet', type: 'address' }],
      Item: [{ name: 'amount', type: 'uint256' }],
    },
    primaryType: 'Order',
    message: { buyer: { wallet: to }, items: amounts.map((amount) => ({ amount })) },
  });
const ORDER = 'Order(Person buyer,Item[] items)Item(uint256 amount)Person(address wallet)';
const MINT = 'mint(address to, uint256 amount)';
const PAY = 'pay(address[] to, uint256[] amounts)';

export const turnkey: PeerPolicy[] = [
  {
    peer: 'Turnkey',
    topic: 'sign transactions to one address',
    rules: [allow({ to: [ALICE] })],
    cases: [
      ['to it', sign(), 'allowed'],
      ['to it in upper case', sign({ to: `0x${ALICE.slice(2).toUpperCase()}` }), 'allowed'],
      ['to another', sign({ to: BOB }), 'refused'],
      ['creation of a contract', sign({ to: null, data: '0x6000' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'ERC-20 transfers of one token, by the first bytes of the data',
    rules: [allow({ to: [TOKEN], data: { selectors: ['0xa9059cbb'] } })],
    cases: [
      ['transfer', sign({ to: TOKEN, data: transfer(ALICE, 1n) }), 'allowed'],
      ['approve', sign({ to: TOKEN, data: call('approve', ALICE, 1n) }), 'refused'],
      ['transfer of another token', sign({ to: OTHER_TOKEN, data: transfer(ALICE, 1n) }), 'refused'],
      ['no data', sign({ to: TOKEN }), 'refused'],
      ['three bytes', sign({ to: TOKEN, data: '0xa9059c' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'recipient and amount in the data by their byte offsets',
    rules: [
      allow({
        to: [TOKEN],
        data: {
          prefix: '0xa9059cbb',
          min_length: 68,
          max_length: 68,
          slices: [{ offset: 16, bytes: ALICE }],
        },
      }),
    ],
    cases: [
      ['the recipient', sign({ to: TOKEN, data: transfer(ALICE, 5n) }), 'allowed'],
      ['another recipient', sign({ to: TOKEN, data: transfer(BOB, 5n) }), 'refused'],
      ['extra bytes', sign({ to: TOKEN, data: `${transfer(ALICE, 5n)}00` }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'parameters by an uploaded ABI: amount below a bound and a fixed recipient',
    rules: [
      allow({
        to: [TOKEN],
        data: functions(TRANSFER, { path: 'amount', max: String(ETHER - 1n) }, { path: 'to', equals: ALICE }),
      }),
    ],
    cases: [
      ['below the bound', sign({ to: TOKEN, data: transfer(ALICE, ETHER - 1n) }), 'allowed'],
      ['at the bound', sign({ to: TOKEN, data: transfer(ALICE, ETHER) }), 'refused'],
      ['another recipient', sign({ to: TOKEN, data: transfer(EVE, 1n) }), 'refused'],
      [
        'extra bytes after the parameters',
        sign({ to: TOKEN, data: `${transfer(ALICE, 1n)}${'00'.repeat(32)}` }),
        'refused',
      ],
      ['missing bytes', sign({ to: TOKEN, data: transfer(ALICE, 1n).slice(0, -2) }), 'refused'],
      [
        'bits above the address',
        sign({ to: TOKEN, data: transfer(ALICE, 1n).replace('000000', '000001') }),
        'refused',
      ],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'one test network',
    rules: [allow({ chains: [11_155_111] })],
    cases: [
      ['on it', sign({ chainId: 11_155_111 }), 'allowed'],
      ['on mainnet', sign({ chainId: 1 }), 'refused'],
      ['with the chain in hex', sign({ chainId: '0xaa36a7' }), 'allowed'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'an early nonce',
    rules: [allow({ kind: 'sign_transaction', nonce: { max: 3 } })],
    cases: [
      ['nonce 3', sign({ nonce: 3 }), 'allowed'],
      ['nonce 4', sign({ nonce: 4 }), 'refused'],
      ['a nonce of the service', send(), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'bounds of value, gas and fees',
    rules: [
      allow({
        value: { max: String(ETHER) },
        gas: { max: 100_000 },
        max_fee_per_gas: { max: '50000000000' },
        max_priority_fee_per_gas: { max: '2000000000' },
      }),
    ],
    cases: [
      [
        'all at their bounds',
        sign({
          value: String(ETHER),
          gas: 100_000,
          maxFeePerGas: '50000000000',
          maxPriorityFeePerGas: '2000000000',
        }),
        'allowed',
      ],
      ['more value', sign({ value: String(ETHER + 1n) }), 'refused'],
      ['more gas', sign({ gas: 100_001 }), 'refused'],
      ['a higher fee', sign({ maxFeePerGas: '50000000001' }), 'refused'],
      ['a higher priority fee', sign({ maxPriorityFeePerGas: '2000000001' }), 'refused'],
      ['a transaction whose fee the service chooses', send({ gas: 50_000 }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'typed data by the name of the domain and the primary type (with a colon in its name)',
    rules: [
      allowTyped({ names: ['HyperliquidSignTransaction'], types: ['HyperliquidTransaction:ApproveAgent'] }),
    ],
    cases: [
      ['the type', hyperliquid('HyperliquidTransaction:ApproveAgent'), 'allowed'],
      ['another type', hyperliquid('HyperliquidTransaction:Withdraw'), 'refused'],
      ['another domain', hyperliquid('HyperliquidTransaction:ApproveAgent', { name: 'Other' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'EIP-2612 permits of USD Coin',
    rules: [allowTyped({ names: ['USD Coin'], types: ['Permit'] })],
    cases: [
      ['a permit', permit(), 'allowed'],
      ['of another domain', permit({}, { name: 'Tether' }), 'refused'],
      ['without a domain name', permit({}, { name: undefined }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'nested fields and lists of a typed message, also each and any element',
    rules: [
      allowTyped({
        types: [ORDER],
        fields: [
          { path: 'buyer.wallet', equals: ALICE },
          { path: 'items[*].amount', max: 10 },
          { path: 'items[*].amount', some: true, equals: 1 },
          { path: 'items', min_length: 1, max_length: 3 },
        ],
      }),
    ],
    cases: [
      ['within', order(ALICE, ['1', '10']), 'allowed'],
      ['another buyer', order(BOB, ['1', '10']), 'refused'],
      ['one amount too large', order(ALICE, ['1', '11']), 'refused'],
      ['no element of 1', order(ALICE, ['2', '10']), 'refused'],
      ['no element', order(ALICE, []), 'refused'],
      ['too many elements', order(ALICE, ['1', '1', '1', '1']), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'an EIP-7702 authorization of one contract, chain and nonce',
    rules: [
      {
        name: 'allow',
        effect: 'allow',
        kind: 'authorization',
        chains: [1],
        contracts: [ALICE],
        nonce: { min: 0, max: 0 },
      },
    ],
    cases: [
      ['it', authorization(), 'allowed'],
      ['another contract', authorization({ contract: BOB }), 'refused'],
      ['another nonce', authorization({ nonce: 1 }), 'refused'],
      ['every chain', authorization({ chainId: 0 }), 'refused'],
      ['inside of a transaction', sign({ type: 'eip7702', authorizationList: [] }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'no signature of a hash that was not made here',
    rules: [allowMessage({ bytes: 'any' }), { name: 'deny', effect: 'deny', kind: 'hash' }],
    cases: [
      ['a hash', hash(), 'refused'],
      ['a message', message('hello'), 'allowed'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'wallets by their address',
    rules: [allow({ wallets: [BOB] })],
    cases: [
      ['the wallet', { ...sign(), pkpId: BOB }, 'allowed'],
      ['another wallet', sign(), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'a function by its name alone, whatever its parameters',
    rules: [allow({ to: [TOKEN], data: functions(TRANSFER) })],
    cases: [
      ['the function', sign({ to: TOKEN, data: transfer(EVE, (1n << 256n) - 1n) }), 'allowed'],
      ['another function', sign({ to: TOKEN, data: call('mint', EVE, 1n) }), 'refused'],
      ['its selector without parameters', sign({ to: TOKEN, data: '0xa9059cbb' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'types of transactions',
    rules: [allow({ types: ['legacy', 'eip2930'], access_list: 'any' })],
    cases: [
      ['legacy', sign({ maxFeePerGas: undefined, gasPrice: '1', type: 'legacy' }), 'allowed'],
      [
        'with an access list',
        sign({ maxFeePerGas: undefined, gasPrice: '1', type: 'eip2930', accessList: [] }),
        'allowed',
      ],
      ['EIP-1559', sign(), 'refused'],
      ['with blobs', sign({ type: 'eip4844', blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'the gas price of legacy transactions',
    rules: [allow({ types: ['legacy'], max_fee_per_gas: { max: 100 } })],
    cases: [
      ['at the bound', sign({ maxFeePerGas: undefined, gasPrice: '100' }), 'allowed'],
      ['above', sign({ maxFeePerGas: undefined, gasPrice: '101' }), 'refused'],
      ['with both kinds of fees', sign({ gasPrice: '100' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'a deployer: creates contracts on a test network, and calls nothing',
    rules: [allow({ chains: [11_155_111], to: undefined, create: true, value: undefined })],
    cases: [
      ['a contract', sign({ chainId: 11_155_111, to: null, data: '0x6000' }), 'allowed'],
      ['on mainnet', sign({ to: null, data: '0x6000' }), 'refused'],
      ['a call', sign({ chainId: 11_155_111, data: '0x6000' }), 'refused'],
      ['with value', sign({ chainId: 11_155_111, to: null, data: '0x6000', value: '1' }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'an operator: mints up to a bound to the treasury, and upgrades nothing',
    rules: [
      allow({
        to: [TOKEN],
        data: functions(MINT, { path: 'to', equals: ALICE }, { path: 'amount', max: 1_000_000 }),
      }),
      deny({ data: { selectors: [selectorOf(call('upgradeToAndCall', EVE, '0x'))] } }),
    ],
    cases: [
      ['a mint', sign({ to: TOKEN, data: call('mint', ALICE, 1_000_000n) }), 'allowed'],
      ['a larger mint', sign({ to: TOKEN, data: call('mint', ALICE, 1_000_001n) }), 'refused'],
      ['a mint to another', sign({ to: TOKEN, data: call('mint', EVE, 1n) }), 'refused'],
      ['an upgrade', sign({ to: TOKEN, data: call('upgradeToAndCall', EVE, '0x') }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'elements of an array parameter: each, any, and their number',
    rules: [
      allow({
        to: [ROUTER],
        data: functions(
          PAY,
          { path: 'to[*]', not_equals: EVE },
          { path: 'to[*]', some: true, equals: ALICE },
          { path: 'to', min_length: 1, max_length: 2 },
        ),
      }),
    ],
    cases: [
      ['within', sign({ to: ROUTER, data: call('pay', [BOB, ALICE], [1n, 1n]) }), 'allowed'],
      ['one that is excluded', sign({ to: ROUTER, data: call('pay', [ALICE, EVE], [1n, 1n]) }), 'refused'],
      ['without the required one', sign({ to: ROUTER, data: call('pay', [BOB], [1n]) }), 'refused'],
      ['too many', sign({ to: ROUTER, data: call('pay', [ALICE, ALICE, ALICE], [1n]) }), 'refused'],
    ],
  },
  {
    peer: 'Turnkey',
    topic: 'name, version, chain and contract of the domain together',
    rules: [
      allowTyped({
        names: ['USD Coin'],
        versions: ['2'],
        chains: [1],
        contracts: [TOKEN],
        types: ['Permit'],
      }),
    ],
    cases: [
      ['all of them', permit(), 'allowed'],
      ['another version', permit({}, { version: '1' }), 'refused'],
      ['no version', permit({}, { version: undefined }), 'refused'],
      ['a name that differs in case', permit({}, { name: 'usd coin' }), 'refused'],
    ],
  },
];
