/** Ways to ask for the key of a wallet that the usage key is not permitted to use. */
import { addGroup, addUsageKey, createWallet, newAccount, post } from '@latchkey/testing/stack';
import { isHex, size } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';

/** Bodies of an async function. `params.otherPkpId` is a wallet without permission, `params.pkpId` one with it. */
const attempts: Record<string, string> = {
  'of another wallet': `return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId })`,
  'of another wallet in capitals': `return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId.toUpperCase().replace('X', 'x') })`,
  'with spaces': `return Svc.Actions.getPrivateKey({ pkpId: ' ' + params.otherPkpId + ' ' })`,
  'by an array': `return Svc.Actions.getPrivateKey({ pkpId: [params.otherPkpId] })`,
  'by an array of both': `return Svc.Actions.getPrivateKey({ pkpId: [params.pkpId, params.otherPkpId] })`,
  'by an object with toString': `return Svc.Actions.getPrivateKey({ pkpId: { toString: () => params.otherPkpId } })`,
  'by a String object': `return Svc.Actions.getPrivateKey({ pkpId: new String(params.otherPkpId) })`,
  'by a getter that changes': `let asked = 0; return Svc.Actions.getPrivateKey({ get pkpId() { return asked++ ? params.otherPkpId : params.pkpId } })`,
  'by toJSON that changes': `let asked = 0; return Svc.Actions.getPrivateKey({ pkpId: { toJSON: () => (asked++ ? params.otherPkpId : params.pkpId) } })`,
  'by a prototype': `return Svc.Actions.getPrivateKey(Object.create({ pkpId: params.otherPkpId }))`,
  'by __proto__': `return Svc.Actions.getPrivateKey(JSON.parse('{"__proto__":{"pkpId":"' + params.otherPkpId + '"}}'))`,
  'by Object.prototype': `Object.prototype.pkpId = params.otherPkpId; try { return await Svc.Actions.getPrivateKey({}) } finally { delete Object.prototype.pkpId }`,
  'by a polluted account': `Object.prototype.account = '1'; Object.prototype.permitted = true; try { return await Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId }) } finally { delete Object.prototype.account; delete Object.prototype.permitted }`,
  'with more members': `return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId, account: 1, usageKey: 'x', permitted: true, cid: 'x' })`,
  'with a derivation path': `return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId, derivationPath: '0x00', path: '0' })`,
  'with null': `return Svc.Actions.getPrivateKey({ pkpId: null })`,
  'with zero': `return Svc.Actions.getPrivateKey({ pkpId: '0x' + '0'.repeat(40) })`,
  'with a wildcard': `return Svc.Actions.getPrivateKey({ pkpId: '*' })`,
  'with SQL': `return Svc.Actions.getPrivateKey({ pkpId: "' or 1=1 --" })`,
  'with a path': `return Svc.Actions.getPrivateKey({ pkpId: '../' + params.otherPkpId })`,
  'with a zero byte': `return Svc.Actions.getPrivateKey({ pkpId: params.pkpId + '\\u0000' + params.otherPkpId })`,
  'with a very long name': `return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId.padEnd(100000, '0') })`,
  'called on another object': `return Svc.Actions.getPrivateKey.call({ permitted: true }, { pkpId: params.otherPkpId })`,
  'called as a constructor': `return new Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId })`,
  'after the functions were replaced': `try { Svc.Actions.getPrivateKey = () => 'x' } catch {} try { Object.defineProperty(Svc, 'Actions', { value: {} }) } catch {} return Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId })`,
  'for decryption': `return Svc.Actions.Decrypt({ pkpId: params.otherPkpId, ciphertext: params.ciphertext })`,
  'for encryption': `return Svc.Actions.Encrypt({ pkpId: params.otherPkpId, message: 'x' })`,
  'by many concurrently': `return Promise.any(Array.from({ length: 9 }, () => Svc.Actions.getPrivateKey({ pkpId: params.otherPkpId })))`,
  'of another action': `return Svc.Actions.getActionPrivateKey({ cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnXW7v', ipfsId: 'x' })`,
};

/** Runs every attempt on its own, so that none meets the limit of key functions. */
const codeOf = (body: string) => `const main = async (params) => {
  try { return await (async () => { ${body} })() } catch (error) { return 'refused: ' + error.name }
}`;

let usageKey: string;
let pkpId: string;
/** Wallets without permission: one of the account itself, and one of another account, with a text that it encrypted. */
let others: { otherPkpId: string; ciphertext: string }[];
beforeAll(async () => {
  const account = await newAccount();
  pkpId = await createWallet(account.key);
  const own = await addGroup(account.key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: ['0'] });
  usageKey = await addUsageKey(account.key, { execute_in_groups: [own] });
  others = [];
  for (const owner of [account, await newAccount()]) {
    const otherPkpId = await createWallet(owner.key);
    const group = await addGroup(owner.key, { pkp_ids_permitted: [otherPkpId], cid_hashes_permitted: ['0'] });
    const key = await addUsageKey(owner.key, { execute_in_groups: [group] });
    const code = 'const main = ({ pkpId }) => Svc.Actions.Encrypt({ pkpId, message: "theirs" })';
    const { body } = await post('svc_action', { code, js_params: { pkpId: otherPkpId } }, key);
    others.push({ otherPkpId, ciphertext: (body as { response: string }).response });
  }
});

const run = async (code: string, jsParams: object): Promise<unknown> => {
  const { status, body } = await post('svc_action', { code, js_params: jsParams }, usageKey);
  expect(status).toBe(200);
  return (body as { response: unknown }).response;
};

test('with permission the key and the text are released', async () => {
  const code = codeOf('return Svc.Actions.getPrivateKey({ pkpId: params.pkpId })');
  expect(privateKeyToAddress((await run(code, { pkpId })) as `0x${string}`)).toBe(pkpId);
  expect(others.map(({ ciphertext }) => ciphertext.length > 20)).toEqual([true, true]);
});

test.each(Object.entries(attempts))('no key: %s', async (_title, body) => {
  for (const other of others) {
    const response = await run(codeOf(body), { pkpId, ...other });
    // The action may return its own key, which is not the key of a wallet.
    if (isHex(response) && size(response) === 32)
      expect(privateKeyToAddress(response)).not.toBe(other.otherPkpId);
    else expect(response).toMatch(/^refused: /);
  }
});
