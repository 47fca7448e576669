import { randomUUID } from 'node:crypto';
import { addGroup, addUsageKey, cidOfCode, hex, newAccount, post } from '@latchkey/testing/stack';
import { type Hex, hashMessage, recoverPublicKey } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';

let usageKey: string;
beforeAll(async () => {
  const { key } = await newAccount();
  const group = await addGroup(key, { cid_hashes_permitted: [hex(0n)] });
  usageKey = await addUsageKey(key, { execute_in_groups: [group] });
});

async function respond(code: string, params: object = {}, key = usageKey): Promise<unknown> {
  const { status, body } = await post('svc_action', { code, js_params: params }, key);
  expect([status, body]).toMatchObject([200, { has_error: false }]);
  return (body as { response: unknown }).response;
}
const ASK = `const main = async ({ ipfsId }) => {
  try {
    return [await Svc.Actions.getActionPublicKey({ ipfsId }), await Svc.Actions.getActionWalletAddress({ ipfsId })];
  } catch ({ name, message }) {
    return [name, message];
  }
}`;

test('the public key of an action is known once the action has run, also to other accounts', async () => {
  const signing = `// ${randomUUID()}
    const main = async () => new ethers.Wallet(await Svc.Actions.getActionPrivateKey()).signMessage('x')`;
  const ipfsId = await cidOfCode(signing);
  expect(await respond(ASK, { ipfsId })).toEqual([
    'ActionKeyError',
    `the public key of the action ${ipfsId} is not known: it has not run yet. Run it once`,
  ]);
  const signature = (await respond(signing)) as Hex;
  const signer = await recoverPublicKey({ hash: hashMessage('x'), signature });
  const compressed = `0x0${2 + (Number.parseInt(signer.slice(-1), 16) % 2)}${signer.slice(4, 68)}`;
  const known = [compressed, publicKeyToAddress(signer)];
  expect(await respond(ASK, { ipfsId })).toEqual(known);
  const other = await newAccount();
  const group = await addGroup(other.key, { cid_hashes_permitted: [hex(0n)] });
  const otherKey = await addUsageKey(other.key, { execute_in_groups: [group] });
  expect(await respond(ASK, { ipfsId }, otherKey)).toEqual(known);
});

test('an action that calls no key function has a public key after its run', async () => {
  const plain = `// ${randomUUID()}\nconst main = () => 1`;
  await respond(plain);
  expect(await respond(ASK, { ipfsId: await cidOfCode(plain) })).toEqual([
    expect.stringMatching(/^0x0[23][0-9a-f]{64}$/),
    expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  ]);
});

test('an action knows its own public key in its first run', async () => {
  const code = `// ${randomUUID()}\n${ASK}`;
  const [publicKey] = (await respond(code, { ipfsId: await cidOfCode(code) })) as string[];
  expect(publicKey).toMatch(/^0x0[23][0-9a-f]{64}$/);
});
