/** A relayer with one wallet and one action, and programs that use it with the packed packages. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { privateKeyToAccount } from 'viem/accounts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const message = 'hello';

/** Starts the service, whose runs sign messages. */
export async function startService(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async ({ url, method }, response) => {
    const signature = await wallet.signMessage({ message });
    const reply =
      method === 'POST'
        ? { response: { signature }, logs: '', has_error: false }
        : { name: 'sample', version: '1.0.0', commit: url };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(reply));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const imports: [names: string, from: string][] = [
  ['accountConfigAbi, apiKeyHash, cidOf', '@latchkey/protocol'],
  ['encodeAssertion', '@latchkey/protocol/passkey'],
  ['encryptSecret', '@latchkey/protocol/secret-cipher'],
  ['createClient', '@latchkey/sdk'],
  ['toLatchkeyAccount', '@latchkey/viem'],
  ['createProvider', '@latchkey/viem/provider'],
  ['toSolanaSigner', '@latchkey/viem/solana'],
  ['latchkey', '@latchkey/viem/wagmi'],
  ['LatchkeySigner', '@latchkey/ethers'],
];

const vectors = '@latchkey/protocol/vectors/hashes.json';

/** Returns a program that uses every module of the libraries and prints `output`. */
export const program = (url: string): string => `
${imports.map(([names, from]) => `import { ${names} } from '${from}';`).join('\n')}
import hashes from '${vectors}' with { type: 'json' };
${body(url)}
main();
`;

/** Returns the same program in CommonJS. */
export const commonJs = (url: string): string => `
${imports.map(([names, from]) => `const { ${names} } = require('${from}');`).join('\n')}
const hashes = require('${vectors}');
${body(url)}
main();
`;

const body = (url: string): string => `
async function main() {
  const client = createClient({ url: '${url}', apiKey: 'usage key' });
  const parameters = { client, walletAddress: '${wallet.address}' };
  const account = toLatchkeyAccount(parameters);
  console.log(JSON.stringify([
    BigInt(hashes.apiKeyHashes[0]) === apiKeyHash(hashes.apiKeys[0]),
    await cidOf(''),
    accountConfigAbi.some(({ name }) => name === 'addGroup'),
    (await client.getVersion()).commit,
    await account.signMessage({ message: '${message}' }) === await new LatchkeySigner(parameters).signMessage('${message}'),
    [encodeAssertion, encryptSecret, createProvider, toSolanaSigner, latchkey].map((value) => typeof value).join(),
  ]));
}
`;

export const output = JSON.stringify([
  true,
  'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
  true,
  '/core/v1/version',
  true,
  'function,function,function,function,function',
]);

/** A program that TypeScript compiles with every resolution, with the types of all packages. */
export const types = `
import type { Json } from '@latchkey/action';
import { LatchkeySigner } from '@latchkey/ethers';
import { accountConfigAbi, buildConsent, type TypedDataClaim } from '@latchkey/protocol';
import { encryptSecret } from '@latchkey/protocol/secret-cipher';
import { type ApiClient, createClient } from '@latchkey/sdk';
import type { paths } from '@latchkey/sdk/api';
import { type LatchkeyAccount, toLatchkeyAccount } from '@latchkey/viem';
import { createProvider } from '@latchkey/viem/provider';
import { toSolanaSigner } from '@latchkey/viem/solana';
import { latchkey } from '@latchkey/viem/wagmi';
export const client: ApiClient = createClient({ url: 'http://127.0.0.1:8000', apiKey: 'key' });
export const id: Promise<bigint> = client.addGroup({ name: 'a', description: '' }).then((g) => g.groupId);
type Body = NonNullable<paths['/core/v1/add_group']['post']['requestBody']>['content']['application/json'];
export const body: Body = { group_name: 'a', group_description: '' };
// @ts-expect-error a group has a name
export const unnamed = client.addGroup({ description: '' });
export const account: LatchkeyAccount = toLatchkeyAccount({ client, walletAddress: '0x' });
export const signer = new LatchkeySigner({ client, walletAddress: '0x' });
export const event: 'event' | 'function' | 'error' | undefined = accountConfigAbi[0]?.type;
export type Values = [Json, TypedDataClaim];
export { buildConsent, createProvider, encryptSecret, latchkey, toSolanaSigner };
`;
