import { type Hex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { createRelayerHealthCheck } from './health.ts';

const PAYER = `0x${'11'.repeat(20)}` as const;
const OTHER = `0x${'22'.repeat(20)}` as const;
const MAX_WRITE_GAS = 3_000_000n;
const FEE = 10n ** 9n;
/** Pays for one hundred writes of the highest gas. */
const ENOUGH = 100n * MAX_WRITE_GAS * FEE;

/** Selector of `getOperatorFee(uint256)`. */
const GET_OPERATOR_FEE = '0x275aedd2';

type Changes = {
  feeCeiling?: bigint;
  /** Of 256 bytes, in wei. */
  dataFee?: bigint;
  /** Per transaction. */
  operatorFee?: bigint;
  balances?: Record<string, bigint>;
  isApiPayer?: boolean;
  failing?: string[];
  faults?: (string | undefined)[];
  runnerFaults?: string[];
  /** Names of runners that cannot be looked up, whose runners are connected. */
  nameFaults?: string[];
  keyGroups?: string[][];
  /** Another chain of wallets, whose nodes have these faults; it does not answer. */
  otherChain?: { faults: (string | undefined)[]; isSilent?: boolean };
};

/** Checks a relayer that is healthy but for the changes. */
async function check(changes: Changes) {
  const { balances = {}, isApiPayer = true, faults = [undefined], failing = [], feeCeiling } = changes;
  const {
    runnerFaults = [],
    nameFaults = [],
    keyGroups = [['group', 'ed25519', 'bip340']],
    dataFee,
    operatorFee = 0n,
  } = changes;
  const client = {
    getBalance: async ({ address }: { address: string }) => balances[address] ?? ENOUGH,
    call: async ({ data }: { data: Hex }) => {
      const fee = data.startsWith(GET_OPERATOR_FEE) ? operatorFee : dataFee;
      return { data: fee === undefined ? fee : numberToHex(fee, { size: 32 }) };
    },
    getBlock: async () => ({ baseFeePerGas: FEE / 2n }),
    estimateMaxPriorityFeePerGas: async () => 0n,
  };
  const heldByTwo = (question: (asked: typeof client) => unknown) => question(client);
  const nodesWith = (found: (string | undefined)[]) => () =>
    found.map((fault, i) => ({ node: i + 1, host: 'node', isUsed: i === 0, fault }));
  const nodes = nodesWith(faults);
  const { otherChain } = changes;
  const refreshHead = async () => {
    if (otherChain?.isSilent) throw new Error('https://node.example/secret does not answer');
  };
  const other = {
    chainId: 10,
    name: 'Ten',
    verify: async () => {},
    chain: { refreshHead, nodes: nodesWith(otherChain?.faults ?? []) },
  } as never;
  const checkHealth = createRelayerHealthCheck({
    chain: { client, heldByTwo, chainId: 1, nodes, refreshHead: async () => 1n } as never,
    walletChains: new Map(otherChain ? [[10, other]] : []),
    database: { ping: async () => {} },
    indexer: { ping: async () => {} } as never,
    payers: {
      status: () =>
        [PAYER, OTHER].map((address) => ({
          address,
          pending: 0,
          isApiPayer,
          signerFails: failing.includes(address),
        })),
    },
    runners: {
      load: () => ({ idle: 1, starting: 0, running: 0, queued: 0 }),
      missing: () => runnerFaults.map(() => 'unix:socket'),
      faults: () => [...runnerFaults, ...nameFaults],
      keyGroups: () => keyGroups,
    },
    keyNodes: { ping: async () => {}, publicKeys: async () => ['group', 'ed25519', 'bip340'] },
    maxWriteGas: Number(MAX_WRITE_GAS),
    feeCeiling,
  });
  return checkHealth();
}

test('a relayer whose parts work is healthy', async () => {
  for (const health of Object.values(await check({}))) expect(health).toEqual({ ok: true });
});

test.each([
  [
    'is not an api payer',
    { isApiPayer: false },
    { ok: false, detail: expect.stringContaining('not an api payer') },
  ],
  ['has no funds', { balances: { [OTHER]: 0n } }, { ok: false, detail: `no funds: ${OTHER}` }],
  [
    'pays for fewer than a hundred writes',
    { balances: { [OTHER]: ENOUGH - 1n } },
    { ok: true, degraded: true, detail: `low funds: ${OTHER}` },
  ],
  [
    'pays for fewer on a chain with a fee for data',
    { dataFee: 1n, balances: { [OTHER]: ENOUGH + 479_999n, [PAYER]: ENOUGH + 480_000n } },
    { ok: true, degraded: true, detail: `low funds: ${OTHER}` },
  ],
  [
    'pays for fewer on a chain with a fee for its operator',
    { dataFee: 1n, operatorFee: 5n, balances: { [OTHER]: ENOUGH + 480_499n, [PAYER]: ENOUGH + 480_500n } },
    { ok: true, degraded: true, detail: `low funds: ${OTHER}` },
  ],
  ['cannot sign', { failing: [OTHER] }, { ok: true, degraded: true, detail: `the signer fails: ${OTHER}` }],
  [
    'cannot sign, as all others',
    { failing: [PAYER, OTHER] },
    { ok: false, detail: `the signer fails: ${PAYER}, ${OTHER}` },
  ],
])('names a payer that %s', async (_what, changes: Changes, expected) => {
  expect((await check(changes)).payers).toMatchObject(expected);
});

test('counts RPC nodes that failed', async () => {
  expect((await check({ faults: [undefined, 'its head fell', undefined] })).chain).toMatchObject({
    ok: true,
    degraded: true,
    detail: '1 of 3 RPC nodes failed',
  });
});

test('names another chain of wallets whose nodes fail, and not their addresses', async () => {
  const faulty = await check({ otherChain: { faults: [undefined, 'its head fell'] } });
  expect(faulty.chains).toMatchObject({
    ok: true,
    degraded: true,
    detail: 'chain 10 (Ten): 1 of 2 RPC nodes failed',
  });
  const silent = await check({ otherChain: { faults: [undefined], isSilent: true } });
  expect(silent.chains).toMatchObject({
    ok: true,
    degraded: true,
    detail: 'chain 10 (Ten) does not answer, or is another chain',
  });
  expect((await check({ otherChain: { faults: [undefined] } })).chains).toEqual({ ok: true });
});

test('says that the fees of the chain are above the ceiling', async () => {
  expect((await check({ feeCeiling: FEE / 2n })).payers).toEqual({ ok: true });
  expect((await check({ feeCeiling: FEE / 2n - 1n })).payers).toMatchObject({
    ok: true,
    degraded: true,
    detail: 'fees above MAX_FEE_PER_GAS_GWEI',
  });
});

test('tells why a runner that answers is not used', async () => {
  const detail = 'a runner is not connected: it speaks another protocol';
  expect((await check({ runnerFaults: ['it speaks another protocol'] })).runtime).toMatchObject({
    ok: true,
    degraded: true,
    detail,
  });
});

test('tells that DNS does not answer while all runners that it named are connected', async () => {
  const detail = 'DNS does not answer for entry 1 of RUNNER_URLS';
  expect((await check({ nameFaults: [detail] })).runtime).toMatchObject({ ok: true, degraded: true, detail });
});

test('names runners whose KEY_GROUP is not the published group', async () => {
  const wrong = ['group', 'ed25519', 'another'];
  const right = ['group', 'ed25519', 'bip340'];
  const detail = (share: string) =>
    `KEY_GROUP of ${share} runners is not the published group: npm run keys -- status prints it`;
  expect((await check({ keyGroups: [wrong] })).keys).toMatchObject({ ok: false, detail: detail('1 of 1') });
  expect((await check({ keyGroups: [right, wrong] })).keys).toMatchObject({
    ok: true,
    degraded: true,
    detail: detail('1 of 2'),
  });
});
