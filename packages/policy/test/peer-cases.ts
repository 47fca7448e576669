/**
 * Policies modelled on what the public documentation of other wallet services describes, each with requests and their verdicts. The
 * policies are written in this language: `topic` says which rule of the other service they express.
 */
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
  PERMIT,
  permit,
  ROUTER,
  raw,
  selectorOf,
  send,
  sign,
  TOKEN,
  TRANSFER,
  transfer,
  typed,
  WALLET,
} from './requests.ts';

type Verdict = 'allowed' | 'refused';
/** A title, the request, the verdict, and the time if it matters. */
type PeerCase = [what: string, request: object, verdict: Verdict, time?: string];
export type PeerPolicy = {
  peer: 'Turnkey' | 'Privy' | 'CDP';
  topic: string;
  rules: object[];
  cases: PeerCase[];
};

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

const turnkey: PeerPolicy[] = [
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
];

const privy: PeerPolicy[] = [
  {
    peer: 'Privy',
    topic: 'a transfer limit, with denied recipients',
    rules: [allow({ data: undefined, value: { max: String(ETHER / 10n) } }), deny({ to: [EVE] })],
    cases: [
      ['within', sign({ value: String(ETHER / 10n) }), 'allowed'],
      ['above', sign({ value: String(ETHER / 10n + 1n) }), 'refused'],
      ['to a denied recipient', sign({ to: EVE, value: '1' }), 'refused'],
      ['with data', sign({ data: '0x00' }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'one chain and one contract for sent transactions only',
    rules: [allow({ kind: 'send_transaction', chains: [8453], to: [TOKEN] })],
    cases: [
      ['sent', send({ chainId: 8453, to: TOKEN }), 'allowed'],
      ['signed', sign({ chainId: 8453, to: TOKEN }), 'refused'],
      ['on another chain', send({ chainId: 1, to: TOKEN }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'every method but key export: an allow rule for each kind',
    rules: [
      allow(),
      { ...allowMessage({ bytes: 'any' }), name: 'messages' },
      { ...allowTyped(), name: 'typed data' },
    ],
    cases: [
      ['a transaction', sign({ value: '1', data: '0x1234' }), 'allowed'],
      ['a sent transaction', send(), 'allowed'],
      ['a message', message('x'), 'allowed'],
      ['typed data', permit(), 'allowed'],
      ['a hash', hash(), 'refused'],
      ['an authorization', authorization(), 'refused'],
      ['the key', { kind: 'export', pkpId: WALLET }, 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'calldata by the ABI: name of the function and parameters, also of transferFrom',
    rules: [
      allow({
        to: [TOKEN],
        data: {
          functions: [
            { function: TRANSFER, args: [{ path: 'amount', max: 1_000 }] },
            {
              function: 'transferFrom(address from, address to, uint256 amount)',
              args: [
                { path: 'from', equals: 'wallet' },
                { path: 'amount', max: 10 },
              ],
            },
          ],
        },
      }),
    ],
    cases: [
      ['transfer', sign({ to: TOKEN, data: transfer(EVE, 1_000n) }), 'allowed'],
      [
        'transferFrom the wallet',
        sign({ to: TOKEN, data: call('transferFrom', WALLET, EVE, 10n) }),
        'allowed',
      ],
      ['transferFrom another', sign({ to: TOKEN, data: call('transferFrom', BOB, EVE, 10n) }), 'refused'],
      ['too much', sign({ to: TOKEN, data: call('transferFrom', WALLET, EVE, 11n) }), 'refused'],
      ['approve', sign({ to: TOKEN, data: call('approve', EVE, 1n) }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'typed data by the chain and contract of the domain',
    rules: [allowTyped({ chains: [1, 8453], contracts: [TOKEN] })],
    cases: [
      ['on a listed chain', permit({}, { chainId: 8453 }), 'allowed'],
      ['on another chain', permit({}, { chainId: 137 }), 'refused'],
      ['of another contract', permit({}, { verifyingContract: EVE }), 'refused'],
      ['without a chain', permit({}, { chainId: undefined }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'fields of a typed message with their types',
    rules: [
      allowTyped({
        types: [PERMIT],
        fields: [
          { path: 'value', max: 100 },
          { path: 'spender', in: [ALICE, BOB] },
        ],
      }),
    ],
    cases: [
      ['within', permit(), 'allowed'],
      ['more value', permit({ value: '101' }), 'refused'],
      ['more value in hex', permit({ value: '0x65' }), 'refused'],
      ['another spender', permit({ spender: EVE }), 'refused'],
      [
        'a value of another type',
        { ...permit(), types: { Permit: [{ name: 'value', type: 'string' }] }, message: { value: '1' } },
        'refused',
      ],
      ['a field that the type lacks', permit({ extra: 1 }), 'refused'],
      ['a value above 256 bits', permit({ value: String(1n << 256n) }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'a signer until a time',
    rules: [allow({ time: { until: '2027-01-01T00:00:00Z' } })],
    cases: [
      ['before', sign(), 'allowed', '2026-12-31T23:59:59.999Z'],
      ['at the time', sign(), 'refused', '2027-01-01T00:00:00Z'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'a time window',
    rules: [
      allow({
        time: {
          from: '2026-06-01T00:00:00Z',
          until: '2026-07-01T00:00:00Z',
          days: ['mon', 'tue'],
          hours: [{ from: '22:00', until: '06:00' }],
        },
      }),
    ],
    cases: [
      ['before the window', sign(), 'refused', '2026-05-31T23:59:59Z'],
      ['Monday at night', sign(), 'allowed', '2026-06-01T23:00:00Z'],
      ['Monday at noon', sign(), 'refused', '2026-06-01T12:00:00Z'],
      ['Tuesday before six', sign(), 'allowed', '2026-06-02T05:59:59Z'],
      ['Tuesday at six', sign(), 'refused', '2026-06-02T06:00:00Z'],
      ['Wednesday', sign(), 'refused', '2026-06-03T05:00:00Z'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'EIP-7702 authorizations of listed contracts',
    rules: [
      { name: 'allow', effect: 'allow', kind: 'authorization', chains: 'any', contracts: [ALICE, BOB] },
    ],
    cases: [
      ['a listed contract', authorization({ contract: BOB, nonce: 9 }), 'allowed'],
      ['another contract', authorization({ contract: EVE }), 'refused'],
      ['every chain', authorization({ contract: BOB, chainId: 0 }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'a deny rule wins, in any order',
    rules: [deny({ data: functions('approve(address spender, uint256 amount)') }), allow({ to: [TOKEN] })],
    cases: [
      ['transfer', sign({ to: TOKEN, data: transfer(ALICE, 1n) }), 'allowed'],
      ['approve', sign({ to: TOKEN, data: call('approve', EVE, 1n) }), 'refused'],
      [
        'approve with extra bytes, which the contract ignores',
        sign({ to: TOKEN, data: `${call('approve', EVE, 1n)}00` }),
        'refused',
      ],
    ],
  },
  {
    peer: 'Privy',
    topic: 'a rolling limit of a token (more than the whole limit in one request)',
    rules: [
      allow({
        to: [TOKEN],
        data: functions(TRANSFER),
        limits: [{ name: 'daily', of: 'args.amount', max: 100, window: '24h' }],
      }),
    ],
    cases: [
      ['the limit', sign({ to: TOKEN, data: transfer(ALICE, 100n) }), 'allowed'],
      ['more than the limit', sign({ to: TOKEN, data: transfer(ALICE, 101n) }), 'refused'],
    ],
  },
];

const cdp: PeerPolicy[] = [
  {
    peer: 'CDP',
    topic: 'an allowlist of addresses with a bound of value',
    rules: [allow({ kind: 'sign_transaction', to: [ALICE, BOB], value: { max: String(ETHER) } })],
    cases: [
      ['a listed address', sign({ to: BOB, value: String(ETHER) }), 'allowed'],
      ['another address', sign({ to: EVE, value: '1' }), 'refused'],
      ['more value', sign({ to: BOB, value: '0xde0b6b3a7640001' }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'a denylist: every address but these',
    rules: [allow({ to: { not_in: [EVE] } })],
    cases: [
      ['another address', sign(), 'allowed'],
      ['the denied address', sign({ to: EVE }), 'refused'],
      ['the denied address in another case', sign({ to: EVE.toUpperCase().replace('0X', '0x') }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'two tiers: small values to any address, larger ones to one address',
    rules: [
      { ...allow({ value: { max: String(ETHER) } }), name: 'small' },
      { ...allow({ to: [ALICE], value: { max: String(2n * ETHER) } }), name: 'large' },
    ],
    cases: [
      ['1 ether to any', sign({ to: EVE, value: String(ETHER) }), 'allowed'],
      ['2 ether to the address', sign({ value: String(2n * ETHER) }), 'allowed'],
      ['2 ether to another', sign({ to: EVE, value: String(2n * ETHER) }), 'refused'],
      ['3 ether', sign({ value: String(3n * ETHER) }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'listed networks',
    rules: [allow({ kind: 'send_transaction', chains: [8453, 84_532] })],
    cases: [
      ['on one', send({ chainId: 84_532 }), 'allowed'],
      ['on another', send({ chainId: 137 }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'networks other than these',
    rules: [allow({ kind: 'send_transaction', chains: { not_in: [1] } })],
    cases: [
      ['on another', send({ chainId: 137 }), 'allowed'],
      ['on mainnet', send({ chainId: 1 }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'messages by a regular expression',
    rules: [allowMessage({ text: { pattern: '[a-z]+ says hello(, (again|twice))?' } })],
    cases: [
      ['a match', message('alice says hello'), 'allowed'],
      ['the other match', message('alice says hello, twice'), 'allowed'],
      ['the bytes of a match', raw('alice says hello'), 'allowed'],
      ['a match inside of more text', message('alice says hello!'), 'refused'],
      ['another line', message('alice says hello\nand signs'), 'refused'],
      ['bytes that are not UTF-8', raw('0xff'), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'no messages at all',
    rules: [allow(), { name: 'deny', effect: 'deny', kind: 'message' }],
    cases: [['a message', message('hello'), 'refused']],
  },
  {
    peer: 'CDP',
    topic: 'no hashes',
    rules: [allow()],
    cases: [['a hash', hash(), 'refused']],
  },
  {
    peer: 'CDP',
    topic: 'listed hashes',
    rules: [{ name: 'allow', effect: 'allow', kind: 'hash', hashes: [`0x${'12'.repeat(32)}`] }],
    cases: [
      ['a listed hash', hash(), 'allowed'],
      ['another hash', hash(`0x${'34'.repeat(32)}`), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'parameters by the ABI, with all operators',
    rules: [
      allow({
        to: [ROUTER],
        data: functions(
          'stake(uint256 amount, uint8 tier, bool compound)',
          { path: 'amount', min: 10, max: 100 },
          { path: 'tier', in: [1, 2] },
          { path: 'compound', equals: true },
        ),
      }),
    ],
    cases: [
      ['within', sign({ to: ROUTER, data: call('stake', 10n, 2, true) }), 'allowed'],
      ['less', sign({ to: ROUTER, data: call('stake', 9n, 2, true) }), 'refused'],
      ['more', sign({ to: ROUTER, data: call('stake', 101n, 2, true) }), 'refused'],
      ['another tier', sign({ to: ROUTER, data: call('stake', 10n, 3, true) }), 'refused'],
      ['another boolean', sign({ to: ROUTER, data: call('stake', 10n, 2, false) }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'parameters without names, by their position',
    rules: [allow({ to: [TOKEN], data: functions('transfer(address,uint256)', { path: '1', max: 5 }) })],
    cases: [
      ['within', sign({ to: TOKEN, data: transfer(EVE, 5n) }), 'allowed'],
      ['more', sign({ to: TOKEN, data: transfer(EVE, 6n) }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'parameters with members and lists, and texts by prefix',
    rules: [
      {
        ...allow({
          to: [ROUTER],
          data: functions(
            'swap((address tokenIn, address tokenOut, uint256 amountIn, address recipient) params)',
            { path: 'params.tokenIn', equals: TOKEN },
            { path: 'params.recipient', equals: 'wallet' },
          ),
        }),
        name: 'swap',
      },
      {
        ...allow({
          to: [ROUTER],
          data: functions(
            'pay(address[] to, uint256[] amounts)',
            { path: 'to[*]', in: [ALICE, BOB] },
            { path: 'amounts[0]', max: 7 },
          ),
        }),
        name: 'pay',
      },
      {
        ...allow({
          to: [ROUTER],
          data: functions('register(string name, bytes32 label)', {
            path: 'name',
            prefix: 'app-',
            max_length: 8,
          }),
        }),
        name: 'register',
      },
    ],
    cases: [
      [
        'a swap to itself',
        sign({
          to: ROUTER,
          data: call('swap', { tokenIn: TOKEN, tokenOut: OTHER_TOKEN, amountIn: 1n, recipient: WALLET }),
        }),
        'allowed',
      ],
      [
        'a swap to another',
        sign({
          to: ROUTER,
          data: call('swap', { tokenIn: TOKEN, tokenOut: OTHER_TOKEN, amountIn: 1n, recipient: EVE }),
        }),
        'refused',
      ],
      ['listed recipients', sign({ to: ROUTER, data: call('pay', [ALICE, BOB], [7n, 9n]) }), 'allowed'],
      [
        'one recipient that is not listed',
        sign({ to: ROUTER, data: call('pay', [ALICE, EVE], [7n, 9n]) }),
        'refused',
      ],
      ['no element 0', sign({ to: ROUTER, data: call('pay', [], []) }), 'refused'],
      [
        'a name with the prefix',
        sign({ to: ROUTER, data: call('register', 'app-mail', `0x${'00'.repeat(32)}`) }),
        'allowed',
      ],
      [
        'another name',
        sign({ to: ROUTER, data: call('register', 'mail', `0x${'00'.repeat(32)}`) }),
        'refused',
      ],
      [
        'a long name',
        sign({ to: ROUTER, data: call('register', 'app-mails', `0x${'00'.repeat(32)}`) }),
        'refused',
      ],
    ],
  },
  {
    peer: 'CDP',
    topic: 'calls of a smart account: the target, value and call inside of execute and of each batched call',
    rules: [
      {
        ...allow({
          to: [ROUTER],
          data: functions(
            'execute(address target, uint256 value, bytes data)',
            { path: 'target', equals: TOKEN },
            { path: 'value', max: 0 },
            { path: 'data', call: [{ function: TRANSFER, args: [{ path: 'amount', max: 5 }] }] },
          ),
        }),
        name: 'execute',
      },
      {
        ...allow({
          to: [ROUTER],
          data: functions('executeBatch((address target, uint256 value, bytes data)[] calls)', {
            path: 'calls[*]',
            any_of: [
              [
                { path: 'target', equals: TOKEN },
                { path: 'value', equals: 0 },
                { path: 'data', call: [{ function: TRANSFER, args: [{ path: 'amount', max: 5 }] }] },
              ],
              [
                { path: 'target', equals: ALICE },
                { path: 'value', max: 9 },
                { path: 'data', max_length: 0 },
              ],
            ],
          }),
        }),
        name: 'batch',
      },
    ],
    cases: [
      ['a transfer', sign({ to: ROUTER, data: call('execute', TOKEN, 0n, transfer(EVE, 5n)) }), 'allowed'],
      [
        'a larger transfer',
        sign({ to: ROUTER, data: call('execute', TOKEN, 0n, transfer(EVE, 6n)) }),
        'refused',
      ],
      [
        'a value inside',
        sign({ to: ROUTER, data: call('execute', TOKEN, 1n, transfer(EVE, 5n)) }),
        'refused',
      ],
      ['another target', sign({ to: ROUTER, data: call('execute', EVE, 0n, transfer(EVE, 5n)) }), 'refused'],
      [
        'a transfer with extra bytes inside',
        sign({ to: ROUTER, data: call('execute', TOKEN, 0n, `${transfer(EVE, 5n)}00`) }),
        'refused',
      ],
      [
        'a batch of both kinds',
        sign({
          to: ROUTER,
          data: call('executeBatch', [
            { target: TOKEN, value: 0n, data: transfer(EVE, 5n) },
            { target: ALICE, value: 9n, data: '0x' },
          ]),
        }),
        'allowed',
      ],
      [
        'a batch with the target of one kind and the value of the other',
        sign({ to: ROUTER, data: call('executeBatch', [{ target: TOKEN, value: 9n, data: '0x' }]) }),
        'refused',
      ],
      ['multicall', sign({ to: ROUTER, data: call('multicall', [transfer(EVE, 1n)]) }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'typed data by the verifying contract',
    rules: [allowTyped({ contracts: [TOKEN] })],
    cases: [
      ['of it', permit(), 'allowed'],
      ['of another', permit({}, { verifyingContract: EVE }), 'refused'],
      ['without one', permit({}, { verifyingContract: undefined }), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'no approvals of operators or of unlimited amounts',
    rules: [
      {
        ...deny({ data: { selectors: [selectorOf(call('setApprovalForAll', EVE, true))] } }),
        name: 'operators',
      },
      {
        ...deny({
          data: functions('approve(address spender, uint256 amount)', { path: 'amount', min: 1_000 }),
        }),
        name: 'unlimited',
      },
      allow(),
    ],
    cases: [
      ['an operator', sign({ to: TOKEN, data: call('setApprovalForAll', EVE, true) }), 'refused'],
      [
        'an unlimited approval',
        sign({ to: TOKEN, data: call('approve', EVE, (1n << 256n) - 1n) }),
        'refused',
      ],
      ['a small approval', sign({ to: TOKEN, data: call('approve', EVE, 999n) }), 'allowed'],
      [
        'an ERC-1155 transfer',
        sign({ to: TOKEN, data: call('safeTransferFrom', WALLET, EVE, 1n, 1n, '0x') }),
        'allowed',
      ],
    ],
  },
];

export const peerPolicies: PeerPolicy[] = [...turnkey, ...privy, ...cdp];
