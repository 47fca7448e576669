/** Traffic that sends transactions of wallets. */
import type { Chain } from '@latchkey/testing/chain';
import { type Address, type Hex, stringToHex } from 'viem';
import type { Cluster } from './cluster.ts';

const WALLETS = 3;
const FUNDS = 10n ** 24n;
const RECEIVER = '0x00000000000000000000000000000000000000AA';

export const chainsOf = ({ chain, otherChain }: Cluster): Chain[] => [chain, otherChain];

/** Begins by reporting its unit, and sends until the service takes it. A unit is the idempotency key of its transaction, and its calldata. */
export const sendCode = (
  effects: string,
): string => `async function main({ event: { unit, ...transaction } }) {
  await fetch('http://${effects}/' + encodeURIComponent(unit), { method: 'POST' });
  for (let left = 15; ; left--) {
    try {
      await Svc.Actions.sendTransaction({ ...transaction, idempotencyKey: unit });
      return unit;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}`;
const keyCode = `const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId });`;

type Core = (path: string, body: object, key?: string) => Promise<Record<string, string>>;

/** Creates the wallets of a tenant, with funds on both chains. Another program has their keys, too. */
export async function openWallets(
  cluster: Cluster,
  core: Core,
  keys: { key: string; usageKey: string },
): Promise<{ wallets: Address[]; walletKeys: Hex[] }> {
  const [wallets, walletKeys]: [Address[], Hex[]] = [[], []];
  await core(
    'add_group',
    { group_name: 'all', group_description: '', pkp_ids_permitted: [0], cid_hashes_permitted: [0] },
    keys.key,
  );
  for (let index = 0; index < WALLETS; index++) {
    const { wallet_address: wallet } = await core('create_wallet', {}, keys.key);
    const run = await core('svc_action', { code: keyCode, js_params: { pkpId: wallet } }, keys.usageKey);
    wallets.push(wallet as Address);
    walletKeys.push(run.response as Hex);
    for (const { client } of chainsOf(cluster))
      await client.setBalance({ address: wallet as Address, value: FUNDS });
  }
  return { wallets, walletKeys };
}

/** Returns the transaction of a unit: units with consecutive numbers are of all wallets on all chains. */
export function transactionOf(
  { id, number }: { id: string; number: number },
  cluster: Cluster,
  wallets: readonly Address[],
) {
  const chains = chainsOf(cluster);
  const { chainId } = chains[Math.floor(number / wallets.length) % chains.length] as Chain;
  return { pkpId: wallets[number % wallets.length], chainId, to: RECEIVER, data: stringToHex(id) };
}
