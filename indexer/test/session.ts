import { walletIdentity } from '@latchkey/protocol';
import { type Address, getAddress, type Hex, keccak256, numberToHex, stringToHex, zeroAddress } from 'viem';
import { encodeWrite, type WriteArgs, type WriteName } from './writes.ts';

export type Labels = { name: string; description: string };

/** State that no view of the contract returns: the writer of each account, and data that is emitted but not stored. */
export type Model = {
  /** Writer, aliases and labels by master hash. `giver`: the account was transferred by this wallet and not accepted. */
  accounts: Map<bigint, { writer: Address; aliases: bigint[]; labels: Labels; giver?: Address }>;
  /** Wallets whose identity names the account that they opened, converted or accepted. */
  chosen: Set<Address>;
  /** By `<kind> <master hash> <id>`. */
  labels: Map<string, Labels>;
  balances: Map<string, bigint>;
};

export type Step = {
  from: Address;
  name: string;
  data: Hex;
  /** Applies the successful step to the model. */
  apply(model: Model): void;
};

/** Returns numbers in [0, n) that a seed determines (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    pick: <T>(items: readonly T[]): T => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('Nothing to pick from.');
      return item;
    },
    some: <T>(items: readonly T[], max: number): T[] =>
      Array.from({ length: below(max + 1) }, () => items[below(items.length)] as T),
    chance: (probability: number) => next() < probability,
  };
}

type Random = ReturnType<typeof createRandom>;

const hashText = (text: string) => BigInt(keccak256(stringToHex(text)));

// Few of each, so that steps interact: one adds an item that another removes, replaces or adds again.
const cids = [...Array.from({ length: 7 }, (_, n) => hashText(`cid ${n}`)), 0n];
const pkps = [
  ...Array.from({ length: 6 }, (_, n) => getAddress(numberToHex(0xb0b0000 + n, { size: 20 }))),
  zeroAddress,
];
/** Ponder copies rows into the database as text: special characters must arrive unchanged. */
const hostile = ['', '', '', '\t', '\\N', '\\.\n', `'"{1,2}`, '\u{1f511}\r\n'];
const groupIds = [1n, 2n, 3n, 4n, 5n, 6n];

const key = (kind: string, master: bigint, id: bigint | string) => `${kind} ${master} ${id}`;

function forget(model: Model, master: bigint): void {
  model.accounts.delete(master);
  for (const map of [model.labels, model.balances]) {
    for (const name of map.keys()) if (name.split(' ')[1] === String(master)) map.delete(name);
  }
}

/** Gives a wallet its identity: an account that had it as a key hash is evicted. */
function claim(model: Model, wallet: Address): bigint {
  const identity = walletIdentity(wallet);
  model.chosen.add(wallet);
  for (const account of model.accounts.values())
    account.aliases = account.aliases.filter((alias) => alias !== identity);
  if (model.accounts.has(identity)) forget(model, identity);
  for (const name of model.labels.keys()) {
    if (name.startsWith('key ') && name.endsWith(` ${identity}`)) {
      model.labels.delete(name);
      model.balances.delete(name);
    }
  }
  return identity;
}

/**
 * Returns one random write, often one that the contract refuses. `payer` writes managed accounts; `wallets` open their
 * own accounts and take over others.
 */
export function randomStep(random: Random, model: Model, payer: Address, wallets: readonly Address[]): Step {
  const { pick, some, chance, below } = random;
  const labels: Labels = {
    name: `n${below(1_000)}${pick(hostile)}`,
    description: `${pick(hostile)}d${below(1_000)}`,
  };
  const { name, description } = labels;

  /** The account that the step writes. */
  let written: bigint | undefined;
  /** The first account that a wallet accepts is its choice. */
  function accept(m: Model): void {
    const account = written === undefined ? undefined : m.accounts.get(written);
    if (account?.giver === undefined) return;
    delete account.giver;
    const { writer } = account;
    if (m.chosen.has(writer)) return;
    if (walletIdentity(writer) === written) m.chosen.add(writer);
    else account.aliases.push(claim(m, writer));
  }

  function step<Name extends WriteName>(
    from: Address,
    functionName: Name,
    args: WriteArgs<Name>,
    apply: (model: Model) => void = () => {},
  ): Step {
    return {
      from,
      name: functionName,
      data: encodeWrite(functionName, args),
      apply(m) {
        accept(m);
        apply(m);
      },
    };
  }

  if (model.accounts.size < 3 || chance(0.02)) {
    if (chance(0.4)) {
      const wallet = pick(wallets);
      return step(wallet, 'newChainSecuredAccount', [name, description], (m) => {
        m.accounts.set(claim(m, wallet), { writer: wallet, aliases: [], labels });
      });
    }
    // Sometimes under a wallet's identity, which that wallet may claim later.
    const master = chance(0.4) ? walletIdentity(pick(wallets)) : hashText(`account ${below(1_000)}`);
    return step(payer, 'newAccount', [master, true, name, description, payer], (m) => {
      m.accounts.set(master, { writer: payer, aliases: [], labels });
    });
  }

  const [master, account] = pick([...model.accounts]);
  written = master;
  const from = account.writer;
  // A converted or transferred account is called by each of its names.
  const hash = pick([master, ...account.aliases]);
  /** Picks mostly an item of the account, because most writes need one. */
  const mostly = (kind: string, others: readonly bigint[]): bigint => {
    const prefix = `${kind} ${master} `;
    const had = [...model.labels.keys()].filter((name) => name.startsWith(prefix));
    return had.length > 0 && chance(0.7) ? BigInt(pick(had).slice(prefix.length)) : pick(others);
  };
  const usageKey = chance(0.05)
    ? walletIdentity(pick(wallets))
    : mostly(
        'key',
        [0, 1, 2, 3, 4].map((n) => hashText(`key ${master} ${n}`)),
      );
  const groupId = mostly('group', groupIds);
  const liveGroups = groupIds.filter((id) => model.labels.has(key('group', master, id)));
  const cid = mostly('action', cids);
  const pkp = getAddress(numberToHex(mostly('wallet', pkps.map(BigInt)), { size: 20 }));
  const minter = from === payer ? 0n : BigInt(from);
  const path =
    (minter << 96n) + (BigInt(keccak256(numberToHex(BigInt(pkp) + master, { size: 64 }))) % 2n ** 96n);
  const ids = () =>
    chance(0.15) ? [0n] : some(liveGroups.length > 0 && chance(0.9) ? liveGroups : groupIds, 3);
  const relabel = (kind: string, id: bigint | string) => (m: Model) => {
    m.labels.set(key(kind, master, id), labels);
  };
  const register = (m: Model, hashes: readonly bigint[]) => {
    for (const action of hashes) {
      if (action === 0n || m.labels.has(key('action', master, action))) continue;
      m.labels.set(key('action', master, action), { name: '', description: '' });
    }
  };
  const registered = pkps.filter(
    (wallet) => wallet === zeroAddress || model.labels.has(key('wallet', master, wallet)),
  );
  const contents = [some(cids, 4), some(chance(0.9) ? registered : pkps, 3)] as const;

  return pick<() => Step>([
    () => {
      const balance = BigInt(below(1_000));
      const lists = [ids(), ids(), ids(), ids()] as const;
      const flags = [chance(0.5), chance(0.5), chance(0.5)] as const;
      return step(
        from,
        'setUsageApiKey',
        [
          hash,
          usageKey,
          BigInt(chance(0.5) ? 0 : below(2 ** 31)),
          balance,
          name,
          description,
          ...flags,
          ...lists,
        ],
        (m) => {
          relabel('key', usageKey.toString())(m);
          m.balances.set(key('key', master, usageKey), balance);
        },
      );
    },
    () =>
      step(
        from,
        'setUsageApiKey',
        [hash, usageKey, 0n, 7n, name, description, true, true, true, [], [], [], [0n]],
        (m) => {
          relabel('key', usageKey)(m);
          m.balances.set(key('key', master, usageKey), 7n);
        },
      ),
    () =>
      step(from, 'updateUsageApiKeyMetadata', [hash, usageKey, name, description], relabel('key', usageKey)),
    () =>
      step(from, 'removeUsageApiKey', [hash, usageKey], (m) => {
        m.labels.delete(key('key', master, usageKey));
        m.balances.delete(key('key', master, usageKey));
      }),
    ...Array.from(
      { length: 3 },
      () => () =>
        step(from, 'addGroup', [chance(0.3) ? usageKey : hash, name, description, ...contents], (m) => {
          register(m, contents[0]);
          const next = groupsEver(m, master) + 1n;
          m.labels.set(key('groups', master, 'ever'), { name: next.toString(), description: '' });
          m.labels.set(key('group', master, next), labels);
        }),
    ),
    () =>
      step(from, 'updateGroup', [hash, groupId, name, description, ...contents], (m) => {
        register(m, contents[0]);
        relabel('group', groupId)(m);
      }),
    () => step(from, 'updateGroupMetadata', [hash, groupId, name, description], relabel('group', groupId)),
    () =>
      step(from, 'removeGroup', [chance(0.5) ? usageKey : hash, groupId], (m) => {
        m.labels.delete(key('group', master, groupId));
      }),
    ...Array.from(
      { length: 2 },
      () => () => step(from, 'addAction', [hash, name, description, cid], relabel('action', cid)),
    ),
    () =>
      step(from, 'removeAction', [hash, cid], (m) => {
        m.labels.delete(key('action', master, cid));
      }),
    () =>
      step(
        from,
        'updateActionMetadata',
        [hash, cid, chance(0.5) ? 0n : groupId, name, description],
        relabel('action', cid),
      ),
    ...Array.from(
      { length: 2 },
      () => () =>
        step(from, 'addActionToGroup', [chance(0.3) ? usageKey : hash, groupId, cid], (m) =>
          register(m, [cid]),
        ),
    ),
    () => step(from, 'removeActionFromGroup', [chance(0.3) ? usageKey : hash, groupId, cid]),
    ...Array.from(
      { length: 3 },
      () => () =>
        step(
          from,
          'registerWalletDerivation',
          [chance(0.3) ? usageKey : hash, pkp, path, name, description],
          relabel('wallet', pkp),
        ),
    ),
    () =>
      step(from, 'removeWalletDerivation', [hash, pkp], (m) => {
        m.labels.delete(key('wallet', master, pkp));
      }),
    ...Array.from(
      { length: 2 },
      () => () => step(from, 'addPkpToGroup', [chance(0.3) ? usageKey : hash, groupId, pkp]),
    ),
    () => step(from, 'removePkpFromGroup', [chance(0.3) ? usageKey : hash, groupId, pkp]),
    () => {
      const second = hashText(`cid ${below(7)}`);
      const calls = [
        encodeWrite('addAction', [hash, name, description, hashText(`cid of ${name}`)]),
        encodeWrite('addActionToGroup', [hash, groupId, second]),
        encodeWrite('removeGroup', [hash, groupId]),
      ];
      return step(from, 'multicall', [calls], (m) => {
        m.labels.set(key('action', master, hashText(`cid of ${name}`)), labels);
        register(m, [second]);
        m.labels.delete(key('group', master, groupId));
      });
    },
    () => {
      const admin = pick(wallets);
      const own = walletIdentity(admin);
      const convert = (m: Model) => {
        const identity = master === own ? undefined : claim(m, admin);
        const converted = m.accounts.get(master);
        if (converted === undefined) return;
        m.chosen.add(admin);
        converted.writer = admin;
        if (identity !== undefined) converted.aliases.push(identity);
      };
      const transfer = (m: Model) => {
        const taken = m.accounts.get(master);
        if (taken !== undefined) Object.assign(taken, { writer: admin, giver: from });
      };
      return from === payer
        ? step(payer, 'convertToChainSecuredAccount', [hash, admin], convert)
        : step(from, 'transferChainSecuredAccountOwnership', [hash, admin], transfer);
    },
    () => {
      if (chance(0.5)) return step(from, 'acceptAccount', [hash]);
      const taker = account.giver !== undefined && chance(0.5) ? account.giver : from;
      const cancel = step(taker, 'cancelTransfer', [hash]);
      return {
        ...cancel,
        apply: (m) => {
          const back = m.accounts.get(master);
          if (back?.giver === undefined) return;
          back.writer = back.giver;
          delete back.giver;
        },
      };
    },
    () => step(from, 'setUsageApiKeyExpiration', [hash, usageKey, BigInt(chance(0.5) ? 0 : below(2 ** 31))]),
    () => {
      const next = hashText(`rotated ${below(1_000_000)}`);
      return step(from, 'rotateUsageApiKey', [hash, usageKey, next], (m) => {
        for (const map of [m.labels, m.balances] as Map<string, unknown>[]) {
          map.set(key('key', master, next), map.get(key('key', master, usageKey)));
          map.delete(key('key', master, usageKey));
        }
      });
    },
    () => {
      // Rarely, because most steps need a key.
      if (chance(0.8))
        return step(
          from,
          'updateUsageApiKeyMetadata',
          [hash, usageKey, name, description],
          relabel('key', usageKey),
        );
      return step(from, 'removeAllUsageApiKeys', [hash], (m) => {
        for (const map of [m.labels, m.balances])
          for (const entry of map.keys()) if (entry.startsWith(`key ${master} `)) map.delete(entry);
      });
    },
    () =>
      step(from, 'addToGroup', [chance(0.3) ? usageKey : hash, groupId, ...contents], (m) =>
        register(m, contents[0]),
      ),
    () => step(from, 'removeFromGroup', [chance(0.3) ? usageKey : hash, groupId, ...contents]),
  ])();
}

function groupsEver(model: Model, master: bigint): bigint {
  return BigInt(model.labels.get(key('groups', master, 'ever'))?.name ?? 0);
}

export const findLabels = (
  model: Model,
  kind: string,
  master: bigint,
  id: bigint | string,
): Labels | undefined => model.labels.get(key(kind, master, id));

export const findBalance = (model: Model, master: bigint, id: bigint): bigint | undefined =>
  model.balances.get(key('key', master, id));
