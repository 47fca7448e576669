/** Fetches from the public addresses of this machine, as URLs, as names and behind redirects, and prints the errors. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownPublicAddresses } from '@latchkey/testing/public-network';
import { createActionNames } from '../src/fetching/action-names.ts';
import { createGuardedAgent, defaultFetchOptions } from '../src/fetching/guarded-agent.ts';
import { guardedFetch } from '../src/fetching/guarded-fetch.ts';
import { serveNames } from '../src/testing.ts';

let connections = 0;
const server = createServer((request, response) => {
  const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
  if (to) response.writeHead(302, { location: to });
  response.end('reached');
}).listen(0, '::');
await new Promise((resolve) => server.once('listening', resolve));
server.on('connection', ({ localAddress }) => {
  if (localAddress !== '::ffff:127.0.0.1') connections += 1;
});
const { port } = server.address() as AddressInfo;
const hosts = ownPublicAddresses.map((address) => (address.includes(':') ? `[${address}]` : address));
await using dns = await serveNames((name, family) =>
  ownPublicAddresses.filter(
    (address, index) => name === `own${index}.example` && address.includes(':') === (family === 6),
  ),
);

const reach = async (url: string, allowedAddresses: string[]): Promise<string> => {
  const options = { ...defaultFetchOptions, allowedAddresses, timeoutMs: 5_000 };
  const names = createActionNames([dns.server]).forRun(1n);
  const agent = createGuardedAgent(options, names, () => {});
  const message = { type: 'fetch', id: 1, url, method: 'GET', redirect: 'follow', body: 'none' } as const;
  const meter = { onRequest() {}, onBytes() {} };
  try {
    await guardedFetch(
      agent,
      options,
      { ...message, headers: [] },
      null,
      new AbortController().signal,
      meter,
    );
    return 'reached';
  } catch (error) {
    return (error as Error).name;
  } finally {
    names.close();
    await agent.destroy();
  }
};
const redirector = `127.0.0.1:${port}`;
const targets = [
  ...hosts.map((host) => `${host}:${port}`),
  ...hosts.map((_, index) => `own${index}.example:${port}`),
  ...[`0xc010101:${port}`, `12.65793:${port}`, `[2a00:1450:0:0::0005]:${port}`],
];
const outcomes: Record<string, string> = {};
for (const target of targets) {
  outcomes[target.replace(/:\d+$/, '')] = await reach(`http://${target}/`, []);
  outcomes[`to ${target.replace(/:\d+$/, '')}`] = await reach(`http://${redirector}/?to=http://${target}/`, [
    redirector,
  ]);
}
const refused = connections;
const allowed = await reach(`http://${hosts[0]}:${port}/`, [`${hosts[0]}:${port}`]);
process.stdout.write(JSON.stringify({ outcomes, refused, allowed }));
server.close();
server.closeAllConnections();
