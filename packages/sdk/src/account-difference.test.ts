import { expect, test } from 'vitest';
import { type ComparedExport, diffExport } from './account-difference.ts';
import type { AccountExport } from './account-export.ts';
import type { ExportedTrigger } from './trigger-export.ts';

const word = (digit: string) => `0x${digit.padStart(64, '0')}`;
const wallet = (digit: string) => ({
  id: word(digit),
  name: `wallet ${digit}`,
  description: '',
  wallet_address: `0x${digit.repeat(40)}`,
  derivation_path: word(digit),
  exportable: true,
});
const action = (digit: string, name = `action ${digit}`) => ({
  id: word(digit),
  cid: null,
  name,
  description: '',
});
const group = (digit: string, name: string, cids: string[] = [], wallets: string[] = []) => ({
  id: word(digit),
  name,
  description: '',
  cid_hashes_permitted: cids.map(word),
  pkp_ids_permitted: wallets.map((each) => `0x${each.repeat(40)}`),
});
const usageKey = (digit: string, fields: Partial<AccountExport['usage_keys'][number]> = {}) => ({
  ...{ id: word(digit), api_key_hash: word(digit), name: `key ${digit}`, description: '' },
  ...{
    expiration: '0',
    balance: '0',
    can_create_groups: false,
    can_delete_groups: false,
    can_create_pkps: false,
  },
  can_manage_ipfs_ids_in_groups: [],
  can_add_pkp_to_groups: [],
  can_remove_pkp_from_groups: [],
  can_execute_in_groups: [1, 2],
  spend_cap_cents: null,
  spend_window_seconds: null,
  max_runs_per_minute: null,
  max_concurrency: null,
  max_run_seconds: null,
  record_output: false,
  ...fields,
});
const account = (parts: Partial<ComparedExport>, hash = word('a')): ComparedExport => ({
  ...{ format_version: 1, chain_id: 1, contract: `0x${'c'.repeat(40)}`, block_number: '5', credit_micros: 7 },
  account: { api_key_hash: hash, admin_wallet_address: `0x${'d'.repeat(40)}`, managed: true },
  usage_keys: [],
  groups: [],
  actions: [],
  wallets: [],
  ...parts,
});
const texts = (current: ComparedExport, wanted: ComparedExport) =>
  diffExport(current, wanted).map(({ kind, text }) => `${kind}: ${text}`);

const full = account({
  usage_keys: [usageKey('1')],
  groups: [group('1', 'a', ['1'], ['1']), group('2', 'b')],
  actions: [action('1'), action('2')],
  wallets: [wallet('1')],
});

test('an account needs no step to become equal to its own export, whatever the credit and the order of lists are', () => {
  const [one] = full.usage_keys;
  const other = { ...full, credit_micros: 0, block_number: '9' };
  const reordered = { ...usageKey('1', { can_execute_in_groups: [2, 1], balance: '3' }) };
  expect(one).toBeDefined();
  expect(diffExport(full, { ...other, usage_keys: [reordered] })).toEqual([]);
});

test('names each addition, update and removal of the same account, removals last', () => {
  const wanted = account({
    usage_keys: [usageKey('1', { max_concurrency: 2, name: 'renamed' })],
    groups: [group('1', 'a', ['1', '3'], ['1']), group('3', 'c', ['0'])],
    actions: [action('1', 'other'), action('3')],
    wallets: [wallet('1')],
  });
  expect(texts(full, wanted)).toEqual([
    `add: Registers the action ${word('3')} as “action 3”.`,
    `add: Creates the group “c” with 1 action: ${word('0')}; no wallets. It gets a new id.`,
    `update: Changes the labels of the action ${word('1')} to “other”.`,
    `update: Replaces the group ${word('1')}: it becomes “a” with 2 actions: ${word('1')}, ${word('3')}; 1 wallet: 0x${'1'.repeat(40)}.`,
    `update: Changes the usage key ${word('1')}, “renamed”: name, max_concurrency.`,
    `remove: Removes the action ${word('2')}, “action 2”, from the account and every group.`,
    `remove: Removes the group ${word('2')}, “b”, also from every usage key.`,
  ]);
});

test('tells that keys and wallets of another account cannot be imported, and matches groups by name', () => {
  const mine = account({ groups: [group('5', 'b'), group('6', 'b')], wallets: [wallet('2')] }, word('b'));
  expect(texts(mine, full)).toEqual([
    `add: Registers the action ${word('1')} as “action 1”.`,
    `add: Registers the action ${word('2')} as “action 2”.`,
    `add: Creates the group “a” with 1 action: ${word('1')}; no wallets. It gets a new id.`,
    `remove: Removes the group ${word('6')}, “b”, also from every usage key.`,
    `impossible: The usage key ${word('1')}, “key 1”, cannot be imported: an export has no keys. Create a new one.`,
    `impossible: The wallet 0x${'1'.repeat(40)}, “wallet 1”, cannot be imported: it belongs to one account for ever.`,
    `impossible: The wallet 0x${'2'.repeat(40)}, “wallet 2”, stays: a wallet cannot be removed.`,
  ]);
});

test('names each change of triggers when both exports have them', () => {
  const trigger = (id: string, fields: Partial<ExportedTrigger> = {}): ExportedTrigger => ({
    id,
    name: `trigger ${id}`,
    kind: 'webhook',
    cid: 'Qm1',
    defaultParams: {},
    config: {},
    maxRunsPerMinute: 1,
    maxQueuedRuns: 1,
    maxConcurrentRuns: 1,
    holdWhenPaused: false,
    enabled: true,
    ...fields,
  });
  const before = { ...full, triggers: [trigger('1'), trigger('2')] };
  const after = { ...full, triggers: [trigger('1', { throttlePerMinute: 5, enabled: false }), trigger('3')] };
  const expected = [
    'add: Creates the trigger “trigger 3”. It needs a usage key, and gets a new id and new secrets.',
    'update: Changes the trigger “trigger 1”: enabled, throttlePerMinute.',
    'remove: Deletes the trigger “trigger 2” and its runs.',
  ];
  expect(texts(before, after)).toEqual(expected);
  expect(texts(before, { ...after, triggers: JSON.parse(JSON.stringify(after.triggers)) })).toEqual(expected);
  expect(texts(before, before)).toEqual([]);
  expect(texts(before, full)).toEqual([]);
  const copied = account({ triggers: [trigger('9', { name: 'trigger 1' })] }, word('b'));
  expect(texts(copied, account({ triggers: [trigger('1')] }))).toEqual([]);
});

test('refuses a file of another format version', () => {
  expect(() => diffExport(full, { ...full, format_version: 2 as never })).toThrow('format version 1');
});
