import { addGroup, addUsageKey, createWallet, hex, newAccount, post, stack } from '@latchkey/testing/stack';
import { verifyMessage } from 'viem';
import { beforeAll, expect, test } from 'vitest';

const code = `async function main({ pkpId, text }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  return wallet.signMessage(text);
}`;

let usageKey: string;
let pkpId: `0x${string}`;
beforeAll(async () => {
  const account = await newAccount();
  pkpId = await createWallet(account.key);
  const group = await addGroup(account.key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] });
  usageKey = await addUsageKey(account.key, { execute_in_groups: [group] });
});

async function signs(text: string): Promise<boolean> {
  const { status, body } = await post('svc_action', { code, js_params: { pkpId, text } }, usageKey);
  expect(status).toBe(200);
  const { response } = body as { response: `0x${string}` };
  return verifyMessage({ address: pkpId, message: text, signature: response });
}

const names = ['keynode1', 'keynode2', 'keynode3'] as const;
test.each(names)('signs with the same wallet while %s does not answer', async (name) => {
  const pid = stack.pids[name];
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await signs(`without ${name}`)).toBe(true);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await signs('with all')).toBe(true);
});
