/** The accounts for the authority tests, created once. */
import { apiKeyHash, cidHash, cidOf, walletIdentity } from '@latchkey/protocol';
import {
  type Account,
  addGroup,
  addUsageKey,
  createWallet,
  expectWritten,
  hex,
  newAccount,
  newKeyText,
  payAndConfirm,
  post,
} from '@latchkey/testing/stack';
import { type AdminWallet, accountOf, billingAuth, eoa, proofOf } from '@latchkey/testing/wallet-proof';
import type { Address } from 'viem';
import { sendTransactionCode } from '../../src/standard-actions.ts';

/** Returns whether the run received the private key of the wallet. */
export const actionCode = `async function main({ pkpId }) {
  try {
    await Svc.Actions.getPrivateKey({ pkpId });
    return 'key released';
  } catch {
    return 'key refused';
  }
}`;

/** Every permission in every group. */
export const everyPermission = {
  can_create_groups: true,
  can_delete_groups: true,
  can_create_pkps: true,
  manage_ipfs_ids_in_groups: [0],
  add_pkp_to_groups: [0],
  remove_pkp_from_groups: [0],
  execute_in_groups: [0],
};

/** A managed account with one of everything, the target of the requests. */
export type Home = Account & {
  groupId: string;
  /** In the group, with the action of `actionCode`. */
  pkpId: Address;
  cid: string;
  /** Hashes of all actions of the group. */
  cidHashes: string[];
  /** Another action and wallet of the account, which requests move into and out of the group. */
  spareCid: string;
  sparePkpId: Address;
  /** The id of a run that has ended, and the usage key that ran it. */
  runId: string;
  runKey: string;
  /** A usage key without permissions, which requests change. */
  spareUsageKey: string;
  /** A payment that is already credited. */
  paymentIntentId: string;
  webhookId: string;
  /** A wallet that owns another account, so that every conversion to it fails. */
  occupiedWallet: AdminWallet;
};

/** Group ids that exist in the other accounts; the target group has a higher one. */
const OTHER_GROUPS = 4;

/** Returns the CID of code that no other call has. */
export const freshCid = (): Promise<string> => cidOf(`// ${crypto.randomUUID()}`);

export const hashedCid = (cid: string): string => hex(cidHash(cid));

/** Adds a webhook to which nothing can be delivered. */
async function addWebhook(key: string): Promise<string> {
  const webhook = { url: 'https://webhook.invalid/', types: ['run.finished'] };
  const { status, body } = await post('add_webhook', webhook, key);
  if (status !== 200) throw new Error(`add_webhook: ${status}`);
  return (body as { id: string }).id;
}

export async function openHome(): Promise<Home> {
  const account = await newAccount();
  const { key } = account;
  const [cid, spareCid, occupiedWallet] = await Promise.all([cidOf(actionCode), freshCid(), eoa()]);
  const [pkpId, sparePkpId, spareUsageKey] = await Promise.all([
    createWallet(key),
    createWallet(key),
    addUsageKey(key),
    accountOf(occupiedWallet)('newChainSecuredAccount', ['', '']),
  ]);
  const cidHashes = [cid, await cidOf(sendTransactionCode)].map(hashedCid);
  const contents = { pkp_ids_permitted: [pkpId], cid_hashes_permitted: cidHashes };
  for (let id = 1; id <= OTHER_GROUPS; id++) await addGroup(key);
  const groupId = await addGroup(key, contents);
  const [, paymentIntentId] = await Promise.all([
    post('add_action', { action_ipfs_cid: spareCid, name: '', description: '' }, key).then(expectSuccess),
    payAndConfirm({ 'X-Api-Key': key }),
  ]);
  const runKey = await addUsageKey(key, { execute_in_groups: [groupId] });
  const { headers } = await post('svc_action', { code: actionCode, js_params: { pkpId } }, runKey);
  const runId = headers.get('x-run-id');
  if (!runId) throw new Error('the run has no id');
  return {
    ...account,
    groupId,
    pkpId,
    cid,
    cidHashes,
    runId,
    runKey,
    spareCid,
    sparePkpId,
    spareUsageKey,
    paymentIntentId,
    webhookId: await addWebhook(key),
    occupiedWallet,
  };
}

const expectSuccess = (reply: Parameters<typeof expectWritten>[0]) => expectWritten(reply);

/** A managed account with only a usage key with every permission. */
async function openOther() {
  const account = await newAccount();
  return { ...account, usageKey: await addUsageKey(account.key, everyPermission) };
}

/** A ChainSecured account that was managed, with its usage key from before the conversion. */
async function openConverted() {
  const [account, admin] = await Promise.all([newAccount(), eoa()]);
  const usageKey = await addUsageKey(account.key, everyPermission);
  const body = {
    new_admin_wallet_address: admin.address,
    ...(await proofOf({ primaryType: 'ConvertAccount', address: admin.address }, admin.signDigest)),
  };
  expectWritten(await post('convert_to_chain_secured_account', body, account.key));
  return { ...account, usageKey, admin };
}

/** A ChainSecured account that was transferred to another wallet, with a usage key with every permission. */
async function openChainSecured() {
  const [former, admin] = await Promise.all([eoa(), eoa()]);
  const usageKey = newKeyText();
  const hash = walletIdentity(former.address);
  const write = accountOf(former);
  await write('newChainSecuredAccount', ['', '']);
  const all = [true, true, true, [0n], [0n], [0n], [0n]] as const;
  await write('setUsageApiKey', [hash, apiKeyHash(usageKey), 0n, 0n, '', '', ...all]);
  await payAndConfirm(await billingAuth(former));
  await write('transferChainSecuredAccountOwnership', [hash, admin.address]);
  await accountOf(admin)('acceptAccount', [hash]);
  return { hash, usageKey, former, admin };
}

export async function openAccounts() {
  const [home, other, converted, chainSecured] = await Promise.all([
    openHome(),
    openOther(),
    openConverted(),
    openChainSecured(),
  ]);
  return { home, other, converted, chainSecured };
}
export type Accounts = Awaited<ReturnType<typeof openAccounts>>;
export type AccountName = keyof Accounts;
