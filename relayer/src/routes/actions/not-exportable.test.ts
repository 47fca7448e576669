/** An action of a permitted usage key tries to get the private key of a wallet that is not exportable. */
import { addGroup, addUsageKey, createWallet, newAccount, post } from '@latchkey/testing/stack';
import { type Address, recoverMessageAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';

/** Bodies of an async function. */
const attempts: Record<string, string> = {
  asked: 'return getPrivateKey({ pkpId })',
  'with arguments that a hostile action would like': `return getPrivateKey({ pkpId, use: 'inside', exportable: true, path: '0x0', derivationPath: '0x0' })`,
  'in lower case': 'return getPrivateKey({ pkpId: pkpId.toLowerCase() })',
  'by a Proxy': `return getPrivateKey(new Proxy({}, { get: (_, name) => (name === 'toJSON' ? undefined : pkpId), ownKeys: () => ['pkpId', 'use'], getOwnPropertyDescriptor: () => ({ value: pkpId, enumerable: true, configurable: true }) }))`,
  'by a getter that changes': `let asked = 0; return getPrivateKey({ get pkpId() { return asked++ ? pkpId : pkpId.toLowerCase() } })`,
  'by toJSON': `return getPrivateKey({ toJSON: () => ({ pkpId, operation: 'signMessage', type: 'call' }) })`,
  'by a polluted prototype': `Object.assign(Object.prototype, { use: 'inside', exportable: true, isExportable: true, kind: 'wallet' }); return getPrivateKey({ pkpId })`,
  'by __proto__': `return getPrivateKey(JSON.parse('{"pkpId":"' + pkpId + '","__proto__":{"use":"inside"}}'))`,
  'with a huge argument': `return getPrivateKey({ pkpId, padding: 'x'.repeat(500_000) })`,
  'with its own recipient': `return getPrivateKey({ pkpId, recipient: '09'.padEnd(64, '0') })`,
  'after a signature': `await signMessage({ pkpId, message: 'm' }); return getPrivateKey({ pkpId })`,
  'while it signs': `return Promise.any([signMessage({ pkpId, message: 'm' }).then(() => getPrivateKey({ pkpId })), getPrivateKey({ pkpId })])`,
  'by another function': `return Promise.allSettled(['signHash', 'signMessage', 'signTransaction', 'signTypedData'].map((name) => Svc.Actions[name]({ pkpId, operation: 'getPrivateKey', hash: '0x' + '00'.repeat(32), message: { raw: pkpId }, transaction: { chainId: 1, getPrivateKey: 1 } })))`,
  'from the signer': `const signer = Svc.Actions.getSigner({ pkpId }); return JSON.stringify([signer, signer.privateKey, signer._signingKey && signer._signingKey(), Object.entries(Svc.Actions.getAccount({ pkpId }))])`,
  'from the messages of its process': `const seen = []; const { parse } = JSON; JSON.parse = (...args) => { seen.push(args); return parse(...args) }; const { then } = Promise.prototype; Promise.prototype.then = function (...args) { return then.call(this, (value) => { seen.push(value); return args[0]?.(value) }, args[1]) }; await signMessage({ pkpId, message: 'm' }); return JSON.stringify(seen, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value))`,
  'from the process': `return JSON.stringify([typeof Deno, typeof process, typeof require, await import('node:fs').then(({ readFileSync }) => readFileSync('/proc/self/environ', 'hex') + readFileSync('/proc/self/mem', 'hex')).catch(String), await import('file:///proc/self/environ').catch(String)])`,
};

const codeOf = (body: string) => `const main = async ({ pkpId }) => {
  const { getPrivateKey, signMessage } = Svc.Actions;
  try { return await (async () => { ${body} })() } catch (error) { return 'refused: ' + error.name + ' ' + error.message }
}`;

let usageKey: string;
let pkpId: Address;
let exportable: Address;
beforeAll(async () => {
  const { key } = await newAccount();
  exportable = await createWallet(key);
  const { body } = await post('create_wallet', { exportable: false }, key);
  pkpId = (body as { wallet_address: Address }).wallet_address;
  const wallets = { pkp_ids_permitted: [pkpId, exportable], cid_hashes_permitted: ['0'] };
  usageKey = await addUsageKey(key, { execute_in_groups: [await addGroup(key, wallets)] });
});

const run = async (code: string, wallet = pkpId): Promise<unknown> => {
  const { status, body } = await post('svc_action', { code, js_params: { pkpId: wallet } }, usageKey);
  expect(status).toBe(200);
  return (body as { response: unknown }).response;
};

/** Returns the addresses of all private keys that a text has in hexadecimal. */
function addressesIn(text: string): Address[] {
  const found: Address[] = [];
  for (const [digits] of text.matchAll(/[0-9a-fA-F]{64,}/g))
    for (let at = 0; at + 64 <= Math.min(digits.length, 4_000); at += 1) {
      try {
        found.push(privateKeyToAddress(`0x${digits.slice(at, at + 64)}`));
      } catch {
        // Not a scalar of the curve.
      }
    }
  return found;
}

test.each(Object.entries(attempts))('no key %s', async (_title, body) => {
  const response = JSON.stringify(await run(codeOf(body)));
  expect(response).toMatch(/./);
  expect(addressesIn(response)).not.toContain(pkpId);
});

test('the first attempt gets the key of an exportable wallet; its refusal names the functions to call instead', async () => {
  const code = codeOf(attempts.asked as string);
  expect(addressesIn(JSON.stringify(await run(code, exportable)))).toContain(exportable);
  expect(await run(code)).toMatch(/^refused: WalletNotExportableError .*is not exportable: call signMessage/);
});

test('the wallet signs, encrypts and decrypts', async () => {
  const response = await run(`const main = async ({ pkpId }) => {
    const ciphertext = await Svc.Actions.Encrypt({ pkpId, message: 'größer' });
    return [await Svc.Actions.signMessage({ pkpId, message: 'm' }), await Svc.Actions.Decrypt({ pkpId, ciphertext })];
  }`);
  const [signature, text] = response as [`0x${string}`, string];
  expect(await recoverMessageAddress({ message: 'm', signature })).toBe(pkpId);
  expect(text).toBe('größer');
});
