import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { addGroup, addUsageKey, createWallet, hex, newAccount, post, stack } from '@latchkey/testing/stack';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';

/** Runs, each of which releases the key of the wallet and of another action. */
const COUNT = Number(process.env.COUNT ?? 5);
const BLOCK_BYTES = 16 * 1024 * 1024;

/** Returns the keys combined with a pad, so that the reply does not contain them. */
const codeOf = (number: number) => `// ${number}
async function main({ pkpId, pad }) {
  const keys = [await Svc.Actions.getPrivateKey({ pkpId }), await Svc.Actions.getActionPrivateKey()];
  const padOf = (i) => parseInt(pad.slice(2 * i, 2 * i + 2), 16);
  return keys.map((key) => ethers.utils.hexlify(ethers.utils.arrayify(key).map((byte, i) => byte ^ padOf(i))));
}`;

/** Returns the texts that the writable memory of a process contains. */
async function findInMemory(pid: number, texts: Buffer[]): Promise<Buffer[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const found = new Set<Buffer>();
  await using memory = await open(`/proc/${pid}/mem`, 'r');
  for (const line of maps.split('\n')) {
    const [, from = '', to = '', access = ''] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (!access.startsWith('rw')) continue;
    const end = Number(`0x${to}`);
    for (let at = Number(`0x${from}`); at < end; at += BLOCK_BYTES) {
      const block = Buffer.alloc(Math.min(BLOCK_BYTES + 64, end - at));
      const read = await memory.read(block, 0, block.length, at).catch(() => ({ bytesRead: 0 }));
      const seen = block.subarray(0, read.bytesRead);
      for (const text of texts) if (seen.includes(text)) found.add(text);
    }
  }
  return [...found];
}

/** Returns the key in hexadecimal. */
const unpad = (padded: string, pad: Buffer): string =>
  Buffer.from(Buffer.from(padded.slice(2), 'hex').map((byte, i) => byte ^ (pad[i] ?? 0))).toString('hex');

test.skipIf(process.platform !== 'linux')(
  'the memory of the relayer has no key that it passed to a run',
  { timeout: 600_000 },
  async () => {
    const account = await newAccount();
    const pkpId = await createWallet(account.key);
    const everyAction = [hex(0n)];
    const group = await addGroup(account.key, {
      pkp_ids_permitted: [pkpId],
      cid_hashes_permitted: everyAction,
    });
    const usageKey = await addUsageKey(account.key, { execute_in_groups: [group] });
    const keys = new Set<string>();
    for (let i = 0; i < COUNT; i++) {
      const pad = randomBytes(32);
      const body = { code: codeOf(i), js_params: { pkpId, pad: pad.toString('hex') } };
      const { status, body: reply } = await post('svc_action', body, usageKey);
      expect([status, reply]).toMatchObject([200, { has_error: false }]);
      for (const padded of (reply as { response: string[] }).response) keys.add(unpad(padded, pad));
    }
    expect(keys.size).toBe(1 + COUNT);
    expect([...keys].map((key) => privateKeyToAddress(`0x${key}`))).toContain(pkpId);

    const { relayer } = stack.pids;
    const forms = [...keys].flatMap((key) => {
      const bytes = Buffer.from(key, 'hex');
      return [bytes, Buffer.from(key), Buffer.from(bytes.toString('base64'))];
    });
    expect(await findInMemory(relayer, forms)).toEqual([]);
    // The scan finds what is there.
    const payerKeys = stack.payerKeys.map((payerKey) => Buffer.from(payerKey));
    expect(await findInMemory(relayer, payerKeys)).toEqual(payerKeys);
  },
);
