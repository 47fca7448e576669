/** Reads the code that decides about keys: the diamond, the routes from its selectors to facets, and its owner. */
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type Address,
  concat,
  encodeEventTopics,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  type PublicClient,
  padHex,
  parseAbi,
  size,
  slice,
  toFunctionSelector,
} from 'viem';
import { z } from 'zod';

/** Number of blocks per search for logs. Many endpoints refuse larger ranges. */
export const MAX_RANGE = 10_000n;
/** keccak256(abi.encode(uint256(keccak256("latchkey.storage.Diamond")) - 1)) & ~bytes32(uint256(0xff)): LibDiamond. */
const ROUTES_SLOT = '0x1acff6456f999971f5e7b614ca71701f5224830234e67035ab5618ba1a87ba00';
const FACETS_SELECTOR = toFunctionSelector('facets()');

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]);
const code = { address: hex, codeHash: hex };

export const pins = z.strictObject({
  /** Number of the block at which they were read. */
  block: z.int().nonnegative(),
  diamond: hex,
  owner: z.strictObject(code),
  /** By address; selectors ascending. */
  facets: z.array(z.strictObject({ ...code, selectors: z.array(hex) })),
});
export type Pins = z.infer<typeof pins>;

export type At = { number: bigint; hash: Hex };

export type PinsReader = {
  /** @param known Its addresses are read in the same request; others take a second one. */
  read: (at: At, known?: Pins) => Promise<Pins>;
  /** Returns the blocks of cuts and transfers of the ownership from `from` to `to`, ascending. */
  changes: (from: bigint, to: bigint) => Promise<bigint[]>;
  /** Returns the delay of a timelock in seconds, undefined for a contract without one. */
  delaySec: (at: At, owner: Address) => Promise<bigint | undefined>;
};

export function createPinsReader(client: PublicClient, diamond: Address): PinsReader {
  const contract = { abi: accountConfigAbi, address: diamond } as const;
  const codeHashes = (at: At, addresses: Address[]) => readCodeHashes(client, at, addresses);
  return {
    async read(at, known) {
      const of = { ...contract, blockHash: at.hash };
      const guess = known
        ? [diamond, known.owner.address, ...known.facets.map(({ address }) => address)]
        : [];
      const [route, facets, owner, guessed] = await Promise.all([
        client.getStorageAt({ address: diamond, slot: slotOfRoute(FACETS_SELECTOR), blockHash: at.hash }),
        client.readContract({ ...of, functionName: 'facets' }),
        client.readContract({ ...of, functionName: 'owner' }).then(lower),
        codeHashes(at, guess.map(lower)),
      ]);
      const routed = facets.map(({ facetAddress, functionSelectors }) => ({
        address: lower(facetAddress),
        selectors: [...functionSelectors].sort(),
      }));
      const addresses = [lower(diamond), owner, ...routed.map(({ address }) => address)];
      const isGuessed = addresses.every((address) => guessed.has(address));
      const hashes = isGuessed ? guessed : await codeHashes(at, addresses);
      const hashOf = (address: Address): Hex => hashes.get(address) ?? '0x';
      const loupe = routed.find(({ selectors }) => selectors.includes(FACETS_SELECTOR));
      // A facet that replaced the loupe could return routes that differ from the storage.
      if (loupe?.address !== slice(route ?? padHex('0x'), 12))
        throw new Error('facets() does not return its own route');
      return {
        block: Number(at.number),
        diamond: hashOf(lower(diamond)),
        owner: { address: owner, codeHash: hashOf(owner) },
        facets: routed
          .map((facet) => ({ ...facet, codeHash: hashOf(facet.address) }))
          .sort((a, b) => (a.address < b.address ? -1 : 1)),
      };
    },
    async changes(from, to) {
      const blocks: bigint[] = [];
      for (let start = from; start <= to; start += MAX_RANGE) {
        const end = start + MAX_RANGE - 1n < to ? start + MAX_RANGE - 1n : to;
        const logs = await readLogs(client, diamond, ['DiamondCut', 'OwnershipTransferred'], start, end);
        blocks.push(...logs.map(({ blockNumber }) => hexToBigInt(blockNumber)));
      }
      return blocks;
    },
    delaySec: (at, address) =>
      client
        .readContract({
          abi: parseAbi(['function getMinDelay() view returns (uint256)']),
          address,
          functionName: 'getMinDelay',
          blockHash: at.hash,
        })
        .catch(() => undefined),
  };
}

const lower = (address: Address): Address => address.toLowerCase() as Address;

const slotOfRoute = (selector: Hex): Hex =>
  keccak256(concat([padHex(selector, { dir: 'right', size: 32 }), ROUTES_SLOT]));

type EventName = 'DiamondCut' | 'OwnershipTransferred' | 'NodeConfigurationSet';
export type RawLog = { blockNumber: Hex; topics: [Hex, ...Hex[]]; data: Hex };

/** Returns the logs of the contract with any of these events. */
export async function readLogs(
  client: PublicClient,
  address: Address,
  events: EventName[],
  from: bigint,
  to: bigint,
): Promise<RawLog[]> {
  const topics = [
    events.map((eventName) => encodeEventTopics({ abi: accountConfigAbi, eventName })[0] ?? '0x'),
  ];
  const filter = { address, topics, fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  return (await client.request({ method: 'eth_getLogs', params: [filter] })) as RawLog[];
}

/**
 * Returns the code hashes of addresses at a block, by one call that creates nothing: its code asks EXTCODEHASH for each address. The
 * codes themselves would be 150 kB per block.
 */
async function readCodeHashes(
  client: PublicClient,
  at: At,
  addresses: Address[],
): Promise<Map<Address, Hex>> {
  // The first word stays 0: the result of a creation must not begin with 0xef.
  const offset = (index: number): Hex => numberToHex(32 * (index + 1), { size: 2 });
  const steps = addresses.map((address, index) => concat(['0x73', address, '0x3f61', offset(index), '0x52']));
  const program = concat([...steps, '0x61', offset(addresses.length), '0x5ff3']);
  const { data = '0x' } = await client.call({ data: program, blockHash: at.hash });
  if (size(data) !== 32 * (addresses.length + 1)) throw new Error('the chain returned no code hashes');
  return new Map(addresses.map((address, i) => [address, slice(data, 32 * (i + 1), 32 * (i + 2))]));
}
