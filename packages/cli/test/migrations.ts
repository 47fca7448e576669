/** Programs in the style of the other system, and what the command makes of them. */

export type Migration = {
  title: string;
  file: string;
  before: string;
  after: string;
  /** Places to change by hand: line, column and name. */
  notes?: [line: number, column: number, name: string][];
  /** Parameters of a run of the new code. `$PKP` is a wallet, `$CID` the new CID. */
  params?: object;
};

export const migrations: Migration[] = [
  {
    title: 'a wallet signs a message',
    file: 'sign-message.js',
    before: `// Signs with Lit.Actions.getPrivateKey.
async function main({ pkpId, message }) {
  const key = await Lit.Actions.getPrivateKey({ pkpId });
  return { signature: await new ethers.Wallet(key).signMessage(message) };
}
`,
    after: `// Signs with Lit.Actions.getPrivateKey.
async function main({ pkpId, message }) {
  const key = await Svc.Actions.getPrivateKey({ pkpId });
  return { signature: await new ethers.Wallet(key).signMessage(message) };
}
`,
    params: { pkpId: '$PKP', message: 'hello' },
  },
  {
    title: 'the action signs with its own key',
    file: 'own-key.js',
    before: `const main = async ({ ipfsId }) => {
  const wallet = new ethers.Wallet(await Lit.Actions.getLitActionPrivateKey());
  const address = await LitActions.getLitActionWalletAddress({ ipfsId });
  return { isOwn: address === wallet.address, signature: await wallet.signMessage('fact') };
};
`,
    after: `const main = async ({ ipfsId }) => {
  const wallet = new ethers.Wallet(await Svc.Actions.getActionPrivateKey());
  const address = await SvcActions.getActionWalletAddress({ ipfsId });
  return { isOwn: address === wallet.address, signature: await wallet.signMessage('fact') };
};
`,
    params: { ipfsId: '$CID' },
  },
  {
    title: 'functions of a pattern keep their local names',
    file: 'pattern.js',
    before: `const { getLitActionPrivateKey, getLitActionPublicKey: publicKeyOf, Encrypt } = Lit.Actions;
async function main({ ipfsId }) {
  const key = await getLitActionPrivateKey();
  const same = ethers.utils.computePublicKey(key, true) === (await publicKeyOf({ ipfsId }));
  return { same, encrypts: typeof Encrypt };
}
`,
    after: `const { getActionPrivateKey: getLitActionPrivateKey, getActionPublicKey: publicKeyOf, Encrypt } = Svc.Actions;
async function main({ ipfsId }) {
  const key = await getLitActionPrivateKey();
  const same = ethers.utils.computePublicKey(key, true) === (await publicKeyOf({ ipfsId }));
  return { same, encrypts: typeof Encrypt };
}
`,
    params: { ipfsId: '$CID' },
  },
  {
    title: 'a constant for the functions is followed, also by texts in brackets',
    file: 'constant.js',
    before: `const { Actions } = Lit;
const sdk = Actions;
async function main({ pkpId }) {
  const ciphertext = await sdk.Encrypt({ pkpId, message: 'secret' });
  const plain = await sdk['Decrypt']({ pkpId, ciphertext });
  const key = await sdk['getLitActionPrivateKey']();
  return { plain, length: key.length };
}
`,
    after: `const { Actions } = Svc;
const sdk = Actions;
async function main({ pkpId }) {
  const ciphertext = await sdk.Encrypt({ pkpId, message: 'secret' });
  const plain = await sdk['Decrypt']({ pkpId, ciphertext });
  const key = await sdk['getActionPrivateKey']();
  return { plain, length: key.length };
}
`,
    params: { pkpId: '$PKP' },
  },
  {
    title: 'a response is set, with a member of the global object and optional chains',
    file: 'response.js',
    before: `async function main({ pkpId }) {
  if (typeof Lit === 'undefined') throw new Error('not in an action');
  const key = await globalThis.Lit?.Actions?.getPrivateKey({ pkpId });
  Lit.Actions.setResponse({
    response: JSON.stringify({ isWallet: ethers.utils.computeAddress(key) === pkpId }),
  });
}
`,
    after: `async function main({ pkpId }) {
  if (typeof Svc === 'undefined') throw new Error('not in an action');
  const key = await globalThis.Svc?.Actions?.getPrivateKey({ pkpId });
  Svc.Actions.setResponse({
    response: JSON.stringify({ isWallet: ethers.utils.computeAddress(key) === pkpId }),
  });
}
`,
    params: { pkpId: '$PKP' },
  },
  {
    title: 'names of other scopes, texts and comments stay',
    file: 'shadowed.js',
    before: `/* Lit.Actions */
const describe = (Lit) => Lit.Actions;
class Candle { Lit = 'Lit.Actions is text'; }
function main() {
  const Lit = { Actions: 'own' };
  { let LitActions = 'block'; void LitActions; }
  return [describe({ Actions: 'parameter' }), Lit.Actions, new Candle().Lit, Object.keys({ Lit })];
}
`,
    after: `/* Lit.Actions */
const describe = (Lit) => Lit.Actions;
class Candle { Lit = 'Lit.Actions is text'; }
function main() {
  const Lit = { Actions: 'own' };
  { let LitActions = 'block'; void LitActions; }
  return [describe({ Actions: 'parameter' }), Lit.Actions, new Candle().Lit, Object.keys({ Lit })];
}
`,
    notes: [[3, 23, 'Lit.Actions is text']],
    params: {},
  },
  {
    title: 'TypeScript keeps its types and its format',
    file: 'typed.ts',
    before: `declare const Lit: { Actions: Record<string, (params?: object) => Promise<string>> };
type Params = { pkpId: string; to: string };

export async function main({ pkpId, to }: Params): Promise<string> {
  const key = await   Lit.Actions.getPrivateKey!({ pkpId });
  return new ethers.Wallet(key as string).signMessage(to satisfies string);
}
`,
    after: `declare const Svc: { Actions: Record<string, (params?: object) => Promise<string>> };
type Params = { pkpId: string; to: string };

export async function main({ pkpId, to }: Params): Promise<string> {
  const key = await   Svc.Actions.getPrivateKey!({ pkpId });
  return new ethers.Wallet(key as string).signMessage(to satisfies string);
}
`,
    params: { pkpId: '$PKP', to: 'somebody' },
  },
  {
    title: 'a sloppy script with a webhook as its event',
    file: 'webhook.js',
    before: `var encoder = new TextEncoder();
var main = async function (params) {
  digest = await crypto.subtle.digest('SHA-256', encoder.encode(params.event_raw));
  const wallet = new ethers.Wallet(await Lit.Actions.getLitActionPrivateKey());
  const { address } = wallet;
  return { source: params.source, signed: (await wallet.signMessage(new Uint8Array(digest))).length, address: address.length };
};
`,
    after: `var encoder = new TextEncoder();
var main = async function (params) {
  digest = await crypto.subtle.digest('SHA-256', encoder.encode(params.event_raw));
  const wallet = new ethers.Wallet(await Svc.Actions.getActionPrivateKey());
  const { address } = wallet;
  return { source: params.source, signed: (await wallet.signMessage(new Uint8Array(digest))).length, address: address.length };
};
`,
    params: { source: 'webhook', event_raw: '{}' },
  },
  {
    title: 'an action of an older generation is not changed',
    file: 'older.js',
    before: `(async () => {
  const share = await Lit.Actions.signEcdsa({ toSign, publicKey, sigName: 'one' });
  if (Lit.Auth.authSigAddress !== LitAuth.authSigAddress) return;
  const { runOnce, setResponse } = Lit.Actions;
  setResponse({ response: share });
})();
`,
    after: `(async () => {
  const share = await Lit.Actions.signEcdsa({ toSign, publicKey, sigName: 'one' });
  if (Lit.Auth.authSigAddress !== LitAuth.authSigAddress) return;
  const { runOnce, setResponse } = Lit.Actions;
  setResponse({ response: share });
})();
`,
    notes: [
      [1, 1, 'main'],
      [2, 35, 'signEcdsa'],
      [2, 47, 'toSign'],
      [2, 55, 'publicKey'],
      [3, 11, 'Lit.Auth'],
      [3, 35, 'LitAuth'],
      [4, 11, 'runOnce'],
    ],
  },
  {
    title: 'an object that is passed on is named',
    file: 'passed-on.js',
    before: `let actions = Lit.Actions;
const use = (sdk, name) => sdk[name];
const main = ({ name }) => [typeof use(Lit, 'Actions'), typeof Lit.Actions[name], typeof actions, typeof LitActions.signTypedDataOfTheFuture];
`,
    after: `let actions = Svc.Actions;
const use = (sdk, name) => sdk[name];
const main = ({ name }) => [typeof use(Svc, 'Actions'), typeof Svc.Actions[name], typeof actions, typeof LitActions.signTypedDataOfTheFuture];
`,
    notes: [
      [1, 15, 'actions'],
      [3, 40, 'Lit'],
      [3, 76, 'name'],
      [3, 117, 'signTypedDataOfTheFuture'],
    ],
  },
  {
    title: 'a client: routes and the domain of signatures',
    file: 'client.ts',
    before: `import { createClient } from './core_sdk.js';
import { LitNodeClient } from '@lit-protocol/lit-node-client';
const base = 'https://relayer.example.com/core/v1';
const routes = ['/lit_action', 'lit_action', \`\${base}/lit_action\`, \`\${base}/lit_action/\${1}\`, 'not/lit_action/x'];
const cid = await fetch(base + '/get_lit_action_ipfs_id?x=1', { method: 'POST' });
const stripe = \`https://relayer.example.com/core/v1/billing/stripe_config\`;
const domain = { name: 'Lit ChainSecured', version: '1', chainId: 8453 };
const title = 'My Lit ChainSecured account'; // Lit ChainSecured
const client = createClient('https://api.chipotle.litprotocol.com');
await client.litAction({ apiKey: 'k', code: 'async function main() { return Lit.Actions; }' });
`,
    after: `import { createClient } from './core_sdk.js';
import { LitNodeClient } from '@lit-protocol/lit-node-client';
const base = 'https://relayer.example.com/core/v1';
const routes = ['/svc_action', 'lit_action', \`\${base}/svc_action\`, \`\${base}/lit_action/\${1}\`, 'not/lit_action/x'];
const cid = await fetch(base + '/get_svc_action_ipfs_id?x=1', { method: 'POST' });
const stripe = \`https://relayer.example.com/core/v1/billing/processor_config\`;
const domain = { name: 'Service ChainSecured', version: '1', chainId: 8453 };
const title = 'My Lit ChainSecured account'; // Lit ChainSecured
const client = createClient('https://api.chipotle.litprotocol.com');
await client.litAction({ apiKey: 'k', code: 'async function main() { return Lit.Actions; }' });
`,
    notes: [
      [1, 30, './core_sdk.js'],
      [2, 31, '@lit-protocol/lit-node-client'],
      [4, 33, 'lit_action'],
      [9, 30, 'https://api.chipotle.litprotocol.com'],
      [10, 14, 'litAction'],
      [10, 46, 'async function main() { return Lit.Actions; }'],
    ],
  },
];
