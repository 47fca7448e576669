/**
 * Plays each party of the table of "Attackers" in docs/keys.md, and each pair of them, with everything that they have, against a wallet of a
 * managed and of a ChainSecured account. The usage key of the account may use the wallet in one action, which does not return its key.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  APPROVED_NODES_CONFIGURATION,
  createIdentity,
  GROUP_CONFIGURATION,
  type KeyPurpose,
} from '@latchkey/key-protocol';
import { accountConfigAbi, cidHash } from '@latchkey/protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import {
  type Address,
  concat,
  getAbiItem,
  type Hex,
  numberToHex,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import type { HeldShare } from '../src/node-store.ts';
import { generateGroup } from '../src/testing.ts';
import { cids, type Mode, ownerKey, payerKey, usageKeyFields, type Victim } from './accounts.ts';
import { configOperatorKey, guardianKey, honest, openNetwork } from './attackers.ts';
import { runnerFor, sharesOf } from './key-nodes.ts';
import { walletOf, walletPurpose } from './questions.ts';

/** In ascending order: nothing, runs of permitted actions, keys of the runs that pass through the attacker, the key of the wallet. */
const GAINS = ['nothing', 'runs', 'keys of its runs', 'the key'] as const;
type Gain = (typeof GAINS)[number];

const alone = {
  stranger: { managed: 'nothing', ChainSecured: 'nothing' },
  'usage key holder': { managed: 'runs', ChainSecured: 'runs' },
  payer: { managed: 'the key', ChainSecured: 'nothing' },
  relayer: { managed: 'runs', ChainSecured: 'runs' },
  runner: { managed: 'keys of its runs', ChainSecured: 'keys of its runs' },
  't − 1 nodes': { managed: 'nothing', ChainSecured: 'nothing' },
  'node operator': { managed: 'nothing', ChainSecured: 'nothing' },
  'config operator': { managed: 'nothing', ChainSecured: 'nothing' },
  'contract owner': { managed: 'the key', ChainSecured: 'nothing' },
  guardian: { managed: 'nothing', ChainSecured: 'nothing' },
} as const satisfies Record<string, Record<Mode, Gain>>;
type Party = keyof typeof alone;
const parties = Object.keys(alone) as Party[];

/** A relayer and a runner together need no code of an action. Every other pair gets what the better of the two gets alone. */
function expectedGain(of: readonly Party[], mode: Mode): Gain {
  if (of.includes('relayer') && of.includes('runner')) return 'the key';
  const ranks = of.map((party) => GAINS.indexOf(alone[party][mode]));
  return GAINS[Math.max(...ranks)] ?? 'nothing';
}

const network = disposeAfterAll(await openNetwork());

const modes: Mode[] = ['managed', 'ChainSecured'];
const pairs = parties.flatMap((a, i) => parties.slice(i + 1).map((b) => [a, b] as const));

describe.each(modes)('a wallet of a %s account', (mode) => {
  test.each(parties)(`%s gets no more than docs/keys.md says`, async (party) => {
    expect(await attack([party], await network.newVictim(mode))).toBe(expectedGain([party], mode));
  });
  test.each(pairs)(`%s and %s get no more than docs/keys.md says`, async (...pair) => {
    expect(await attack(pair, await network.newVictim(mode))).toBe(expectedGain(pair, mode));
  });
});

test('docs/keys.md has the row of each party', async () => {
  const docs = await readFile(new URL('../../docs/keys.md', import.meta.url), 'utf8');
  const rows = parties.map(
    (party) => `\n| ${party} | ${alone[party].managed} | ${alone[party].ChainSecured} | `,
  );
  expect(rows.filter((row) => !docs.includes(row))).toEqual([]);
});

/** Tries everything that the secrets of these parties permit, and undoes it. Resolves to the greatest gain. */
async function attack(of: readonly Party[], victim: Victim): Promise<Gain> {
  const has = (...parties: Party[]): boolean => parties.some((party) => of.includes(party));
  const own: Own = { key: generatePrivateKey(), usageKey: BigInt(generatePrivateKey()), shares: [] };
  const configKey = has('config operator') ? configOperatorKey : ownerKey;
  const steps: [boolean, () => Promise<() => Promise<unknown>>][] = [
    [true, () => grantItself(has('payer') ? payerKey : own.key, own.usageKey, victim)],
    [has('contract owner'), () => becomePayer(own, victim)],
    [has('contract owner'), () => cutPermissions(victim)],
    [has('contract owner', 'config operator'), () => publishOwnGroup(configKey)],
    [has('node operator'), () => reshareToItself(own, has('contract owner', 'config operator'))],
    [has('guardian'), freezePayers],
  ];
  const gains: Gain[] = ['nothing'];
  for (const [isPossible, step] of steps) {
    if (!isPossible) continue;
    const undo = await step();
    gains.push(...(await gainsOf(has, own, victim)));
    await undo();
  }
  return gains.reduce((best, gain) => (GAINS.indexOf(gain) > GAINS.indexOf(best) ? gain : best));
}

/** The attacker has a key of the contract, a usage key, and shares that nodes gave its own nodes. */
type Own = { key: Hex; usageKey: bigint; shares: HeldShare[] };

/** The secrets that the attacker has now, from the key nodes and from the shares that it has. */
async function gainsOf(has: (party: Party) => boolean, own: Own, victim: Victim): Promise<Gain[]> {
  const opens = async (purpose: KeyPurpose, identities: typeof honest): Promise<boolean> => {
    const key = await network.ask(purpose, identities);
    return key !== undefined && privateKeyToAddress(key) === victim.wallet;
  };
  const anyone = () => createIdentity(randomBytes(32).toString('hex'));
  const identities = {
    runner: has('runner') ? honest.runner : anyone(),
    relayer: has('relayer') ? honest.relayer : anyone(),
  };
  const gains: Gain[] = [];
  for (const usageKey of [own.usageKey, victim.usageKey])
    for (const cid of Object.values(cids)) {
      const isOfVictim = usageKey === victim.usageKey;
      const purpose = walletPurpose(usageKey, cid, victim.wallet);
      if (await opens(purpose, identities)) gains.push('the key');
      // Through the HTTP API with the usage key, or as a relayer, which starts runs with the hash alone. The services are honest.
      const startsRuns = !isOfVictim || has('usage key holder') || has('relayer');
      const isRunOfVictim = isOfVictim && cid === cids.sign;
      if (!(startsRuns || (has('runner') && isRunOfVictim)) || !(await opens(purpose, honest))) continue;
      if (startsRuns) gains.push(cid === cids.export ? 'the key' : 'runs');
      if (has('runner')) gains.push('keys of its runs');
    }
  const corrupt = has('t − 1 nodes') ? sharesOf(network.nodes.slice(0, 1)) : [];
  for (const shares of [own.shares, corrupt, [...corrupt, ...corrupt], [...corrupt, ...own.shares]])
    if (derivesKey(victim, shares)) gains.push('the key');
  return gains;
}

function derivesKey({ path, wallet }: Victim, shares: HeldShare[]): boolean {
  try {
    return walletOf(shares, path) === wallet;
  } catch {
    return false;
  }
}

/** Tries what the contract, a node or a command may refuse. */
const attempt = (step: Promise<unknown>): Promise<unknown> => step.catch(() => {});
const nothing = async (): Promise<void> => {};

/** Adds an action and a usage key of the attacker to the account. */
async function grantItself(key: Hex, usageKey: bigint, { master, wallet }: Victim) {
  await attempt(network.write(key, 'addGroup', [master, '', '', [cidHash(cids.export)], [wallet]]));
  await attempt(network.write(key, 'setUsageApiKey', usageKeyFields(master, usageKey)));
  return nothing;
}

async function becomePayer(own: Own, victim: Victim) {
  const payers = [payerKey, own.key].map(privateKeyToAddress);
  await network.write(ownerKey, 'setApiPayers', [payers]);
  await grantItself(own.key, own.usageKey, victim);
  return () => network.write(ownerKey, 'setApiPayers', [payers.slice(0, 1)]);
}

/** Replaces the views that decide by ones that permit everything. */
async function cutPermissions({ path }: Victim) {
  const answers = { canExecuteAction: 1n, canUseWalletInAction: 1n, getWalletDerivation: path };
  const cuts: { selector: Hex; old: Address; facet: Address }[] = [];
  for (const [name, value] of Object.entries(answers)) {
    const selector = toFunctionSelector(
      getAbiItem({ abi: accountConfigAbi, name: name as keyof typeof answers }),
    );
    const old = await network.facetOf(selector);
    cuts.push({ selector, old, facet: await network.deploy(constantCode(value)) });
  }
  const replace = (to: (cut: (typeof cuts)[number]) => Address): Promise<unknown> => {
    const facets = cuts.map((cut) => ({
      facetAddress: to(cut),
      action: 1,
      functionSelectors: [cut.selector],
    }));
    return network.write(ownerKey, 'diamondCut', [facets, zeroAddress, '0x']);
  };
  await replace(({ facet }) => facet);
  return async () => {
    await replace(({ old }) => old);
    await network.acknowledge();
  };
}

/** Creation code of a contract that returns `value` to every call. */
function constantCode(value: bigint): Hex {
  const code = concat(['0x7f', numberToHex(value, { size: 32 }), '0x60005260206000f3']);
  return concat(['0x6029', '0x80', '0x600b', '0x6000', '0x39', '0x6000', '0xf3', code]);
}

/** Publishes a group of which the attacker has all shares. */
async function publishOwnGroup(key: Hex) {
  const text = generateGroup(2, 3)[0]?.parameters;
  await network.write(key, 'setNodeConfiguration', [GROUP_CONFIGURATION, text]);
  return () => network.write(key, 'setNodeConfiguration', [GROUP_CONFIGURATION, network.published]);
}

/** Moves the shares to nodes of the attacker, which the contract approves when the attacker can write there. */
async function reshareToItself(own: Own, canApprove: boolean) {
  const nodes = network.nodesOfAttacker;
  const run = runnerFor(network.deployed);
  const fields = {
    kind: 'resharing',
    threshold: 2,
    waitMs: 1_000,
    replace: true,
    isPrinted: !canApprove,
  } as const;
  await attempt(run({ ...fields, nodes, from: network.nodes }));
  own.shares = sharesOf(nodes);
  return async () => {
    await network.write(ownerKey, 'setNodeConfiguration', [APPROVED_NODES_CONFIGURATION, network.approved]);
    await network.write(ownerKey, 'setNodeConfiguration', [GROUP_CONFIGURATION, network.published]);
  };
}

async function freezePayers() {
  await network.write(guardianKey, 'freezePayers', []);
  return () => network.write(ownerKey, 'unfreezePayers', []);
}
