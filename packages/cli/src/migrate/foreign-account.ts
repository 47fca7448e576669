/** Reads an account of Lit Protocol's AccountConfig over an RPC node. Neither the contract nor the node is trusted. */
import { oneLine } from '@latchkey/command/text';
import { type Address, BaseError, createPublicClient, getContract, http, parseAbi } from 'viem';
import { CommandError } from '../errors.ts';

export const foreignAbi = parseAbi([
  'struct Metadata { uint256 id; string name; string description; }',
  'struct Pkp { uint256 id; address pkpId; string name; string description; }',
  'struct Group { Metadata metadata; uint256[] cidHash; address[] pkpId; }',
  'struct UsageApiKey { Metadata metadata; uint256 apiKeyHash; uint256 expiration; uint256 balance; uint256[] executeInGroups; bool createGroups; bool deleteGroups; bool createPKPs; uint256[] manageIPFSIdsInGroups; uint256[] addPkpToGroups; uint256[] removePkpFromGroups; }',
  'function getAccountWalletAddress(uint256 apiKeyHash) view returns (address)',
  'function listApiKeys(uint256 accountApiKeyHash, uint256 pageNumber, uint256 pageSize) view returns (UsageApiKey[])',
  'function listGroups(uint256 accountApiKeyHash, uint256 pageNumber, uint256 pageSize) view returns (Metadata[])',
  'function listGroupContents(uint256 accountApiKeyHash, uint256 groupId) view returns (Group)',
  'function listPkps(uint256 accountApiKeyHash, uint256 pageNumber, uint256 pageSize) view returns (Pkp[])',
  'function listActions(uint256 accountApiKeyHash, uint256 pageNumber, uint256 pageSize) view returns (Metadata[])',
]);

/** Longest list that is imported. A write costs a cent each. */
const MAX_ITEMS = 1_000;
const PAGE_SIZE = 50;
/** For all requests together. */
const TIMEOUT_MS = 300_000;
const MAX_NAME_BYTES = 128;
const MAX_DESCRIPTION_BYTES = 1_024;
const MAX_MEMBERS = 1_000;

export type Source = { rpcUrl: string; contract: Address; account: bigint };
export type Labels = { name: string; description: string };
export type ForeignGroup = Labels & { id: bigint; cidHashes: bigint[]; wallets: Address[] };
export type ForeignKey = Labels & {
  hash: bigint;
  expiration: bigint;
  canCreateGroups: boolean;
  canDeleteGroups: boolean;
  canCreatePkps: boolean;
  manageIpfsIdsInGroups: bigint[];
  addPkpToGroups: bigint[];
  removePkpFromGroups: bigint[];
  executeInGroups: bigint[];
};
export type ForeignAccount = {
  chainId: number;
  /** The block of all reads. */
  block: bigint;
  admin: Address;
  wallets: (Labels & { address: Address })[];
  groups: ForeignGroup[];
  actions: (Labels & { hash: bigint })[];
  keys: ForeignKey[];
};

/** Returns a label that names nothing else on a terminal, within the limits of the contract. */
function label(text: string, maxBytes: number): string {
  const safe = oneLine(text);
  const bytes = new TextEncoder().encode(safe);
  if (bytes.length <= maxBytes) return safe;
  // A cut character is left out.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}

const labels = ({ name, description }: Labels): Labels => ({
  name: label(name, MAX_NAME_BYTES),
  description: label(description, MAX_DESCRIPTION_BYTES),
});

/** Reads a list page by page. Rejects for a list without an end, and for one that repeats an item. */
async function readList<Item>(
  what: string,
  read: (page: bigint, size: bigint) => Promise<readonly Item[]>,
  identity: (item: Item) => bigint | string,
): Promise<Item[]> {
  const found = new Map<bigint | string, Item>();
  for (let page = 0n; ; page++) {
    const items = await read(page, BigInt(PAGE_SIZE));
    if (items.length > PAGE_SIZE) throw new CommandError(`the contract returned too long a page of ${what}`);
    for (const item of items) {
      if (found.has(identity(item))) throw new CommandError(`the contract returned an item of ${what} twice`);
      found.set(identity(item), item);
    }
    if (found.size > MAX_ITEMS)
      throw new CommandError(`the account has more than ${MAX_ITEMS} ${what}: too many to import`);
    // The last page of that contract can be followed by its first one.
    if (items.length < PAGE_SIZE) return [...found.values()];
  }
}

function requireShort(what: string, values: readonly unknown[]): void {
  if (values.length > MAX_MEMBERS)
    throw new CommandError(`${what} has more than ${MAX_MEMBERS} entries: too many to import`);
}

function connect({ rpcUrl, contract }: Source, timeoutMs: number) {
  const client = createPublicClient({
    transport: http(rpcUrl, {
      retryCount: 2,
      // The signal also ends a reply that never ends.
      fetchOptions: { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' },
    }),
  });
  return { client, views: getContract({ address: contract, abi: foreignAbi, client }).read };
}

async function readAccount(source: Source, timeoutMs: number): Promise<ForeignAccount> {
  const { client, views } = connect(source, timeoutMs);
  const { account } = source;
  const [chainId, blockNumber] = await Promise.all([client.getChainId(), client.getBlockNumber()]);
  const at = { blockNumber };
  const admin = await views.getAccountWalletAddress([account], at);
  const wallets = await readList(
    'wallets',
    (page, size) => views.listPkps([account, page, size], at),
    ({ pkpId }) => pkpId,
  );
  const actions = await readList(
    'actions',
    (page, size) => views.listActions([account, page, size], at),
    ({ id }) => id,
  );
  const ids = await readList(
    'groups',
    (page, size) => views.listGroups([account, page, size], at),
    ({ id }) => id,
  );
  const groups: ForeignGroup[] = [];
  for (const { id, ...own } of ids) {
    const { cidHash, pkpId } = await views.listGroupContents([account, id], at);
    requireShort(`the group ${id}`, [...cidHash, ...pkpId]);
    groups.push({ id, ...labels(own), cidHashes: [...new Set(cidHash)], wallets: [...new Set(pkpId)] });
  }
  const keys = await readList(
    'usage keys',
    (page, size) => views.listApiKeys([account, page, size], at),
    ({ apiKeyHash }) => apiKeyHash,
  );
  return {
    chainId,
    block: blockNumber,
    admin,
    wallets: wallets.map(({ pkpId, ...own }) => ({ address: pkpId, ...labels(own) })),
    actions: actions.map(({ id, ...own }) => ({ hash: id, ...labels(own) })),
    groups,
    keys: keys.map(({ apiKeyHash, metadata, ...key }) => ({
      hash: apiKeyHash,
      ...labels(metadata),
      expiration: key.expiration,
      canCreateGroups: key.createGroups,
      canDeleteGroups: key.deleteGroups,
      canCreatePkps: key.createPKPs,
      manageIpfsIdsInGroups: [...new Set(key.manageIPFSIdsInGroups)],
      addPkpToGroups: [...new Set(key.addPkpToGroups)],
      removePkpFromGroups: [...new Set(key.removePkpFromGroups)],
      executeInGroups: [...new Set(key.executeInGroups)],
    })),
  };
}

/** Reads everything at one block. The URL of the node can have a key, and is in no error. */
export async function readForeignAccount(source: Source, timeoutMs = TIMEOUT_MS): Promise<ForeignAccount> {
  try {
    return await readAccount(source, timeoutMs);
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const text = error.shortMessage.replaceAll(source.rpcUrl, 'the node');
    throw new CommandError(
      `the account cannot be read: ${oneLine(text).slice(0, 300)}`,
      'Check --rpc-url, --contract and the account.',
    );
  }
}
