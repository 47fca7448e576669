/** Validation of a chain-event trigger's `config`. */
import { readFileSync } from 'node:fs';
import { HttpError } from '@latchkey/http';
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainEvent } from '../src/sources/chain-event.ts';
import type { AcceptConfigOptions } from '../src/sources/source.ts';
import { CONTRACT, SIGNATURE } from './chain-triggers.ts';
import { sealer } from './fixtures.ts';
import { createStandInChain } from './stand-in-chain.ts';

const local = createStandInChain();
const base = createStandInChain({ chainId: 8_453 });
const optimism = createStandInChain({ chainId: 10 });
const noRpcUrls: AcceptConfigOptions['rpcUrls'] = {
  service: undefined,
  ethereum: undefined,
  base: undefined,
  arbitrum: undefined,
  bsc: undefined,
  polygon: undefined,
};
let rpcUrls: Partial<AcceptConfigOptions['rpcUrls']>;
let nodes: (AsyncDisposable & { url: string })[];

beforeAll(async () => {
  local.mine([], [], []);
  base.mine([]);
  optimism.mine([]);
  nodes = await Promise.all([local.serve(), base.serve(), optimism.serve()]);
  const [service, other, third] = nodes.map(({ url }) => url) as [string, string, string];
  // The node of polygon serves another chain, and nothing listens at the URL of bsc.
  rpcUrls = {
    '10': [third],
    '8454': [other],
    service: [service],
    base: [other],
    polygon: [other],
    bsc: ['http://127.0.0.1:1'],
  };
});
afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

const accept = (wire: unknown) =>
  chainEvent.accept(wire, { id: 'a' }, { rpcUrls: { ...noRpcUrls, ...rpcUrls }, sealer });
const minimal = { chain: 'service', contract_address: CONTRACT, event_signature: SIGNATURE };
const TOPIC = `0x${'0'.repeat(24)}${'AB'.repeat(20)}`;

const FACTORY = {
  address: CONTRACT,
  event: 'Made(address indexed child, uint256 salt)',
  parameter: 'child',
};
const byFactory = { chain: 'service', event_signature: SIGNATURE, factory: FACTORY };

describe('a factory', () => {
  test('has the start block of the trigger, or one of its own', async () => {
    expect(await accept(byFactory)).toMatchObject({
      start_block: 4,
      factory: { ...FACTORY, start_block: 4 },
    });
    const older = {
      ...byFactory,
      start_block: 3,
      factory: { ...FACTORY, start_block: '0x1', parameter: 'arg0' },
    };
    expect(await accept(older)).toMatchObject({
      start_block: 3,
      factory: { start_block: 1, parameter: 'arg0' },
    });
  });

  test('keeps its start blocks when it stays the same, and starts anew when it changes', async () => {
    const options = { rpcUrls: { ...noRpcUrls, ...rpcUrls }, sealer };
    const before = { ...(await accept(byFactory)), start_block: 2, factory: { ...FACTORY, start_block: 1 } };
    const change = (wire: object) => chainEvent.accept(wire, { id: 'a', before }, options);
    expect(await change(byFactory)).toMatchObject({ start_block: 2, factory: { start_block: 1 } });
    const other = { ...byFactory, factory: { ...FACTORY, event: 'Other(address child)' } };
    expect(await change(other)).toMatchObject({ start_block: 4, factory: { start_block: 4 } });
    expect(await change(minimal)).toMatchObject({ start_block: 2 });
  });

  test.each([
    [
      { ...byFactory, contract_address: CONTRACT },
      'exactly one of contract_address, contract_addresses and factory',
    ],
    [
      { ...byFactory, factory: { ...FACTORY, address: '0x1' } },
      'body.config.factory.address: expected an address',
    ],
    [{ ...byFactory, factory: { ...FACTORY, event: 'Made(' } }, 'body.config.factory.event: '],
    [{ ...byFactory, factory: { ...FACTORY, parameter: 'salt' } }, 'of the type address, not uint256'],
    [
      { ...byFactory, factory: { ...FACTORY, parameter: 'arg2' } },
      'expected the name of one argument of the event',
    ],
    [
      { ...byFactory, factory: { ...FACTORY, event: 'Made(address a, address a)', parameter: 'a' } },
      'the name of one',
    ],
    [
      { ...byFactory, factory: { ...FACTORY, start_block: -1 } },
      'body.config.factory.start_block: expected a block',
    ],
    [
      { ...byFactory, factory: { ...FACTORY, start_block: 1e6 } },
      'factory.start_block: 1000000 is more than 100000',
    ],
  ])('%j is refused', async (wire, message) => {
    await expect(accept(wire)).rejects.toThrow(message);
    await expect(accept(wire)).rejects.toMatchObject({ status: 400 });
  });

  test.each([
    [{}],
    [{ ...FACTORY, extra: 1 }],
    [{ ...FACTORY, event: 'x'.repeat(5_000) }],
    [{ ...FACTORY, parameter: '' }],
  ])('%j has another form', async (factory) => {
    await expect(accept({ ...byFactory, factory })).rejects.toBeInstanceOf(HttpError);
  });
});

test('the examples of docs/triggers.md are accepted', async () => {
  const page = readFileSync(new URL('../../docs/triggers.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].flatMap(([, text = '']) =>
    text.includes('"event_signature"') ? [JSON.parse(text.replaceAll('"0x…"', `"${TOPIC}"`))] : [],
  );
  expect(examples).toHaveLength(2);
  for (const example of examples) {
    const contract = example.factory ? {} : { contract_address: CONTRACT };
    const { chain: _, ...config } = { ...example, ...contract };
    if (config.factory) config.factory.start_block = 0;
    expect(await accept({ ...config, chain: 'service' })).toMatchObject({
      event_signature: config.event_signature,
    });
  }
});

describe('accepts', () => {
  test('a minimal config, with the next block and no confirmations on a local chain', async () => {
    const stored = await accept(minimal);
    expect(stored).toEqual({
      ...minimal,
      chain_id: 31_337,
      topic_filters: [],
      start_block: 4,
      confirmations: 0,
      fire_on_retraction: false,
      paused_events: 'drop',
    });
    const shown = chainEvent.show(stored);
    expect(shown).not.toHaveProperty('chain_id');
    expect(await accept(shown)).toEqual(stored);
  });

  test('several contracts, each once', async () => {
    const { contract_address: _, ...others } = minimal;
    const second = getAddress(`0x${'aa'.repeat(20)}`);
    const stored = await accept({
      ...others,
      contract_addresses: [CONTRACT, second.toLowerCase(), CONTRACT],
    });
    expect(stored).toMatchObject({ contract_addresses: [CONTRACT, second] });
    expect(stored).not.toHaveProperty('contract_address');
    expect(await accept(chainEvent.show(stored))).toEqual(stored);
  });

  test.each([
    ['base', 'base', 8_453, 12],
    [8_453, 'base', 8_453, 12],
    ['8453', 'base', 8_453, 12],
    [31_337, 'service', 31_337, 0],
    [10, '10', 10, 12],
    ['10', '10', 10, 12],
  ])('chain %s', async (chain, name, id, confirmations) => {
    expect(await accept({ ...minimal, chain })).toMatchObject({ chain: name, chain_id: id, confirmations });
  });

  test('the id of a named chain as the chain of the service', async () => {
    const [, other] = nodes;
    const stored = await chainEvent.accept(
      { ...minimal, chain: 8_453 },
      { id: 'a' },
      { rpcUrls: { ...noRpcUrls, service: [other?.url ?? ''] }, sealer },
    );
    expect(stored).toMatchObject({ chain: 'service', chain_id: 8_453, confirmations: 12 });
  });

  test('a complete config', async () => {
    const all = {
      ...minimal,
      topic_filters: [TOPIC],
      start_block: '0x10',
      confirmations: 3,
      fire_on_retraction: true,
      paused_events: 'fire',
    };
    const stored = await accept(all);
    expect(stored).toMatchObject({ ...all, topic_filters: [TOPIC.toLowerCase()], start_block: 16 });
    expect(await accept({ ...all, topic_filters: [[TOPIC, TOPIC]], start_block: 16 })).toMatchObject({
      topic_filters: [[TOPIC.toLowerCase(), TOPIC.toLowerCase()]],
      start_block: 16,
    });
    expect(await accept({ ...minimal, topic_filters: [null] })).toMatchObject({ topic_filters: [] });
  });
});

describe('refuses', () => {
  test.each([
    [422, 'body.config.chain', { chain: true }],
    [422, 'config: ', { other: 1 }],
    [422, 'body.config.paused_events', { paused_events: 'one' }],
    [422, 'body.config.topic_filters', { topic_filters: TOPIC }],
    [422, 'body.config.confirmations', { confirmations: '1' }],
    [422, 'body.config.event_signature', { event_signature: 'a'.repeat(4_001) }],
    [400, 'body.config.chain: expected one of', { chain: 'solana' }],
    [400, 'body.config.chain: expected one of', { chain: 11 }],
    [400, 'does not follow ethereum', { chain: 'ethereum' }],
    [400, 'does not follow ethereum', { chain: 1 }],
    [400, 'serves chain 8453', { chain: 'polygon' }],
    [400, 'configured for 8454 serves chain 8453', { chain: 8_454 }],
    [400, 'body.config.contract_address', { contract_address: '0x12' }],
    [400, 'the checksum', { contract_address: '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAA' }],
    [400, 'exactly one of', { contract_address: undefined }],
    [400, 'exactly one of', { contract_addresses: [CONTRACT] }],
    [
      400,
      'contract_addresses[1]: expected',
      { contract_address: undefined, contract_addresses: [CONTRACT, '0x1'] },
    ],
    [422, 'contract_addresses', { contract_address: undefined, contract_addresses: [] }],
    [
      422,
      'contract_addresses',
      { contract_address: undefined, contract_addresses: Array(51).fill(CONTRACT) },
    ],
    [400, 'body.config.event_signature', { event_signature: 'Transfer(uint7)' }],
    [400, 'body.config.if: Unknown variable: form, at character 1.', { if: 'form.a == 1' }],
    [400, 'body.config.topic_filters: expected', { topic_filters: [CONTRACT] }],
    [400, 'body.config.topic_filters: an empty list', { topic_filters: [[]] }],
    [400, 'body.config.topic_filters: expected at most 3', { topic_filters: [null, null, null, TOPIC] }],
    [400, 'body.config.topic_filters: the event has only 1', { topic_filters: [null, TOPIC] }],
    [400, 'body.config.start_block', { start_block: -1 }],
    [400, 'body.config.start_block', { start_block: '12' }],
    [400, 'body.config.start_block', { start_block: 1.5 }],
    [400, 'blocks after the newest block of service', { start_block: 100_000_000 }],
    [400, 'body.config.confirmations', { confirmations: 10_001 }],
    [503, 'does not answer', { chain: 'bsc' }],
  ])('%i %s', async (status, message, change) => {
    const refusal = await accept({ ...minimal, ...change }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HttpError);
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test('a chain without an RPC URL, naming the setting', async () => {
    await expect(accept({ ...minimal, chain: 42_161 })).rejects.toMatchObject({
      status: 400,
      fix: 'Set ARBITRUM_RPC_URL in the settings of the trigger service.',
    });
  });
});
