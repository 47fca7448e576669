/** Validation of a chain-block trigger's `config`. */
import { readFileSync } from 'node:fs';
import { HttpError } from '@latchkey/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainBlock } from '../src/sources/chain-block.ts';
import { sealer } from './fixtures.ts';
import { createStandInChain } from './stand-in-chain.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;
const TOKEN = `0x${'22'.repeat(20)}`;
const local = createStandInChain();
const plain = createStandInChain({ chainId: 10 });
let nodes: (AsyncDisposable & { url: string })[];
let rpcUrls: Record<string, string[] | undefined>;
beforeAll(async () => {
  local.state.balances.set(`${ADDRESS} ${TOKEN}`, 0n);
  local.mine([], [], []);
  plain.state.baseFee = undefined;
  plain.mine([]);
  nodes = await Promise.all([local.serve(), plain.serve()]);
  const [service = '', other = ''] = nodes.map(({ url }) => url);
  rpcUrls = { service: [service], '10': [other], ethereum: undefined, bsc: ['http://127.0.0.1:1'] };
});
afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

const accept = (wire: unknown, before?: Record<string, unknown>) =>
  chainBlock.accept(wire, { id: 'a', before }, { rpcUrls, sealer });
const minimal = { chain: 'service', every: 10 };
const fee = { chain: 'service', base_fee: { above: '30000000000' } };
const held = { chain: 'service', balance: { address: ADDRESS, below: '1' } };

test('the examples of docs/triggers.md are accepted', async () => {
  const page = readFileSync(new URL('../../docs/triggers.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Blocks, base fees and balances\n');
  const examples = [...section.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) =>
    JSON.parse(text.replaceAll('"0x…"', `"${ADDRESS}"`)),
  );
  expect(examples).toHaveLength(3);
  for (const example of examples) expect(await accept({ ...example, chain: 'service' })).toBeDefined();
});

test('a minimal config has the next block and no confirmations on a local chain', async () => {
  const stored = await accept(minimal);
  expect(stored).toEqual({
    ...minimal,
    chain_id: 31_337,
    start_block: 4,
    confirmations: 0,
    fire_on_retraction: false,
    paused_events: 'drop',
  });
  for (const field of ['chain_id', 'start_block']) expect(chainBlock.show(stored)).not.toHaveProperty(field);
});

test.each([[minimal], [fee], [held]])('%j can be sent back as it is shown', async (wire) => {
  const stored = await accept({ ...wire, if: 'args.block_number > 5' });
  local.mine([]);
  expect(await accept(chainBlock.show(stored), stored)).toEqual(stored);
});

test('a balance is of the coin, or of a token, and read every ten blocks', async () => {
  expect(await accept(held)).toMatchObject({ balance: { address: ADDRESS, below: '1', every: 10 } });
  const often = { chain: 10, balance: { address: ADDRESS, below: '1', every: 1 } };
  expect(await accept(often)).toMatchObject({ chain: '10', confirmations: 12 });
  const stored = await accept({ ...held, balance: { ...held.balance, token: TOKEN.toLowerCase() } });
  expect(stored).toMatchObject({ balance: { token: TOKEN } });
});

const max = 2n ** 256n - 1n;
test.each([[{ above: '0' }], [{ above: String(max - 1n) }], [{ below: '1' }], [{ below: String(max) }]])(
  '%j can be passed',
  async (base_fee) => {
    expect(await accept({ chain: 'service', base_fee })).toMatchObject({ base_fee });
  },
);

describe('refuses', () => {
  const amount = (field: string, from: string) => `body.config.${field}: expected an integer from ${from}`;
  test.each([
    [422, 'body.config.chain', { every: 1 }],
    [422, 'config: ', { ...minimal, start_block: 1 }],
    [422, 'body.config.every', { ...minimal, every: '10' }],
    [422, 'body.config.base_fee', { ...fee, base_fee: { above: 30 } }],
    [422, 'body.config.base_fee', { ...fee, base_fee: { above: '1', other: 1 } }],
    [422, 'body.config.base_fee.above', { ...fee, base_fee: { above: '1'.repeat(101) } }],
    [422, 'body.config.balance.address', { ...held, balance: { above: '1' } }],
    [422, 'body.config.paused_events', { ...minimal, paused_events: 'one' }],
    [400, 'exactly one of every, base_fee and balance', { chain: 'service' }],
    [400, 'exactly one of every, base_fee and balance', { ...minimal, ...fee }],
    [400, 'body.config.every: expected an integer from 1 to 10000000', { ...minimal, every: 0 }],
    [400, 'body.config.every: expected an integer', { ...minimal, every: 1.5 }],
    [400, 'body.config.every: expected an integer', { ...minimal, every: 10_000_001 }],
    [400, 'body.config.base_fee: expected exactly one of above and below', { ...fee, base_fee: {} }],
    [400, 'exactly one of above and below', { ...fee, base_fee: { above: '1', below: '2' } }],
    [400, amount('base_fee.above', '0 to 2^256 - 2'), { ...fee, base_fee: { above: String(max) } }],
    [400, amount('base_fee.above', '0'), { ...fee, base_fee: { above: '-1' } }],
    [400, amount('base_fee.above', '0'), { ...fee, base_fee: { above: '1.5' } }],
    [400, amount('base_fee.above', '0'), { ...fee, base_fee: { above: '0x10' } }],
    [400, amount('base_fee.above', '0'), { ...fee, base_fee: { above: ' 1' } }],
    [400, amount('base_fee.below', '1 to 2^256 - 1'), { ...fee, base_fee: { below: '0' } }],
    [400, amount('base_fee.below', '1'), { ...fee, base_fee: { below: String(max + 1n) } }],
    [400, amount('balance.below', '1'), { ...held, balance: { address: ADDRESS, below: '' } }],
    [400, 'balance: expected exactly one', { ...held, balance: { address: ADDRESS } }],
    [400, 'balance.address: expected an address', { ...held, balance: { ...held.balance, address: '0x1' } }],
    [400, 'balance.token: expected an address', { ...held, balance: { ...held.balance, token: 'USDC' } }],
    [
      400,
      'balance.every: expected an integer from 1 to 1000',
      { ...held, balance: { ...held.balance, every: 1_001 } },
    ],
    [
      400,
      'the contract does not answer balanceOf',
      { ...held, balance: { ...held.balance, token: ADDRESS } },
    ],
    [400, 'body.config.confirmations: expected an integer from 0 to 64', { ...held, confirmations: 65 }],
    [
      400,
      'body.config.confirmations: expected an integer from 0 to 10000',
      { ...minimal, confirmations: -1 },
    ],
    [400, 'body.config.if: Unknown variable: form', { ...minimal, if: 'form.a == 1' }],
    [400, 'body.config.base_fee: the blocks of 10 have no base fee', { ...fee, chain: 10 }],
    [400, 'body.config.chain: expected one of', { ...minimal, chain: 'solana' }],
    [400, 'does not follow ethereum', { ...minimal, chain: 'ethereum' }],
    [503, 'does not answer', { ...minimal, chain: 'bsc' }],
  ])('%i %s', async (status, message, wire) => {
    const refusal = await accept(wire).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HttpError);
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test.each([[held], [{ ...held, balance: { ...held.balance, token: TOKEN } }]])(
    '503 when no node returns the balance: %j',
    async (wire) => {
      local.state.hasState = false;
      try {
        await expect(accept(wire)).rejects.toMatchObject({ status: 503 });
      } finally {
        local.state.hasState = true;
      }
    },
  );
});
