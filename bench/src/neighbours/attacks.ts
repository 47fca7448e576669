/**
 * Attacks of strangers and neighbours: each is one request that a number of callers repeat concurrently, or a flood of connections.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { bombs } from '@latchkey/testing/bombs';
import { type FloodName, floods } from '@latchkey/testing/floods';

export type Attack = {
  /** Requests in flight. */
  concurrency: number;
  request: () => { path: string; body?: string | Buffer<ArrayBuffer>; key?: string };
};

const requestAttacks = [
  'body flood',
  'slot taker',
  'slow names',
  'bombs',
  'frame flood',
  'PBKDF2',
  'unknown keys',
  'health flood',
  'new_account flood',
  '150 writers',
  '30 writing accounts',
  'list readers',
  'list_runs readers',
  'description readers',
] as const;
export type RequestAttack = (typeof requestAttacks)[number];
export type AttackName = RequestAttack | FloodName;
const floodNames = Object.keys(floods) as FloodName[];
export const attackNames: readonly AttackName[] = [...requestAttacks, ...floodNames];

/** An account of the attacker. `runner` is a usage key of it that can run any code. */
export type AttackerAccount = { key: string; runner: string };

/** Accounts of the attacker in the attacks that need more than one. */
export const accountsOf: Partial<Record<AttackName, number>> = { '30 writing accounts': 30 };

const BODY_BYTES = 10 * 1024 * 1024;
const PREFIX = '/core/v1';

const nested = () => Buffer.from(`[${'[],'.repeat(BODY_BYTES / 3 - 2)}[]]`);
const long = () => Buffer.from(JSON.stringify('x'.repeat(BODY_BYTES - 2)));

/** Runs that occupy their slot and do nothing. */
const sleep = 'async function main() { await new Promise((resolve) => setTimeout(resolve, 2500)); }';

/** Names below .test do not exist. */
const slowNames = `async function main() {
  const name = () => Math.random().toString(36).slice(2) + '.slow.test';
  await Promise.allSettled(Array.from({ length: 40 }, () => fetch('https://' + name() + '/')));
}`;

/** Messages from the run to the service at the maximum rate of the run. Errors of broken limits are caught. */
const frames = `async function main() {
  for (let i = 0; ; i++) {
    try { console.log('y'); } catch {}
    fetch('http://127.0.0.1:9/' + i).catch(() => {});
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}`;

const pbkdf2 = `async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(16), iterations: 200_000 };
  await Promise.all(Array.from({ length: 400 }, () => crypto.subtle.deriveBits(settings, key, 512)));
}`;

/** Every list and free read of an account, by the key that may call it. */
const reads = ({ key, runner }: AttackerAccount): { path: string; key: string }[] => {
  const pages = ['groups', 'actions', 'wallets', 'api_keys'].map((list) => `list_${list}?page_size=100`);
  const others = ['billing/balance', 'billing/ledger?page_size=100', 'account_exists', `run/${randomUUID()}`];
  const ofAccount = [LIST_RUNS, ...pages, ...others].map((path) => ({ path, key }));
  const explained = 'explain_execution?cid=QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
  return [...ofAccount, { path: explained, key: runner }].map((read) => ({
    ...read,
    path: `${PREFIX}/${read.path}`,
  }));
};

export const DESCRIPTION = `${PREFIX}/openapi.json`;
const LIST_RUNS = 'list_runs?page_size=1000';
const newGroup = JSON.stringify({ group_name: 'flood', group_description: '' });

const inTurn = <T>(items: readonly T[]): (() => T) => {
  let next = 0;
  return () => items[next++ % items.length] as T;
};

/** Returns the attack by these accounts, the first of which sends alone unless the attack needs more. */
export function createAttack(name: RequestAttack, accounts: readonly AttackerAccount[]): Attack {
  const [first] = accounts;
  if (!first) throw new Error('an attack needs an account');
  const key = first.runner;
  const run = (...codes: string[]): Attack['request'] => {
    const code = inTurn(codes);
    return () => ({
      path: `${PREFIX}/svc_action`,
      key,
      body: JSON.stringify({ code: `${code()}\n// ${randomUUID()}` }),
    });
  };
  switch (name) {
    case 'body flood': {
      const paths = inTurn(
        ['new_account', 'create_wallet_with_signature', 'get_svc_action_ipfs_id', 'add_group'].map(
          (path) => `${PREFIX}/${path}`,
        ),
      );
      const bodies = inTurn([nested(), long()]);
      return { concurrency: 6, request: () => ({ path: paths(), body: bodies() }) };
    }
    case 'slot taker':
      return { concurrency: 80, request: run(sleep) };
    case 'slow names':
      return { concurrency: 8, request: run(slowNames) };
    case 'bombs':
      return { concurrency: 6, request: run(...Object.values(bombs).map(({ code }) => code)) };
    case 'frame flood':
      return { concurrency: 4, request: run(frames) };
    case 'PBKDF2':
      return { concurrency: 2, request: run(pbkdf2) };
    case 'unknown keys':
      return {
        concurrency: 32,
        request: () => ({ path: `${PREFIX}/list_groups`, key: randomBytes(32).toString('base64') }),
      };
    case 'health flood':
      return { concurrency: 32, request: () => ({ path: '/health' }) };
    case 'new_account flood': {
      const body = JSON.stringify({ account_name: 'flood', account_description: '' });
      return { concurrency: 16, request: () => ({ path: `${PREFIX}/new_account`, body }) };
    }
    case '150 writers':
    case '30 writing accounts': {
      const account = inTurn(accounts);
      const write = () => ({ path: `${PREFIX}/add_group`, key: account().key, body: newGroup });
      return { concurrency: 150, request: write };
    }
    case 'list readers':
      return { concurrency: 100, request: inTurn(reads(first)) };
    case 'list_runs readers':
      return { concurrency: 100, request: () => ({ path: `${PREFIX}/${LIST_RUNS}`, key: first.key }) };
    case 'description readers':
      return { concurrency: 50, request: () => ({ path: DESCRIPTION }) };
  }
}
