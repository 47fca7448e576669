/** A wallet's proof for one flow, sent to every other flow. */
import { primaryTypes, walletIdentity } from '@latchkey/protocol';
import { expectError, get, newAccount, post, type Reply } from '@latchkey/testing/stack';
import { accountOf, eoa, multisig, type Proof, proofOf, walletAuth } from '@latchkey/testing/wallet-proof';
import { expect, test } from 'vitest';

test.each([
  ['an EOA', eoa],
  ['a multisig', multisig],
])('%s: each proof is accepted by its own flow only', async (_what, open) => {
  const [admin, convert] = await Promise.all([open(), open()]);
  await accountOf(admin)('newChainSecuredAccount', ['', '']);
  const block = await accountOf(admin)('addGroup', [walletIdentity(admin.address), '', '', [], []]);
  const { key } = await newAccount();
  const flows: Record<(typeof primaryTypes)[number], (proof: Proof) => Promise<Reply>> = {
    CreateWallet: (proof) => post('create_wallet_with_signature', proof),
    AddUsageApiKey: (proof) => post('add_usage_api_key_with_signature', proof),
    ConvertAccount: (proof) =>
      post('convert_to_chain_secured_account', { new_admin_wallet_address: convert.address, ...proof }, key),
    BillingAuth: (proof) =>
      get('list_groups', undefined, { ...walletAuth(proof), 'X-Min-Block': String(block) }),
  };
  const accepted: [string, string][] = [];
  for (const signed of primaryTypes) {
    for (const flow of primaryTypes) {
      // A wallet that owns an account cannot receive another one.
      const { address, signDigest } = flow === 'ConvertAccount' ? convert : admin;
      const reply = await flows[flow](await proofOf({ primaryType: signed, address }, signDigest));
      if (reply.status === 200) accepted.push([signed, flow]);
      else expectError(reply, flow === 'BillingAuth' ? 401 : 400);
    }
  }
  expect(accepted).toEqual(primaryTypes.map((type) => [type, type]));
});
