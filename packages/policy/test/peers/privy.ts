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
  send,
  sign,
  TOKEN,
  TRANSFER,
  transfer,
  typed,
  WALLET,
} from '../requests.ts';
import type { PeerPolicy } from './peer-policy.ts';

const APPROVE = 'approve(address spender, uint256 amount)';
const USER_OPERATION = 'PackedUserOperation(address sender,uint256 nonce,bytes callData)';
const userOperation = (sender: string, callData: string) =>
  typed({
    domain: { name: 'ERC4337', version: '1', chainId: 1, verifyingContract: ROUTER },
    types: {
      PackedUserOperation: [
        { name: 'sender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'callData', type: 'bytes' },
      ],
    },
    primaryType: 'PackedUserOperation',
    message: { sender, nonce: 0, callData },
  });

export const privy: PeerPolicy[] = [
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
  {
    peer: 'Privy',
    topic: 'all but some of the networks',
    rules: [allow({ chains: { not_in: [1, 56] } })],
    cases: [
      ['another', sign({ chainId: 8453 }), 'allowed'],
      ['one of them', sign({ chainId: 56 }), 'refused'],
      ['one of them in hex', sign({ chainId: '0x38' }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'value between two bounds',
    rules: [allow({ value: { min: 10, max: 20 } })],
    cases: [
      ['at the lower bound', sign({ value: 10 }), 'allowed'],
      ['at the upper bound', sign({ value: '20' }), 'allowed'],
      ['below', sign({ value: 9 }), 'refused'],
      ['above', sign({ value: 21 }), 'refused'],
      ['none', sign(), 'refused'],
      ['a fraction', sign({ value: 10.5 }), 'refused'],
      ['a negative value', sign({ value: '-10' }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'transfers of a stablecoin to listed recipients',
    rules: [allow({ to: [TOKEN], data: functions(TRANSFER, { path: 'to', in: [ALICE, BOB] }) })],
    cases: [
      ['to one', sign({ to: TOKEN, data: transfer(BOB, 1n) }), 'allowed'],
      ['to another', sign({ to: TOKEN, data: transfer(EVE, 1n) }), 'refused'],
      ['of another token', sign({ to: OTHER_TOKEN, data: transfer(BOB, 1n) }), 'refused'],
      ['with value of the chain', sign({ to: TOKEN, data: transfer(BOB, 1n), value: 1 }), 'allowed'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'approvals of listed spenders, and revocations of every operator',
    rules: [
      {
        ...allow({ to: [TOKEN], data: functions(APPROVE, { path: 'spender', in: [ROUTER] }) }),
        name: 'spenders',
      },
      {
        ...allow({
          to: [TOKEN],
          data: functions('setApprovalForAll(address operator, bool approved)', {
            path: 'approved',
            equals: false,
          }),
        }),
        name: 'revocations',
      },
    ],
    cases: [
      ['a listed spender', sign({ to: TOKEN, data: call('approve', ROUTER, 1n) }), 'allowed'],
      ['another spender', sign({ to: TOKEN, data: call('approve', EVE, 1n) }), 'refused'],
      ['a revocation', sign({ to: TOKEN, data: call('setApprovalForAll', EVE, false) }), 'allowed'],
      ['an operator', sign({ to: TOKEN, data: call('setApprovalForAll', EVE, true) }), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'user operations of a smart account, signed as typed data of its entry point',
    rules: [
      allowTyped({
        chains: [1],
        contracts: [ROUTER],
        types: [USER_OPERATION],
        fields: [
          { path: 'sender', equals: BOB },
          {
            path: 'callData',
            call: [
              {
                function: 'execute(address target, uint256 value, bytes data)',
                args: [
                  { path: 'target', equals: TOKEN },
                  { path: 'value', max: 0 },
                ],
              },
            ],
          },
        ],
      }),
    ],
    cases: [
      ['it', userOperation(BOB, call('execute', TOKEN, 0n, '0x')), 'allowed'],
      ['of another account', userOperation(EVE, call('execute', TOKEN, 0n, '0x')), 'refused'],
      ['of another target', userOperation(BOB, call('execute', EVE, 0n, '0x')), 'refused'],
      ['with another call', userOperation(BOB, transfer(EVE, 1n)), 'refused'],
    ],
  },
  {
    peer: 'Privy',
    topic: 'a rolling number of transactions and a rolling sum per recipient',
    rules: [
      allow({
        data: undefined,
        limits: [
          { name: 'count', of: 'count', max: 1, window: '1h' },
          { name: 'each', of: 'value', max: 50, window: '24h', per: ['to'] },
        ],
      }),
    ],
    cases: [
      ['within', sign({ value: 50 }), 'allowed'],
      ['more than the sum', sign({ value: 51 }), 'refused'],
    ],
  },
];
