/** Random sequences of calls: most of them sensible in the state that the model is in, some with anything anywhere. */
import { walletIdentity } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import type { Call } from './abi.ts';
import type { Model, Outcome } from './model.ts';
import type { Random } from './random.ts';
import { DIGESTS } from './signatures.ts';
import { type Account, type Group, LISTS, live, NOBODY } from './state.ts';
import { idsOf } from './views.ts';
import * as world from './world.ts';

export interface Step {
  caller: Address;
  /** Unix seconds. */
  now: bigint;
  call: Call;
  expected: Outcome;
}

type Draft = { caller: Address; call: Call };

interface Target {
  hash: bigint;
  account: Account | undefined;
  caller: Address;
}

/** @param signatures What may be given as a signature. */
export function generate(model: Model, random: Random, start: bigint, length: number, signatures: Hex[]) {
  const drafts = draftsFor(model, random, signatures);
  const steps: Step[] = [];
  let now = start;
  const add = ({ caller, call }: Draft) => {
    steps.push({ caller, now, call, expected: model.call(caller, now, call) });
  };
  for (let i = 0; i < length; i++) {
    if (random.chance(0.2)) add(drafts.view());
    else {
      now += random.chance(0.1) ? BigInt(random.int(2000)) + 1n : 1n;
      model.now = now;
      add(drafts.write());
    }
  }
  for (const call of drafts.closingViews()) add({ caller: random.pick(world.ACTORS), call });
  return steps;
}

function draftsFor(model: Model, random: Random, signatures: Hex[]) {
  const { pick, chance, int } = random;
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: int(most + 1) }, make);

  // ------------------------------------------------------------------------------------------------ arguments

  const anyone = () => pick(world.ACTORS);
  /** Often one whose identity something else is in the way of. */
  function wallet(): Address {
    const squatted = world.WALLETS.filter(
      (wallet) => !model.state.admins.has(wallet) && model.named(walletIdentity(wallet)) !== undefined,
    );
    return squatted.length > 0 && chance(0.5) ? pick(squatted) : pick(world.WALLETS);
  }
  const newAdmin = () => (chance(0.05) ? NOBODY : chance(0.1) ? anyone() : wallet());

  function text(limit: number): string {
    if (chance(0.85)) return pick(['', 'name', 'größer', 'a name of more than thirty-two bytes']);
    return pick(['', 'x'.repeat(limit), 'é'.repeat(limit / 2)]) + (chance(0.1) ? 'x' : '');
  }
  const labels = (): [string, string] => [text(128), text(1024)];

  /** An account by a hash of its own, with a caller that may write it; at times neither. */
  function target(usageKeys: number): Target {
    const accounts = [...model.state.accounts.values()];
    const caller = (account: Account | undefined) => {
      if (account === undefined || chance(0.08)) return anyone();
      if (!account.managed) return account.admin;
      return model.state.apiPayers.length === 0 ? anyone() : pick(model.state.apiPayers);
    };
    if (accounts.length === 0 || chance(0.05)) {
      const hash = pick(world.ALL_HASHES);
      const account = model.named(hash)?.account;
      return { hash, account, caller: caller(account) };
    }
    const account = pick(accounts);
    const keys = live(account.usageKeys).map(({ hash }) => hash);
    const aliases = [...model.state.aliases].filter(([, master]) => master === account.masterHash);
    const hash =
      keys.length > 0 && chance(usageKeys)
        ? pick(keys)
        : pick([account.masterHash, account.masterHash, ...aliases.map(([alias]) => alias)]);
    return { hash, account, caller: caller(account) };
  }
  const asMaster = () => target(0.05);
  const asPermitted = () => target(0.5);

  function groupId(account: Account | undefined): bigint {
    if (account === undefined || chance(0.08)) return pick(world.ODD_GROUP_IDS);
    const last = BigInt(account.groups.length);
    if (last === 0n || chance(0.04)) return pick([0n, last, last + 1n, last + 2n]);
    const alive = idsOf(account.groups);
    if (alive.length === 0 || chance(0.08)) {
      const removed = account.groups.flatMap((group, i) => (group.removed ? [BigInt(i) + 1n] : []));
      return removed.length > 0 ? pick(removed) : last;
    }
    const atBorder = alive.filter((id) => world.BORDER_GROUP_IDS.includes(id));
    return pick([
      pick(alive),
      pick(alive.slice(0, 2)),
      pick(alive.slice(-4)),
      pick(atBorder.length > 0 ? atBorder : alive),
    ]);
  }
  const groupOf = (account: Account | undefined, id: bigint): Group | undefined =>
    account?.groups[Number(id) - 1];

  function cid(account: Account | undefined, group?: Group): bigint {
    if (group !== undefined && group.actions.size > 0 && chance(0.5)) return pick([...group.actions]);
    const known = live(account?.actions ?? []).map(({ hash }) => hash);
    if (known.length > 0 && chance(0.4))
      return pick([pick(known), pick(known.slice(-4)), pick(known.slice(0, 2))]);
    return chance(0.02) ? pick(world.ALL_HASHES) : pick(world.CID_HASHES);
  }

  function pkp(account: Account | undefined, group?: Group): Address {
    if (group !== undefined && group.wallets.size > 0 && chance(0.5)) return pick([...group.wallets]);
    const known = live(account?.wallets ?? []).map(({ address }) => address);
    if (known.length > 0 && chance(0.7))
      return pick([pick(known), pick(known.slice(-4)), pick(known.slice(0, 2))]);
    return pick(world.PKP_IDS);
  }

  /** Members for a group, mostly those that the account knows. */
  const contents = <T>(make: () => T): T[] =>
    chance(0.02) ? Array.from({ length: pick([10, 11]) }, make) : some(pick([0, 2, 4]), make);
  const knownPkp = (account: Account | undefined): Address => {
    const known = live(account?.wallets ?? []).map(({ address }) => address);
    if (known.length === 0 || chance(0.1)) return chance(0.5) ? NOBODY : pick(world.PKP_IDS);
    return chance(0.5) ? pick(known.slice(-4)) : pick(known);
  };

  function usageHash(account: Account | undefined): bigint {
    const known = live(account?.usageKeys ?? []).map(({ hash }) => hash);
    return known.length > 0 && chance(0.6) ? pick(known) : pick(world.USAGE_HASHES);
  }

  function permissionList(account: Account | undefined): bigint[] {
    if (chance(0.01)) return Array.from({ length: pick([50, 51]) }, () => pick([1n, 2n]));
    const alive = idsOf(account?.groups ?? []);
    const ids =
      alive.length === 0 ? [] : some(pick([0, 1, 5]), () => pick([pick(alive), pick(alive.slice(-4))]));
    if (chance(0.15)) ids.splice(int(ids.length + 1), 0, 0n);
    if (chance(0.03)) ids.push(groupId(account));
    return ids;
  }

  function expiration(): bigint {
    if (chance(0.6)) return 0n;
    const { now } = model;
    return pick([
      1n,
      now - 1n,
      now,
      now + 1n,
      now + 2n,
      now + 5n,
      now + 1500n,
      2n ** 40n - 1n,
      chance(0.3) ? 2n ** 40n : 0n,
    ]);
  }

  function path(account: Account | undefined): bigint {
    if (account === undefined || chance(0.2)) return chance(0.05) ? 0n : pick(world.PATHS);
    const own = [...model.state.pathOwners].filter(([, master]) => master === account.masterHash);
    if (own.length > 0 && chance(0.2)) return pick(own)[0];
    const known = [...model.state.pathOwners.keys()];
    if (known.length > 0 && chance(0.1)) return pick(known);
    const mintedFor = account.managed ? 0n : BigInt(account.admin);
    return (mintedFor << 96n) | BigInt(chance(0.3) ? int(6) + 1 : int(1_000_000));
  }

  // --------------------------------------------------------------------------------------------------- writes

  const draft = (caller: Address, name: string, ...args: unknown[]): Draft => ({
    caller,
    call: { name, args },
  });
  const payer = () =>
    model.state.apiPayers.length === 0 || chance(0.1) ? anyone() : pick(model.state.apiPayers);
  const role = (holder: Address) => (chance(0.4) ? holder : chance(0.6) ? model.state.owner : anyone());

  const writes: Record<string, [weight: number, () => Draft]> = {
    newChainSecuredAccount: [3, () => draft(wallet(), 'newChainSecuredAccount', ...labels())],
    newAccount: [
      3,
      () => {
        const hash = pick(world.ACCOUNT_HASHES);
        return draft(payer(), 'newAccount', hash, !chance(0.03), ...labels(), newAdmin());
      },
    ],
    convertToChainSecuredAccount: [
      2,
      () => {
        const { hash } = asMaster();
        const caller = chance(0.2) ? model.state.owner : payer();
        return draft(caller, 'convertToChainSecuredAccount', hash, newAdmin());
      },
    ],
    transferChainSecuredAccountOwnership: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        const to = account !== undefined && chance(0.1) ? account.admin : newAdmin();
        return draft(caller, 'transferChainSecuredAccountOwnership', hash, to);
      },
    ],
    setUsageApiKey: [
      12,
      () => {
        const { hash, account, caller } = asMaster();
        const flags = [chance(0.5), chance(0.5), chance(0.5)];
        const lists = LISTS.map(() => permissionList(account));
        const balance = pick([0n, 5n, 2n ** 256n - 1n]);
        const key = usageHash(account);
        return draft(
          caller,
          'setUsageApiKey',
          hash,
          key,
          expiration(),
          balance,
          ...labels(),
          ...flags,
          ...lists,
        );
      },
    ],
    updateUsageApiKeyMetadata: [
      1,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'updateUsageApiKeyMetadata', hash, usageHash(account), ...labels());
      },
    ],
    removeUsageApiKey: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeUsageApiKey', hash, usageHash(account));
      },
    ],
    addGroup: [
      11,
      () => {
        const { hash, account, caller } = asPermitted();
        const cids = contents(() => cid(account));
        return draft(
          caller,
          'addGroup',
          hash,
          ...labels(),
          cids,
          contents(() => knownPkp(account)),
        );
      },
    ],
    updateGroup: [
      5,
      () => {
        const { hash, account, caller } = asMaster();
        const cids = contents(() => cid(account));
        const pkps = contents(() => knownPkp(account));
        return draft(caller, 'updateGroup', hash, groupId(account), ...labels(), cids, pkps);
      },
    ],
    updateGroupMetadata: [
      1,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'updateGroupMetadata', hash, groupId(account), ...labels());
      },
    ],
    removeGroup: [
      3,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'removeGroup', hash, groupId(account));
      },
    ],
    addAction: [
      4,
      () => {
        const { hash, account, caller } = asMaster();
        const action = chance(0.8) ? pick(world.CID_HASHES) : cid(account);
        return draft(caller, 'addAction', hash, ...labels(), action);
      },
    ],
    removeAction: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeAction', hash, cid(account));
      },
    ],
    updateActionMetadata: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        const id = chance(0.5) ? 0n : groupId(account);
        return draft(
          caller,
          'updateActionMetadata',
          hash,
          cid(account, groupOf(account, id)),
          id,
          ...labels(),
        );
      },
    ],
    addActionToGroup: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'addActionToGroup', hash, groupId(account), cid(account));
      },
    ],
    removeActionFromGroup: [
      4,
      () => {
        const { hash, account, caller } = asPermitted();
        const id = groupId(account);
        return draft(caller, 'removeActionFromGroup', hash, id, cid(account, groupOf(account, id)));
      },
    ],
    registerWalletDerivation: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        const wallet = chance(0.9) ? pick(world.PKP_IDS) : pkp(account);
        return draft(caller, 'registerWalletDerivation', hash, wallet, path(account), ...labels());
      },
    ],
    removeWalletDerivation: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeWalletDerivation', hash, pkp(account));
      },
    ],
    addPkpToGroup: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'addPkpToGroup', hash, groupId(account), pkp(account));
      },
    ],
    removePkpFromGroup: [
      4,
      () => {
        const { hash, account, caller } = asPermitted();
        const id = groupId(account);
        return draft(caller, 'removePkpFromGroup', hash, id, pkp(account, groupOf(account, id)));
      },
    ],
    multicall: [4, () => multicall(2)],
    unknownFunction: [0.3, () => draft(anyone(), 'unknownFunction', unknownData())],

    setApiPayers: [
      0.9,
      () => {
        const payers = new Set(some(3, () => pick([...model.state.apiPayers, ...world.ACTORS])));
        const odd = chance(0.15)
          ? [pick([NOBODY, NOBODY, ...payers])]
          : chance(0.1)
            ? Array.from({ length: pick([47, 51]) }, (_, i) => world.addressOf(BigInt(0xa000 + i)))
            : [];
        return draft(chance(0.8) ? model.state.owner : anyone(), 'setApiPayers', [...payers, ...odd]);
      },
    ],
    setAdminApiPayerAccount: [
      0.3,
      () => draft(role(model.state.configOperator), 'setAdminApiPayerAccount', anyone()),
    ],
    setConfigOperator: [0.3, () => draft(role(model.state.configOperator), 'setConfigOperator', newAdmin())],
    setPricingOperator: [
      0.3,
      () => draft(role(model.state.pricingOperator), 'setPricingOperator', newAdmin()),
    ],
    setPricing: [
      0.5,
      () => draft(role(model.state.pricingOperator), 'setPricing', BigInt(int(3)), BigInt(int(5))),
    ],
    setNodeConfiguration: [
      2,
      () => {
        const value = chance(0.3) ? '' : text(1024);
        return draft(role(model.state.configOperator), 'setNodeConfiguration', configurationKey(), value);
      },
    ],
    transferOwnership: [
      0.4,
      () => draft(chance(0.8) ? model.state.owner : anyone(), 'transferOwnership', newAdmin()),
    ],
    acceptOwnership: [0.3, () => accept()],
  };

  function configurationKey(): string {
    if (chance(0.05)) return pick(['', 'x'.repeat(129)]);
    const known = [...model.state.nodeConfiguration.keys()];
    return known.length > 0 && chance(0.3) ? pick(known) : pick(world.CONFIGURATION_KEYS);
  }
  function accept(): Draft {
    const { pendingOwner } = model.state;
    return draft(pendingOwner === NOBODY || chance(0.2) ? anyone() : pendingOwner, 'acceptOwnership');
  }
  const unknownData = (): Hex => pick(['0x', '0x12345678', '0xdeadbeef00']);

  /** Some calls by the first one's caller; one that reverts takes all back. */
  function multicall(depth: number): Draft {
    const first = write(depth - 1);
    const others = some(3, () => {
      if (chance(0.1)) return view().call;
      const other = write(depth - 1);
      return other.caller === first.caller || chance(0.1) ? other.call : undefined;
    });
    const calls = [first.call, ...others].filter((call) => call !== undefined);
    return draft(first.caller, 'multicall', chance(0.02) ? [] : calls);
  }

  const drawers = Object.entries(writes);
  const total = drawers.reduce((sum, [, [weight]]) => sum + weight, 0);
  function write(depth = 2): Draft {
    // Who is offered the ownership has to take it before the sequence is over.
    if (model.state.pendingOwner !== NOBODY && chance(0.1)) return accept();
    let at = (int(1_000_000) / 1_000_000) * total;
    for (const [name, [weight, make]] of drawers) {
      at -= weight;
      if (at < 0 && (depth > 0 || name !== 'multicall')) return make();
    }
    return write(depth);
  }

  // ---------------------------------------------------------------------------------------------------- views

  const anyHash = () => (chance(0.7) ? target(0.4).hash : pick(world.ALL_HASHES));
  const page = () => pick([0n, 0n, 0n, 1n, 2n, 2n ** 256n - 1n]);
  const pageSize = () =>
    chance(0.04) ? pick([0n, 1001n, 2n ** 256n - 1n]) : pick([1n, 3n, 7n, 50n, 100n, 1000n]);
  const permission = (name: string, parts: number) => () => {
    const { hash, account } = target(0.9);
    const group = account === undefined ? undefined : groupOf(account, groupId(account));
    return { name, args: [hash, cid(account, group), pkp(account, group)].slice(0, parts) };
  };
  const list = (name: string) => () => ({ name, args: [anyHash(), page(), pageSize()] });
  const groupList = (name: string) => () => {
    const { hash, account } = target(0.3);
    return { name, args: [hash, groupId(account), page(), pageSize()] };
  };
  const plain = (name: string) => () => ({ name, args: [] });
  const byHash = (name: string) => () => ({ name, args: [anyHash()] });

  const views: (() => Call)[] = [
    permission('canExecuteAction', 2),
    permission('canUseWalletInAction', 3),
    permission('canExecuteActionAndUseWallet', 3),
    permission('explainExecution', 3),
    permission('explainExecution', 3),
    byHash('resolve'),
    byHash('accountExistsAndIsMutable'),
    byHash('getAccountWalletAddress'),
    byHash('allApiKeyHashesToMaster'),
    byHash('listSizes'),
    list('listApiKeys'),
    list('listGroups'),
    list('listPkps'),
    list('listActions'),
    groupList('listActionsInGroup'),
    groupList('listWalletsInGroup'),
    () => {
      const { hash, account } = target(0.3);
      return { name: 'listGroupContents', args: [hash, groupId(account)] };
    },
    () => {
      const { hash, account } = target(0.3);
      return { name: 'getWalletDerivation', args: [hash, pkp(account)] };
    },
    () => {
      const known = [...model.state.pathOwners.keys()];
      return {
        name: 'getPathOwnerMaster',
        args: [known.length > 0 && chance(0.7) ? pick(known) : pick(world.PATHS)],
      };
    },
    () => {
      const wallet = chance(0.1) ? NOBODY : pick(world.WALLETS.slice(0, 3));
      return { name: 'isValidWalletSignature', args: [wallet, pick(DIGESTS), pick(signatures)] };
    },
    () => ({ name: 'isValidAccountSignature', args: [anyHash(), pick(DIGESTS), pick(signatures)] }),
    () => ({ name: 'getPricing', args: [BigInt(int(3))] }),
    () => ({ name: 'nodeConfigurationValue', args: [configurationKey()] }),
  ];
  const settings = [
    'api_payers',
    'adminApiPayerAccount',
    'pricingOperator',
    'configOperator',
    'owner',
    'pendingOwner',
    'accountCount',
    'pkpCount',
    'nodeConfigurationValues',
  ].map((name) => plain(name)());

  function view(): Draft {
    const call = chance(0.1) ? pick(settings) : pick(views)();
    return { caller: anyone(), call };
  }

  /** Every setting, what every hash names, every list of every account, and questions about every key. */
  function closingViews(): Call[] {
    const calls: Call[] = [...settings];
    for (const hash of world.ALL_HASHES) calls.push({ name: 'resolve', args: [hash] });
    for (const account of model.state.accounts.values()) {
      const hash = account.masterHash;
      calls.push({ name: 'listSizes', args: [hash] });
      for (const name of ['listApiKeys', 'listGroups', 'listPkps', 'listActions']) {
        calls.push({ name, args: [hash, 0n, 1000n] });
      }
      const ids = new Set(Array.from({ length: Math.min(account.groups.length, 8) }, () => groupId(account)));
      for (const id of ids) calls.push({ name: 'listGroupContents', args: [hash, id] });
      for (const key of live(account.usageKeys)) {
        for (let i = 0; i < 3; i++) {
          const group = groupOf(account, groupId(account));
          calls.push({
            name: 'explainExecution',
            args: [key.hash, cid(account, group), pkp(account, group)],
          });
        }
      }
    }
    for (let i = 0; i < 10; i++) calls.push(pick(views)());
    return calls;
  }

  return { write, view, closingViews };
}
