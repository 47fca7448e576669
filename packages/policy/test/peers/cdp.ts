import {
  ALICE,
  allow,
  allowMessage,
  allowTyped,
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
  raw,
  selectorOf,
  send,
  sign,
  TOKEN,
  TRANSFER,
  transfer,
  typed,
  WALLET,
} from '../requests.ts';
import type { PeerPolicy } from './peer-policy.ts';

const signIn = (domain: string) =>
  `${domain} wants you to sign in with your Ethereum account:\n${WALLET}\n\nURI: https://app.example\nNonce: a1b2c3d4`;
const listing = (seller: string, price: string, name: string) =>
  typed({
    domain: { name: 'Market', chainId: 1, verifyingContract: TOKEN },
    types: {
      Listing: [
        { name: 'seller', type: 'address' },
        { name: 'price', type: 'uint256' },
        { name: 'name', type: 'string' },
      ],
    },
    primaryType: 'Listing',
    message: { seller, price, name },
  });

export const cdp: PeerPolicy[] = [
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
  {
    peer: 'CDP',
    topic: 'the first rule that fits decides there: here a deny rule decides, wherever it stands',
    rules: [allow({ to: [ALICE, EVE] }), deny({ to: [EVE], value: { min: 5 } })],
    cases: [
      ['a small value', sign({ to: EVE, value: 4 }), 'allowed'],
      ['a large value', sign({ to: EVE, value: 5 }), 'refused'],
      ['a large value to the other', sign({ to: ALICE, value: 5 }), 'allowed'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'an operation that no rule mentions is accepted there: here it is refused',
    rules: [allow({ kind: 'send_transaction', value: { max: 100 } })],
    cases: [
      ['the operation', send({ value: 100 }), 'allowed'],
      ['a signed transaction', sign({ value: 100 }), 'refused'],
      ['a message', message('hello'), 'refused'],
      ['typed data', permit(), 'refused'],
      ['a hash', hash(), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'a message to sign in, with its domain and lines',
    rules: [
      allowMessage({
        text: {
          pattern:
            'app\\.example wants you to sign in with your Ethereum account:\\n0x[0-9a-fA-F]{40}\\n\\nURI: https://app\\.example\\nNonce: \\w{8,}',
        },
      }),
    ],
    cases: [
      ['it', message(signIn('app.example')), 'allowed'],
      ['of another domain', message(signIn('app.example.evil.example')), 'refused'],
      ['of a domain with another character for the dot', message(signIn('appxexample')), 'refused'],
      ['with another line', message(`${signIn('app.example')}\nResources: x`), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'fields of typed data: addresses, numbers and texts by a pattern',
    rules: [
      allowTyped({
        types: ['Listing(address seller,uint256 price,string name)'],
        fields: [
          { path: 'seller', not_in: [EVE] },
          { path: 'price', min: 1, max: 100 },
          { path: 'name', pattern: '[A-Z][a-z]+ #\\d{1,4}' },
        ],
      }),
    ],
    cases: [
      ['within', listing(ALICE, '100', 'Bear #42'), 'allowed'],
      ['an excluded address', listing(EVE, '100', 'Bear #42'), 'refused'],
      ['free', listing(ALICE, '0', 'Bear #42'), 'refused'],
      ['too expensive', listing(ALICE, '101', 'Bear #42'), 'refused'],
      ['another name', listing(ALICE, '100', 'Bear #42000'), 'refused'],
    ],
  },
  {
    peer: 'CDP',
    topic: 'no value at all, and value other than an amount',
    rules: [
      { ...allow({ to: [ALICE], value: undefined }), name: 'none' },
      { ...allow({ to: [BOB], value: { max: 7 } }), name: 'other' },
      deny({ to: [BOB], value: { min: 5, max: 5 } }),
    ],
    cases: [
      ['none', sign(), 'allowed'],
      ['one wei', sign({ value: 1 }), 'refused'],
      ['the other', sign({ to: BOB, value: 6 }), 'allowed'],
      ['the amount', sign({ to: BOB, value: 5 }), 'refused'],
    ],
  },
];
