/** Validation of a chain-event trigger's `config`. */
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
