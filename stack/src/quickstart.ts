/**
 * The quickstart: from no account to an action that signs with a wallet, and to a key that loses its permission.
 *
 * npm run up            in one terminal
 * npm run quickstart    in another one
 *
 * BASE_URL is the URL of the HTTP API (default http://127.0.0.1:8000/core/v1). Every reply is checked: the program ends
 * with exit code 1 at the first unexpected one and prints the expected and the found value.
 */
import { isDeepStrictEqual } from 'node:util';
import { buildSignedWrites, walletIdentity } from '@latchkey/protocol';
import {
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  stringToBytes,
  verifyMessage,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const BASE_URL = process.env.BASE_URL ?? 'http://127.0.0.1:8000/core/v1';

// biome-ignore lint/suspicious/noExplicitAny: fields of replies are checked where they are used
type Json = any;

/** Sends one request with JSON; a `body` makes it a POST. Throws unless the reply has the status `expected`. */
async function call(
  path: string,
  options: { key?: string; body?: Json; expected?: number } = {},
): Promise<Json> {
  const { key, body, expected = 200 } = options;
  const response = await fetch(`${BASE_URL}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'X-Api-Key': key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: Error) =>
    fail(`${BASE_URL} does not answer (${error.message}): is \`npm run up\` running?`),
  );
  const reply = await response.json();
  check(`${path} answers`, response.status, expected, reply);
  return reply;
}

function check(what: string, found: unknown, expected: unknown, detail?: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  const text = (value: unknown) => JSON.stringify(value, null, 2);
  fail(
    `${what}\nexpected ${text(expected)}\nfound    ${text(found)}\n${detail === undefined ? '' : text(detail)}`,
  );
}

function fail(text: string): never {
  console.error(`✗ ${text}`);
  process.exit(1);
}

const step = (text: string) => console.log(`✓ ${text}`);

// 1. An account. Its account key is shown once and administers everything; another key runs actions.
const account = await call('new_account', {
  body: { account_name: 'Quickstart', account_description: 'Created by the quickstart' },
});
const accountKey: string = account.api_key;
step(`new_account: an account with the wallet address ${account.wallet_address}`);

// 2. A wallet. Its private key exists only while an action uses it.
const { wallet_address: wallet }: { wallet_address: Address } = await call('create_wallet', {
  key: accountKey,
  body: { name: 'Signer', description: 'Signs greetings' },
});
step(`create_wallet: ${wallet}`);

// 3. A group permits actions to use wallets.
const { group_id: group }: { group_id: string } = await call('add_group', {
  key: accountKey,
  body: { group_name: 'Greetings', group_description: '', pkp_ids_permitted: [], cid_hashes_permitted: [] },
});
step(`add_group: group ${group}`);

// 4. Two actions. An action is identified by the CID of its code: different code is a different action.
const sign = `
async function main({ pkpId, message }) {
  const wallet = Svc.Actions.getSigner({ pkpId });
  return { signature: await wallet.signMessage(message) };
}`;
const seal = `
async function main({ pkpId, message }) {
  const ciphertext = await Svc.Actions.Encrypt({ pkpId, message });
  console.log('sealed', message.length, 'characters');
  return { ciphertext, message: await Svc.Actions.Decrypt({ pkpId, ciphertext }) };
}`;
const signCid: string = await call('get_svc_action_ipfs_id', { body: sign });
const sealCid: string = await call('get_svc_action_ipfs_id', { body: seal });
await call('add_action', {
  key: accountKey,
  body: { action_ipfs_cid: signCid, name: 'Sign', description: 'Signs a message' },
});
await call('add_action', {
  key: accountKey,
  body: { action_ipfs_cid: sealCid, name: 'Seal', description: 'Encrypts a message' },
});
step(`add_action: ${signCid} and ${sealCid}`);

// 5. Add the actions and the wallet to the group.
await call('add_action_to_group', { key: accountKey, body: { group_id: group, action_ipfs_cid: signCid } });
await call('add_action_to_group', { key: accountKey, body: { group_id: group, action_ipfs_cid: sealCid } });
await call('add_pkp_to_group', { key: accountKey, body: { group_id: group, pkp_id: wallet } });
step('add_action_to_group, add_pkp_to_group: the actions can use the wallet');

// 6. A usage key that can run the actions of this group, and nothing else. It is shown once.
const { usage_api_key: usageKey }: { usage_api_key: string } = await call('add_usage_api_key', {
  key: accountKey,
  body: { name: 'Runner', description: 'Runs greetings', execute_in_groups: [group] },
});
step('add_usage_api_key: a key that can run them');

// 7. The action signs with the wallet, and anyone can verify the signature.
const message = 'Hello from an action';
const run = { code: sign, js_params: { pkpId: wallet, message } };
const signed = await call('svc_action', { key: usageKey, body: run });
check('svc_action has an error', signed.has_error, false, signed);
const signature: Hex = signed.response.signature;
check('the signer is the wallet', await verifyMessage({ address: wallet, message, signature }), true, signed);
step(`svc_action: the wallet signed “${message}”: ${signature.slice(0, 18)}…`);

// 8. The same wallet encrypts, with a key that is derived separately from its signing key.
const sealed = await call('svc_action', {
  key: usageKey,
  body: { code: seal, js_params: { pkpId: wallet, message } },
});
check('svc_action has an error', sealed.has_error, false, sealed);
check('the decrypted message', sealed.response.message, message);
check(
  'the ciphertext contains the message',
  Buffer.from(sealed.response.ciphertext.slice(2), 'hex').includes(message),
  false,
);
check('the log of the action', sealed.logs.trim(), `sealed ${message.length} characters`);
step('svc_action: Encrypt and Decrypt return the message');

// 9. Every list shows the new items: actions and keys by the hash of their text.
const hashText = (text: string) => keccak256(stringToBytes(text));
const list = (path: string): Promise<Json[]> => call(path, { key: accountKey });

const [listedKey, ...otherKeys] = await list('list_api_keys');
check('list_api_keys: the hash', listedKey.api_key_hash, hashText(usageKey));
check('list_api_keys: the groups in which it executes', listedKey.can_execute_in_groups, [Number(group)]);
check('list_api_keys: other keys', otherKeys, []);

const listedGroups = (await list('list_groups')).map(({ id: _, ...fields }) => fields);
check('list_groups', listedGroups, [
  {
    name: 'Greetings',
    description: '',
    cid_hashes_permitted: [hashText(signCid), hashText(sealCid)],
    pkp_ids_permitted: [wallet],
  },
]);

for (const path of ['list_wallets', `list_wallets_in_group?group_id=${group}`]) {
  const addresses = (await list(path)).map(({ wallet_address }) => wallet_address);
  check(path, addresses, [wallet]);
}

for (const path of ['list_actions', `list_actions?group_id=${group}`]) {
  check(path, await list(path), [
    { id: hashText(signCid), name: 'Sign', description: 'Signs a message' },
    { id: hashText(sealCid), name: 'Seal', description: 'Encrypts a message' },
  ]);
}
step('list_api_keys, list_groups, list_wallets, list_wallets_in_group, list_actions: all items are listed');

// 10. An update replaces all permissions: omitted ones are removed, and the next run is refused.
await call('update_usage_api_key', { key: accountKey, body: { usage_api_key: usageKey, name: 'Runner' } });
await call('svc_action', { key: usageKey, body: run, expected: 403 });
step('update_usage_api_key: the key can no longer run the action (403)');

// 11. A removed key is unknown from the next request on.
await call('remove_usage_api_key', { key: accountKey, body: { usage_api_key: usageKey } });
await call('svc_action', { key: usageKey, body: run, expected: 401 });
check('list_api_keys after the removal', await list('list_api_keys'), []);
step('remove_usage_api_key: the key is unknown (401)');

// 12. A ChainSecured account of a wallet without ether: the wallet signs its writes, and the relayer sends them and pays
// the gas. Only this wallet can write to the account.
const owner = privateKeyToAccount(generatePrivateKey());
const identity = walletIdentity(owner.address);
const chain = await call('get_node_chain_config');
const writes = parseAbi([
  'function newChainSecuredAccount(string name, string description)',
  'function addGroup(uint256 apiKeyHash, string name, string description, uint256[] cidHashes, address[] pkpIds)',
]);

async function submit(data: Hex, nonce: bigint): Promise<Json> {
  const signed = {
    signer: owner.address,
    calls: [data],
    nonce,
    deadline: BigInt(Math.floor(Date.now() / 1_000) + 600),
  };
  const typedData = buildSignedWrites({
    ...signed,
    chainId: chain.chain_id,
    contractAddress: chain.contract_address,
  });
  return call('submit_signed_write', {
    body: {
      api_key_hash: numberToHex(identity, { size: 32 }),
      signer: signed.signer,
      calls: signed.calls,
      nonce: numberToHex(nonce, { size: 32 }),
      deadline: String(signed.deadline),
      signature: await owner.signTypedData(typedData as never),
    },
  });
}
await submit(
  encodeFunctionData({ abi: writes, functionName: 'newChainSecuredAccount', args: ['Own', ''] }),
  1n,
);
await submit(
  encodeFunctionData({ abi: writes, functionName: 'addGroup', args: [identity, 'Signed', '', [], []] }),
  2n,
);
step(`submit_signed_write: ${owner.address} opened an account and added a group, without ether`);
