/** Compares two exports of accounts, without a write. */
import type { AccountExport } from './account-export.ts';
import { LatchkeyError } from './errors.ts';
import type { ExportedTrigger } from './trigger-export.ts';
import { labelled, listed } from './values.ts';

const FORMAT_VERSION: number = 1;

/** A step from an account to an export. `impossible`: no operation can make it. */
export interface AccountChange {
  kind: 'add' | 'update' | 'remove' | 'impossible';
  of: 'action' | 'group' | 'trigger' | 'usage key' | 'wallet';
  /** The hash, id or address, as the exports have it. */
  id: string;
  /** A sentence for people. */
  text: string;
}

/** An export of an account, to which the triggers can be added: `{ ...(await api.exportAccount()), triggers: await triggers.exportTriggers() }`. */
export type ComparedExport = AccountExport & { triggers?: readonly ExportedTrigger[] };

type Group = AccountExport['groups'][number];
type UsageKey = AccountExport['usage_keys'][number];
type Labelled = { name: string; description: string };

const label = ({ name, description }: Labelled): string => labelled(name, description);

/** Returns the fields in which two entries differ. Lists are compared without their order. */
function differences<Entry extends object>(from: Entry, to: Entry, fields: readonly (keyof Entry)[]) {
  const text = (value: unknown): string =>
    JSON.stringify(Array.isArray(value) ? value.map(String).sort() : value);
  return fields.filter((field) => text(from[field]) !== text(to[field])).map(String);
}

/** Returns the entries with their identities. Equal identities get a number each. */
function identified<Entry>(entries: readonly Entry[], identity: (entry: Entry) => string) {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    let id = identity(entry);
    for (let count = 2; found.has(id); count++) id = `${identity(entry)} ${count}`;
    found.set(id, entry);
  }
  return found;
}

/** The entries of two lists: only in the first, in both, only in the second. */
function compare<Entry>(from: readonly Entry[], to: readonly Entry[], identity: (entry: Entry) => string) {
  const [current, wanted] = [identified(from, identity), identified(to, identity)];
  return {
    added: [...wanted].filter(([id]) => !current.has(id)).map(([, entry]) => entry),
    kept: [...wanted].flatMap(([id, entry]) => {
      const before = current.get(id);
      return before === undefined ? [] : [{ before, after: entry }];
    }),
    removed: [...current].filter(([id]) => !wanted.has(id)).map(([, entry]) => entry),
  };
}

function diffActions(current: AccountExport, wanted: AccountExport): AccountChange[] {
  const { added, kept, removed } = compare(current.actions, wanted.actions, ({ id }) => id);
  const of = 'action';
  return [
    ...added.map((action): AccountChange => {
      const text = `Registers the action ${action.cid ?? action.id} as ${label(action)}.`;
      return { kind: 'add', of, id: action.id, text };
    }),
    ...kept.flatMap(({ before, after }): AccountChange[] => {
      if (differences(before, after, ['name', 'description']).length === 0) return [];
      const text = `Changes the labels of the action ${after.id} to ${label(after)}.`;
      return [{ kind: 'update', of, id: after.id, text }];
    }),
    ...removed.map((action): AccountChange => {
      const text = `Removes the action ${action.id}, ${label(action)}, from the account and every group.`;
      return { kind: 'remove', of, id: action.id, text };
    }),
  ];
}

function diffGroups(current: AccountExport, wanted: AccountExport, isSame: boolean): AccountChange[] {
  const own = new Set([`0x${'0'.repeat(40)}`, ...current.wallets.map((wallet) => wallet.wallet_address)]);
  // A wallet that the account does not have is told once, and not as a part of groups.
  const possible = wanted.groups.map((group) => ({
    ...group,
    pkp_ids_permitted: group.pkp_ids_permitted.filter((wallet) => own.has(wallet)),
  }));
  const { added, kept, removed } = compare(current.groups, possible, ({ id, name }) => (isSame ? id : name));
  const of = 'group';
  const contents = (group: Group): string =>
    `${listed(group.cid_hashes_permitted, 'action')}; ${listed(group.pkp_ids_permitted, 'wallet')}`;
  const fields = ['name', 'description', 'cid_hashes_permitted', 'pkp_ids_permitted'] as const;
  return [
    ...added.map((group): AccountChange => {
      const text = `Creates the group ${label(group)} with ${contents(group)}. It gets a new id.`;
      return { kind: 'add', of, id: group.id, text };
    }),
    ...kept.flatMap(({ before, after }): AccountChange[] => {
      if (differences<Group>(before, after, fields).length === 0) return [];
      const text = `Replaces the group ${before.id}: it becomes ${label(after)} with ${contents(after)}.`;
      return [{ kind: 'update', of, id: before.id, text }];
    }),
    ...removed.map((group): AccountChange => {
      const text = `Removes the group ${group.id}, ${label(group)}, also from every usage key.`;
      return { kind: 'remove', of, id: group.id, text };
    }),
  ];
}

function diffUsageKeys(current: AccountExport, wanted: AccountExport): AccountChange[] {
  const { added, kept, removed } = compare(current.usage_keys, wanted.usage_keys, ({ id }) => id);
  const of = 'usage key';
  return [
    ...added.map((key): AccountChange => {
      const text = `The usage key ${key.id}, ${label(key)}, cannot be imported: an export has no keys. Create a new one.`;
      return { kind: 'impossible', of, id: key.id, text };
    }),
    ...kept.flatMap(({ before, after }): AccountChange[] => {
      const fields = (Object.keys(after) as (keyof UsageKey)[]).filter((field) => field !== 'balance');
      const changed = differences<UsageKey>(before, after, fields);
      if (changed.length === 0) return [];
      const text = `Changes the usage key ${after.id}, ${label(after)}: ${changed.join(', ')}.`;
      return [{ kind: 'update', of, id: after.id, text }];
    }),
    ...removed.map((key): AccountChange => {
      const text = `Removes the usage key ${key.id}, ${label(key)}. It cannot be restored.`;
      return { kind: 'remove', of, id: key.id, text };
    }),
  ];
}

function diffWallets(current: AccountExport, wanted: AccountExport): AccountChange[] {
  const { added, kept, removed } = compare(
    current.wallets,
    wanted.wallets,
    (wallet) => wallet.wallet_address,
  );
  const refuse = (
    { wallet_address: id, ...wallet }: (typeof added)[number],
    reason: string,
  ): AccountChange => {
    const text = `The wallet ${id}, ${label(wallet)}, ${reason}`;
    return { kind: 'impossible', of: 'wallet', id, text };
  };
  return [
    ...added.map((wallet) => refuse(wallet, 'cannot be imported: it belongs to one account for ever.')),
    ...kept
      .filter(({ before, after }) => differences(before, after, ['name', 'description']).length > 0)
      .map(({ after }) => refuse(after, 'keeps its labels: a wallet gets them once.')),
    ...removed.map((wallet) => refuse(wallet, 'stays: a wallet cannot be removed.')),
  ];
}

function diffTriggers(
  current: readonly ExportedTrigger[],
  wanted: readonly ExportedTrigger[],
  isSame: boolean,
): AccountChange[] {
  const { added, kept, removed } = compare(current, wanted, ({ id, name }) => (isSame ? id : name));
  const of = 'trigger';
  return [
    ...added.map(({ id, name }): AccountChange => {
      const text = `Creates the trigger “${name}”. It needs a usage key, and gets a new id and new secrets.`;
      return { kind: 'add', of, id, text };
    }),
    ...kept.flatMap(({ before, after }): AccountChange[] => {
      const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof ExportedTrigger>;
      names.delete('id');
      const changed = differences(before, after, [...names]);
      if (changed.length === 0) return [];
      return [
        {
          kind: 'update',
          of,
          id: before.id,
          text: `Changes the trigger “${after.name}”: ${changed.join(', ')}.`,
        },
      ];
    }),
    ...removed.map(({ id, name }): AccountChange => {
      return { kind: 'remove', of, id, text: `Deletes the trigger “${name}” and its runs.` };
    }),
  ];
}

/**
 * Returns the steps that would make the account of `current` equal to `wanted`, as a dry run: additions and updates, then removals, then
 * what is impossible. Groups and triggers of another account are matched by their names. Credit is not compared, and triggers only when both exports
 * have them. Throws for a file of another format.
 */
export function diffExport(current: ComparedExport, wanted: ComparedExport): AccountChange[] {
  if (wanted.format_version !== FORMAT_VERSION)
    throw new LatchkeyError('configuration', `expected an export of the format version ${FORMAT_VERSION}`);
  const isSame =
    current.account.api_key_hash === wanted.account.api_key_hash &&
    current.chain_id === wanted.chain_id &&
    current.contract === wanted.contract;
  const all = [
    ...diffActions(current, wanted),
    ...diffGroups(current, wanted, isSame),
    ...diffUsageKeys(current, wanted),
    ...diffWallets(current, wanted),
    ...(current.triggers && wanted.triggers ? diffTriggers(current.triggers, wanted.triggers, isSame) : []),
  ];
  const order = ({ kind }: AccountChange): number => ['add', 'update', 'remove', 'impossible'].indexOf(kind);
  return all.sort((a, b) => order(a) - order(b));
}
