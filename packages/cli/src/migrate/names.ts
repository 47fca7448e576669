/** The names of Lit Protocol's API v3 (Chipotle), and those of its older generations. Names that are equal are in the table too. */

/** Globals of actions. */
export const GLOBALS: Readonly<Record<string, string>> = { Lit: 'Svc', LitActions: 'SvcActions' };

/** Functions of `Lit.Actions`. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  Decrypt: 'Decrypt',
  Encrypt: 'Encrypt',
  getLitActionPrivateKey: 'getActionPrivateKey',
  getLitActionPublicKey: 'getActionPublicKey',
  getLitActionWalletAddress: 'getActionWalletAddress',
  getPrivateKey: 'getPrivateKey',
  setResponse: 'setResponse',
  showImportDetails: 'showImportDetails',
};

/** Routes below `/core/v1/`. */
export const PATHS: Readonly<Record<string, string>> = {
  lit_action: 'svc_action',
  get_lit_action_ipfs_id: 'get_svc_action_ipfs_id',
  get_lit_action_client_config: 'get_svc_action_client_config',
  'billing/stripe_config': 'billing/processor_config',
};

/** Whole texts. */
export const TEXTS: Readonly<Record<string, string>> = { 'Lit ChainSecured': 'Service ChainSecured' };

const SIGN = 'sign with Svc.Actions.signMessage, signTypedData, signTransaction or signHash';
const CONDITION = 'write the condition as code of the action, before it signs or decrypts';
const GROUPS = 'the contract decides it by groups before each key: remove the check';
const READ_GROUPS = 'read the groups of the account: listGroups of @latchkey/sdk';
const DECRYPT = 'call Svc.Actions.Decrypt with a new ciphertext: those of the other system do not open here';

/** Functions of older generations, with what to do instead. */
export const OLD_FUNCTIONS: Readonly<Record<string, string>> = {
  aesDecrypt: DECRYPT,
  broadcastAndCollect: 'a run is in one process: call the function itself',
  call: 'a run has one action: import the code of the other one, or run it by itself',
  callContract: 'read the chain by Svc.Actions.rpc or a provider of ethers',
  checkConditions: CONDITION,
  claimKey: 'create a wallet: latchkey wallets add',
  decryptAndCombine: DECRYPT,
  decryptToSingleNode: DECRYPT,
  encrypt: `call Svc.Actions.Encrypt with a wallet; ${CONDITION}`,
  ethPersonalSignMessageEcdsa: 'call Svc.Actions.signMessage',
  getActionPublicKey: 'call Svc.Actions.getActionPublicKey({ ipfsId }): its parameter differs',
  getLatestNonce:
    'call getTransactionCount of a provider, or Svc.Actions.sendTransaction, which assigns nonces',
  getPermittedActions: READ_GROUPS,
  getPermittedAddresses: READ_GROUPS,
  getPermittedAuthMethods: READ_GROUPS,
  getPermittedAuthMethodScopes: READ_GROUPS,
  getRpcUrl: 'call Svc.Actions.rpc(chainId), or use a URL of your own',
  isPermittedAction: GROUPS,
  isPermittedAddress: GROUPS,
  isPermittedAuthMethod: GROUPS,
  pubkeyToTokenId: 'name a wallet by its address: pkpId',
  runOnce: 'a run is in one process: call the function itself',
  signAndCombine: 'call Svc.Actions.sign with a keyType, or a function that signs',
  signAndCombineEcdsa: SIGN,
  signAsAction: 'sign with the key of Svc.Actions.getActionPrivateKey',
  signEcdsa: SIGN,
  uint8arrayFromString: 'use TextEncoder',
  uint8arrayToString: 'use TextDecoder',
  verifyActionSignature: 'compare the signer with Svc.Actions.getActionWalletAddress({ ipfsId })',
};

/** Globals of older generations and of tests, and members of `Lit`. */
export const OLD_GLOBALS: Readonly<Record<string, string>> = {
  Auth: 'pass what the caller proves in js_params, and check it in the action',
  LitAuth: 'pass what the caller proves in js_params, and check it in the action',
  LitHeaders: 'pass what the action needs in js_params',
  LitTest: 'there is no such object',
  jwt: 'import a library for JWT in an exact version',
};

/** Modules of clients: the start of the specifier, or its end. */
export const MODULES: readonly { pattern: RegExp; isClient?: true; fix: string }[] = [
  { pattern: /^@lit-protocol\//, fix: 'use @latchkey/sdk; conditions of access become code of the action' },
  {
    pattern: /(?:^|\/)core_sdk(?:\.m?js)?$/,
    isClient: true,
    fix: 'use createClient({ url, apiKey }) of @latchkey/sdk: the key belongs to the client, not to each call',
  },
];

const LISTED = 'without apiKey; the result is { items, nextPage }, and its fields have other names';

/** Functions of `core_sdk.js`, with those of `@latchkey/sdk`. */
export const CLIENT_FUNCTIONS: Readonly<Record<string, string>> = {
  accountExists: 'accountExists()',
  accountExistsByHash: 'accountExists()',
  addAction: 'addAction({ cid, name, description })',
  addActionToGroup: 'addActionToGroup({ groupId, cid })',
  addGroup: 'addGroup({ name, description, pkpIds, cids }), which returns groupId',
  addPkpToGroup: 'addPkpToGroup({ groupId, pkpId })',
  addUsageApiKey: 'addUsageApiKey without apiKey, with groups as bigints; it returns usageKey',
  confirmPayment: 'confirmPayment({ paymentIntentId })',
  connectSigner: 'createClient({ url, wallet }) with a wallet of viem',
  convertToChainSecuredAccount: 'convertToChainSecuredAccount with a wallet of viem',
  createPaymentIntent: 'createPaymentIntent({ amountCents })',
  createWallet: 'createWallet({ name, description }), which returns walletAddress',
  deleteAction: 'deleteAction({ cid })',
  getAdminApiPayer: 'getAdminApiPayer()',
  getApiPayers: 'getApiPayers()',
  getBillingBalance: 'getBalance()',
  getLitActionIpfsId: 'getSvcActionIpfsId({ code })',
  getNodeChainConfig: 'getNodeChainConfig()',
  getStripeConfig: 'getProcessorConfig()',
  listActions: `listActions ${LISTED}`,
  listApiKeys: `listApiKeys ${LISTED}`,
  listGroups: `listGroups ${LISTED}`,
  listWallets: `listWallets ${LISTED}`,
  listWalletsInGroup: `listWalletsInGroup ${LISTED}`,
  litAction:
    'runAction({ code, jsParams }) of a client with the usage key; it returns response, logs, hasError',
  newAccount: 'newAccount({ name, description }), which returns apiKey and walletAddress',
  newChainSecuredAccount: 'newAccount of a client with a wallet',
  removeActionFromGroup: 'removeActionFromGroup({ groupId, cid })',
  removeGroup: 'removeGroup({ groupId })',
  removePkpFromGroup: 'removePkpFromGroup({ groupId, pkpId })',
  removeUsageApiKey: 'removeUsageApiKey({ usageKey })',
  updateActionMetadata: 'updateActionMetadata({ cid, name, description })',
  updateGroup: 'updateGroup({ groupId, name, description, pkpIds, cids })',
  updateUsageApiKey: 'updateUsageApiKey with all fields of the entry in listApiKeys',
  updateUsageApiKeyMetadata: 'updateUsageApiKeyMetadata({ usageKey, name, description })',
};

/** Returns the value of an own entry. */
export function entry<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
