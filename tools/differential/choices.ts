/** Chooses arguments that are mostly valid in the current state of the model. */
import type { Address } from 'viem';
import type { Model } from './model.ts';
import * as pools from './pools.ts';
import type { Random } from './random.ts';
import { type Account, type Group, identityOf, live, NOBODY } from './state.ts';
import { idsOf } from './views.ts';

export interface Target {
  hash: bigint;
  account: Account | undefined;
  caller: Address;
}

export type Choices = ReturnType<typeof choicesFor>;

/** @param isFocused True when most calls are about one group of each account. */
export function choicesFor(model: Model, random: Random, isFocused: boolean) {
  const { pick, chance, int } = random;
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: int(most + 1) }, make);

  const anyone = () => pick(pools.ACTORS);
  /** Returns a wallet, often one whose identity is taken by another account. */
  function wallet(): Address {
    const squatted = pools.WALLETS.filter(
      (wallet) => !model.state.admins.has(wallet) && model.named(identityOf(wallet)) !== undefined,
    );
    return squatted.length > 0 && chance(0.5) ? pick(squatted) : pick(pools.WALLETS);
  }
  const newAdmin = () => (chance(0.05) ? NOBODY : chance(0.1) ? anyone() : wallet());

  function text(limit: number): string {
    if (chance(0.85)) return pick(['', 'name', 'größer', 'a name of more than thirty-two bytes']);
    return pick(['', 'x'.repeat(limit), 'é'.repeat(limit / 2)]) + (chance(0.1) ? 'x' : '');
  }
  const labels = (): [string, string] => [text(128), text(1024)];

  /** Returns an account by one of its hashes with a caller that can write it; sometimes another hash or caller. */
  function target(usageKeys: number): Target {
    const accounts = [...model.state.accounts.values()];
    const caller = (account: Account | undefined) => {
      if (account === undefined || chance(0.08)) return anyone();
      if (!account.managed) return account.admin;
      return model.state.apiPayers.length === 0 ? anyone() : pick(model.state.apiPayers);
    };
    if (accounts.length === 0 || chance(0.05)) {
      const hash = pick(pools.ALL_HASHES);
      const account = model.named(hash)?.account;
      return { hash, account, caller: caller(account) };
    }
    const account = pick(accounts);
    const keys = live(account.usageKeys).map(({ hash }) => hash);
    const aliases = [...model.state.aliases].filter(([, master]) => master === account.masterHash);
    const hash =
      keys.length > 0 && chance(usageKeys)
        ? pick(keys)
        : pick([account.masterHash, keyHashOf(account), ...aliases.map(([alias]) => alias)]);
    return { hash, account, caller: caller(account) };
  }
  /** Returns the hash of the current account key. */
  function keyHashOf({ masterHash, rotated }: Account): bigint {
    const keys = [...model.state.accountKeys].filter(([, master]) => master === masterHash);
    return rotated && !chance(0.05) ? (keys[0]?.[0] ?? masterHash) : masterHash;
  }
  /** The same for an account that waits for its admin to accept it, if there is one. */
  function waiting(): Target {
    const accounts = [...model.state.accounts.values()].filter(({ giver }) => giver !== NOBODY);
    if (accounts.length === 0 || chance(0.1)) return target(0.05);
    const account = pick(accounts);
    const hash = chance(0.8) ? account.masterHash : identityOf(pick([account.admin, account.giver]));
    return { hash, account, caller: chance(0.1) ? anyone() : account.admin };
  }
  /** The same for a managed account, by its current key. */
  function managed(): Target {
    const accounts = [...model.state.accounts.values()].filter(({ managed }) => managed);
    if (accounts.length === 0 || chance(0.1)) return target(0.05);
    const account = pick(accounts);
    return { hash: keyHashOf(account), account, caller: payer() };
  }
  const asMaster = () => (chance(0.1) ? waiting() : target(0.05));
  const asPermitted = () => target(0.5);

  /** The group of a focused sequence, by master hash. */
  const favourites = new Map<bigint, bigint>();
  function groupId(account: Account | undefined): bigint {
    const favourite = favourites.get(account?.masterHash ?? 0n);
    if (favourite !== undefined && chance(0.8)) return favourite;
    const id = anyGroupId(account);
    if (isFocused && account !== undefined) favourites.set(account.masterHash, id);
    return id;
  }
  function anyGroupId(account: Account | undefined): bigint {
    if (account === undefined || chance(0.08)) return pick(pools.ODD_GROUP_IDS);
    const last = BigInt(account.groups.length);
    if (last === 0n || chance(0.04)) return pick([0n, last, last + 1n, last + 2n]);
    const alive = idsOf(account.groups);
    if (alive.length === 0 || chance(0.08)) {
      const removed = account.groups.flatMap((group, i) => (group.removed ? [BigInt(i) + 1n] : []));
      return removed.length > 0 ? pick(removed) : last;
    }
    const atBorder = alive.filter((id) => pools.BORDER_GROUP_IDS.includes(id));
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
    return chance(0.02) ? pick(pools.ALL_HASHES) : pick(pools.CID_HASHES);
  }

  function pkp(account: Account | undefined, group?: Group): Address {
    if (group !== undefined && group.wallets.size > 0 && chance(0.5)) return pick([...group.wallets]);
    const known = live(account?.wallets ?? []).map(({ address }) => address);
    if (known.length > 0 && chance(0.7))
      return pick([pick(known), pick(known.slice(-4)), pick(known.slice(0, 2))]);
    return pick(pools.PKP_IDS);
  }

  /** Returns members for a group, mostly items of the account. */
  const contents = <T>(make: () => T): T[] =>
    chance(0.02) ? Array.from({ length: pick([10, 11]) }, make) : some(pick([0, 2, 4]), make);
  const knownPkp = (account: Account | undefined): Address => {
    const known = live(account?.wallets ?? []).map(({ address }) => address);
    if (known.length === 0 || chance(0.1)) return chance(0.5) ? NOBODY : pick(pools.PKP_IDS);
    return chance(0.5) ? pick(known.slice(-4)) : pick(known);
  };

  function usageHash(account: Account | undefined): bigint {
    const known = live(account?.usageKeys ?? []).map(({ hash }) => hash);
    return known.length > 0 && chance(0.6) ? pick(known) : pick(pools.USAGE_HASHES);
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
    if (account === undefined || chance(0.2)) return chance(0.05) ? 0n : pick(pools.PATHS);
    const own = [...model.state.pathOwners].filter(([, master]) => master === account.masterHash);
    if (own.length > 0 && chance(0.2)) return pick(own)[0];
    const known = [...model.state.pathOwners.keys()];
    if (known.length > 0 && chance(0.1)) return pick(known);
    const mintedFor = account.managed ? 0n : BigInt(account.admin);
    return (mintedFor << 96n) | BigInt(chance(0.3) ? int(6) + 1 : int(1_000_000));
  }

  const payer = () =>
    model.state.apiPayers.length === 0 || chance(0.1) ? anyone() : pick(model.state.apiPayers);
  const role = (holder: Address) => (chance(0.4) ? holder : chance(0.6) ? model.state.owner : anyone());

  function configurationKey(): string {
    if (chance(0.05)) return pick(['', 'x'.repeat(129)]);
    const known = [...model.state.nodeConfiguration.keys()];
    return known.length > 0 && chance(0.3) ? pick(known) : pick(pools.CONFIGURATION_KEYS);
  }

  return {
    anyone,
    newAdmin,
    wallet,
    labels,
    text,
    some,
    target,
    waiting,
    managed,
    asMaster,
    asPermitted,
    groupId,
    groupOf,
    cid,
    pkp,
    contents,
    knownPkp,
    usageHash,
    permissionList,
    expiration,
    path,
    payer,
    role,
    configurationKey,
  };
}
