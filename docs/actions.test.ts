/** The page on writing actions is true: its examples run, and its lists are those of the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { get, post, stack } from '@latchkey/testing/stack';
import { createPublicClient, http, parseEther, verifyMessage, verifyTypedData } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';

type Run = {
  response: unknown;
  logs: string;
  has_error: boolean;
  error?: { name: string; message: string; stack: string };
};
type Example = { title: string; code: string; params: string; response?: string; reply?: string };

const page = readFileSync(join(import.meta.dirname, 'actions.md'), 'utf8');

/** The text below a heading, up to the next one of its level or above. */
const section = (heading: string): string => {
  const [level = ''] = heading.split(' ');
  const text = page.split(`\n${heading}\n`)[1];
  if (text === undefined) throw new Error(`the page has no heading ${heading}`);
  return text.split(new RegExp(`\n#{1,${level.length}} `))[0] as string;
};
/** The names in the first column of the tables of a text. */
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);

const examples = page
  .split(/^### (?=\d+\. )/m)
  .slice(1)
  .map((text): Example => {
    const blocks = Object.fromEntries(
      [...text.matchAll(/^```([^\n]+)\n(.*?)\n```$/gms)].map(([, kind, content]) => [kind, content]),
    );
    const title = text.slice(0, text.indexOf('\n'));
    return {
      title,
      code: blocks.js,
      params: blocks['json params'],
      response: blocks['json response'],
      reply: blocks['json reply'],
    };
  });

let accountKey: string;
let usageKey: string;
const create = async <T>(path: string, body: unknown, key?: string): Promise<T> => {
  const reply = await post(path, body, key);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body as T;
};
beforeAll(async () => {
  const account = await create<{ api_key: string }>('new_account', {
    account_name: 'actions',
    account_description: '',
  });
  accountKey = account.api_key;
  const everything = {
    group_name: 'all',
    group_description: '',
    pkp_ids_permitted: [`0x${'0'.repeat(40)}`],
    cid_hashes_permitted: [`0x${'0'.repeat(64)}`],
  };
  await create('add_group', everything, accountKey);
  const key = await create<{ usage_api_key: string }>(
    'add_usage_api_key',
    { execute_in_groups: [1] },
    accountKey,
  );
  usageKey = key.usage_api_key;
});
const runCode = (code: string, js_params: unknown = null) =>
  create<Run>('svc_action', { code, js_params }, usageKey);

/** Equal but for texts of the page such as `<64 hex digits>`. */
const toMatcher = (shown: unknown): unknown => {
  if (typeof shown === 'string') {
    const [, prefix = '', digits] = shown.match(/^<(0x and )?(\d+) hex digits>$/) ?? [];
    return digits === undefined
      ? shown
      : expect.stringMatching(new RegExp(`^${prefix && '0x'}[0-9a-f]{${digits}}$`));
  }
  if (Array.isArray(shown)) return shown.map(toMatcher);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, toMatcher(value)]));
};

/** Checks of the meaning of a response, beyond its shape. */
const proofs: Record<string, (response: never, pkpId: `0x${string}`, cid: string) => Promise<unknown>> = {
  '1. Sign a message': (signature: `0x${string}`, address) =>
    verifyMessage({ address, message: 'hello', signature }),
  '2. Sign typed data, as a module': (signature: `0x${string}`, address) =>
    verifyTypedData({
      address,
      signature,
      domain: { name: 'Payments', version: '1', chainId: 8453 },
      types: {
        Payment: [
          { name: 'to', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      primaryType: 'Payment',
      message: { to: '0x000000000000000000000000000000000000dEaD', amount: 25_000_000n },
    }),
  '5. Send a transaction': async ({ hash }: { hash: `0x${string}` }) => {
    const client = createPublicClient({ transport: http(stack.rpcUrl) });
    const { to, value } = await client.getTransaction({ hash });
    return to === '0x000000000000000000000000000000000000dead' && value === parseEther('0.1');
  },
  '6. Fetch and sign a result': ({ signature }: { signature: `0x${string}` }, address) =>
    verifyMessage({ address, message: '0x7a69', signature }),
  '9. Prove which code made a result': async ({ signature }: { signature: `0x${string}` }, _pkpId, cid) => {
    const asked = await runCode('const main = (params) => Svc.Actions.getActionWalletAddress(params)', {
      ipfsId: cid,
    });
    const address = asked.response as `0x${string}`;
    return verifyMessage({ address, message: '2 + 3 = 5', signature });
  },
};

test('the page has ten examples, and proofs are of examples', () => {
  expect(examples).toHaveLength(10);
  for (const { response, reply } of examples) expect(response ?? reply).toBeDefined();
  const titles = examples.map(({ title }) => title);
  for (const title of Object.keys(proofs)) expect(titles).toContain(title);
});

describe('the example', () => {
  test.each(examples)('$title', async ({ title, code, params, response, reply }) => {
    const { wallet_address: pkpId } = await create<{ wallet_address: `0x${string}` }>(
      'create_wallet',
      {},
      accountKey,
    );
    const cid = await create<string>('get_svc_action_ipfs_id', code);
    const filled = (text: string) =>
      JSON.parse(
        text
          .replaceAll('$PKP', pkpId)
          .replaceAll('$CID', cid)
          .replaceAll('http://127.0.0.1:8545', stack.rpcUrl),
      );
    const run = await runCode(code, filled(params));
    if (reply !== undefined) expect(run).toEqual(toMatcher(filled(reply)));
    else {
      expect(run).toEqual({ response: toMatcher(filled(response as string)), logs: '', has_error: false });
      const proof = proofs[title];
      if (proof) expect(await proof(run.response as never, pkpId, cid)).toBe(true);
    }
  });
});

test('the first request and its reply', async () => {
  const [, body = ''] = page.match(/-d '(\{.*\})'/) ?? [];
  const { code, js_params } = JSON.parse(body);
  const [, reply = ''] = page.match(/^```json\n(.*)\n```$/m) ?? [];
  expect(await runCode(code, js_params)).toEqual(JSON.parse(reply));
});

test('the table of functions lists every function', async () => {
  const { response } = await runCode('const main = () => Object.keys(Svc.Actions)');
  expect(firstCells(section('## Svc.Actions'))).toEqual(response);
});

test('every global that the page names is there, and what it denies is not', async () => {
  const [present = '', absent = ''] = section('## Globals').split('There is no');
  const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const DENIED = [
    ...['require', 'process', 'Atomics', 'SharedArrayBuffer', 'navigator', 'MessageChannel'],
    ...['addEventListener', 'onerror', 'onunhandledrejection'],
  ];
  const members = ['subtle', 'getRandomValues', 'randomUUID', 'importKey', 'main'];
  const code = 'const main = ({ names }) => names.filter((name) => typeof globalThis[name] !== "undefined")';
  const named = namesIn(present).filter((name) => ![...members, ...DENIED].includes(name));
  const denied = namesIn(present + absent).filter((name) => DENIED.includes(name));
  expect(denied).toHaveLength(DENIED.length);
  const { response } = await runCode(code, { names: [...named, ...denied] });
  expect(response).toEqual(named);
});

test('the table of limits is that of the service', async () => {
  const { receipt_signer: _, ...limits } = (await get('get_svc_action_client_config')).body as {
    receipt_signer: string;
  };
  const rows = [...section('### Limits').matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
  expect(Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)]))).toEqual(limits);
});

test.each([
  ['SyntaxError', 'function main( {'],
  ['NoMainError', 'const Main = 1'],
  ['ImportError', 'import "zod"; export const main = () => 1'],
  ['NeverSettledError', 'const main = () => new Promise(() => {})'],
  ['ResponseError', 'const main = () => 1n'],
  ['ResponseLimitError', 'const main = () => "x".repeat(200000)'],
  ['ConsoleLimitError', 'const main = () => console.log("x".repeat(200000))'],
  [
    'FetchLimitError',
    'const main = () => { for (let i = 0; i < 51; i++) fetch("http://10.0.0.1/").catch(() => {}) }',
  ],
  [
    'KeyLimitError',
    'const main = () => { for (let i = 0; i < 101; i++) Svc.Actions.signHash({}).catch(() => {}) }',
  ],
  [
    'TransactionLimitError',
    'const main = () => { for (let i = 0; i < 51; i++) Svc.Actions.sendTransaction({}).catch(() => {}) }',
  ],
  ['RpcError', 'const main = () => Svc.Actions.rpc(1).getBlockNumber()'],
  [
    'MemoryLimitError',
    'const main = () => { const kept = []; for (;;) kept.push(new Uint8Array(1e6).fill(1)) }',
  ],
])('a run ends with %s, as the tables of errors say', async (name, code) => {
  expect(section('## Errors')).toContain(`\`${name}\` |`);
  expect((await runCode(code)).error?.name).toBe(name);
});
