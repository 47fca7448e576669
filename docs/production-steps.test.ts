/** The steps of docs/production.md, on a chain with the id of a public one, up to a run that signs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundryBinary } from '@latchkey/foundry';
import { createDatabase } from '@latchkey/postgres';
import { startTestServer } from '@latchkey/testing/postgres';
import { END_MS, end, start, temporaryDirectory } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';
import { type Address, type Hex, verifyMessage } from 'viem';
import { expect, onTestFinished, test } from 'vitest';

const CHAIN_ID = '84532';
const TWO_HOURS_SEC = 7_200;

const page = readFileSync(join(import.meta.dirname, 'production.md'), 'utf8');
const steps = [...page.matchAll(/^ {3}```sh\n(.*?)^ {3}```$/gms)].map(([, text = '']) =>
  text.replaceAll(/^ {3}/gm, ''),
);

/** Shell functions by which the test gives ether and lets time pass. */
const chainFunctions = `
rpc() { curl -sf $RPC_URL -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"'$1'","params":['$2']}'; }
fund() { for address in $DEPLOYER $OWNER $PAYER $CONFIG; do rpc anvil_setBalance '"'$address'","0x8ac7230489e80000"'; done; }
ready() { for n in $(seq 300); do curl -s "$1" > /dev/null && return; sleep 0.5; done; echo "$1 is not ready"; exit 1; }
`;

/** Replaces what the page names for a machine of its own: URLs, ports and the databases. */
function onThisMachine(ports: Record<'rpc' | 'relayer' | 'triggers' | 'indexer', number>, nodes: number[]) {
  const [, secrets, addresses, fundedDeploy, accept, keyNodes, ...rest] = steps;
  const wait = `rpc evm_setNextBlockTimestamp $(date +%s); rpc evm_mine`;
  const nodesReady = nodes.map((port) => `ready http://127.0.0.1:${port}/live`).join('\n');
  const text = [
    chainFunctions,
    secrets,
    addresses,
    'fund',
    fundedDeploy,
    wait,
    accept,
    keyNodes,
    nodesReady,
    ...rest,
  ];
  const serve = (name: 'relayer' | 'triggers' | 'indexer') =>
    `PORT=${ports[name]} METRICS_PORT=0 npm run -s start:${name}`;
  return text
    .join('\n')
    .replace('PORT=810$n', `PORT=$(echo ${nodes.join(' ')} | cut -d' ' -f$n)`)
    .replaceAll(/127\.0\.0\.1:810(\d)/g, (_, n: string) => `127.0.0.1:${nodes[Number(n) - 1]}`)
    .replaceAll(/npm run -s start:(relayer|triggers|indexer)/g, (_, name: 'relayer') => serve(name))
    .replace(/^SIGNER=/m, `ready http://127.0.0.1:${ports.relayer}/live\n$&`);
}

test('the steps lead from secrets to services in which a run signs', async () => {
  using directory = temporaryDirectory(tmpdir());
  await using postgres = await startTestServer();
  const [rpc, relayer, triggers, indexer, ...nodes] = await Promise.all(Array.from({ length: 7 }, freePort));
  if (!rpc || !relayer || !triggers || !indexer) throw new Error('no free port');
  const startedSec = Math.floor(Date.now() / 1_000) - TWO_HOURS_SEC;
  const anvil = ['--chain-id', CHAIN_ID, '--timestamp', String(startedSec), '--block-time', '1'];
  const chain = start(foundryBinary('anvil'), [...anvil, '--port', String(rpc), '--silent']);
  onTestFinished(() => end(chain.child, 'SIGKILL'));
  expect(steps[0]).toMatch(/^npm ci\n/);
  const services = ['relayer', 'triggers', 'indexer'] as const;
  for (const name of services) await createDatabase(postgres.url, `latchkey_${name}`);
  const script = onThisMachine({ rpc, relayer, triggers, indexer }, nodes)
    .replace('DB=postgresql://127.0.0.1:5432', `DB=${postgres.url.replace(/\/postgres$/, '')}`)
    .replace(/^for name in .* do psql .*$/m, '');
  const url = `http://127.0.0.1:${relayer}`;
  const shell = start('bash', ['-e', '-c', script], {
    DIR: directory.path,
    CHAIN_ID,
    RPC_URL: `http://127.0.0.1:${rpc}`,
    DEPLOYMENTS_DIR: join(directory.path, 'deployments'),
    INDEXER_URLS: `http://127.0.0.1:${indexer}`,
    RELAYER_URLS: url,
  });
  // It leads the group of the services.
  onTestFinished(() => end(shell.child, 'SIGTERM'));
  const [code] = await once(shell.child, 'exit');
  expect(code, shell.output()).toBe(0);
  expect(shell.output()).toContain('The deployment is complete\n');
  expect(shell.output()).toContain('set receipt-signer on the contract');

  const health = async () => ((await (await fetch(`${url}/health`)).json()) as { ok: boolean }).ok;
  await until('every part works', health, END_MS);
  const post = async (path: string, body: object, key = ''): Promise<Record<string, string>> => {
    const headers = { 'Content-Type': 'application/json', 'X-Api-Key': key };
    const reply = await fetch(`${url}/core/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, string>;
  };
  const { api_key: key } = await post('new_account', { account_name: 'first', account_description: '' });
  const { wallet_address: pkpId } = await post('create_wallet', { name: 'Signer' }, key);
  const permitted = { cid_hashes_permitted: [0], pkp_ids_permitted: [pkpId] };
  await post('add_group', { group_name: 'all', group_description: '', ...permitted }, key);
  const usage = await post('add_usage_api_key', { name: 'Runner', execute_in_groups: [1] }, key);
  const action = `const main = ({ pkpId }) => Svc.Actions.getSigner({ pkpId }).signMessage('hello')`;
  const run = await post('svc_action', { code: action, js_params: { pkpId } }, usage.usage_api_key);
  const signature = run.response as Hex;
  expect(await verifyMessage({ address: pkpId as Address, message: 'hello', signature })).toBe(true);
}, 600_000);
