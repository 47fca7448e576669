import { createPublicKey, verify } from 'node:crypto';
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

const signCode = `async function main({ pkpId, message }) {
  const publicKey = await Svc.Actions.getPublicKey({ pkpId, keyType: 'ed25519' });
  return { publicKey, signature: await Svc.Actions.sign({ pkpId, keyType: 'ed25519', message }) };
}`;

/** Signs with a key that is whole nowhere. */
async function signsTogether(text: string): Promise<boolean> {
  const message = Buffer.from(text);
  const js_params = { pkpId, message: `0x${message.toString('hex')}` };
  const { status, body } = await post('svc_action', { code: signCode, js_params }, usageKey);
  expect(status, JSON.stringify(body)).toBe(200);
  const { response } = body as { response: { publicKey: string; signature: string } };
  const x = Buffer.from(response.publicKey.slice(2), 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, Buffer.from(response.signature.slice(2), 'hex'));
}

const names = ['keynode1', 'keynode2', 'keynode3'] as const;
test.each(names)('signs with the same wallet while %s does not answer', async (name) => {
  const pid = stack.pids[name];
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await signs(`without ${name}`)).toBe(true);
    expect(await signsTogether(`without ${name}`)).toBe(true);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await signs('with all')).toBe(true);
  expect(await signsTogether('with all')).toBe(true);
});
