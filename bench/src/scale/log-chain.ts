/** A chain of synthetic logs of AccountConfig behind JSON-RPC: what an index of many accounts is rebuilt from. A process of its own. */
import { createServer } from 'node:http';
import { accountConfigAbi } from '@latchkey/protocol';
import { answer } from '@latchkey/testing/forked';
import {
  type Address,
  type ContractEventName,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  numberToHex,
  padHex,
} from 'viem';

export type LogChainOptions = { blocks: number; chainId: number; address: Address };

/** Blocks above the last log: Ponder considers the 30 below the head not final. */
const EMPTY_BLOCKS = 40;
/** Of one account, in a block of its own. */
export const LOGS_PER_BLOCK = 10;
const FULL_BLOOM = `0x${'ff'.repeat(256)}` as const;
const EMPTY_BLOOM = `0x${'00'.repeat(256)}` as const;

type Template = { topics: Hex[]; data: Hex };

/** An event with its data. Its indexed values depend on the account and are set per log. */
function template(eventName: ContractEventName<typeof accountConfigAbi>, values: unknown[]): Template {
  const event = getAbiItem({ abi: accountConfigAbi, name: eventName });
  const inputs: readonly { indexed?: boolean }[] = event.inputs;
  const unindexed = inputs.filter(({ indexed }) => !indexed);
  const [signature] = encodeEventTopics({ abi: [event], eventName: event.name } as never) as [Hex];
  return { topics: [signature], data: encodeAbiParameters(unindexed as never, values as never) };
}

const labels = ['a name of usual length', 'a description'];
const permissions = {
  createGroups: true,
  deleteGroups: false,
  createPKPs: true,
  manageIPFSIdsInGroups: [1n, 2n],
  addPkpToGroups: [1n],
  removePkpFromGroups: [],
  executeInGroups: [1n, 2n],
};
const templates = {
  account: template('AccountCreated', [true, ...labels]),
  action: template('ActionAdded', labels),
  group: template('GroupAdded', [...labels, [], []]),
  actionInGroup: template('ActionAddedToGroup', []),
  wallet: template('WalletDerivationRegistered', labels),
  walletInGroup: template('PkpAddedToGroup', []),
  usageKey: template('UsageApiKeySet', [0n, 0n, ...labels, permissions]),
  renamed: template('ActionMetadataUpdated', labels),
};

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

/** The ten logs of the account that the block opens. */
function logsOf(block: number, address: Address): object[] {
  const account = word((1n << 200n) + BigInt(block));
  const own = (index: number): Hex => word((BigInt(block) << 16n) + BigInt(index));
  const [group, wallet] = [word(1n), padHex(numberToHex((1n << 150n) + BigInt(block)), { size: 32 })];
  const made: [Template, ...Hex[]][] = [
    [templates.account, wallet],
    [templates.action, own(1)],
    [templates.action, own(2)],
    [templates.group, group],
    [templates.actionInGroup, group, own(1)],
    [templates.wallet, wallet, own(3)],
    [templates.walletInGroup, group, wallet],
    [templates.usageKey, own(4)],
    [templates.usageKey, own(5)],
    [templates.renamed, own(2)],
  ];
  const at = positionOf(block);
  return made.map(([{ topics, data }, ...indexed], index) => ({
    ...at,
    address,
    topics: [...topics, account, ...indexed],
    data,
    logIndex: numberToHex(index),
    transactionHash: word(BigInt(block) + (1n << 130n)),
    transactionIndex: '0x0',
    removed: false,
  }));
}

const positionOf = (block: number) => ({
  blockNumber: numberToHex(block),
  blockHash: word(BigInt(block) + (1n << 120n)),
});

function blockOf(block: number, blocks: number, address: Address): object {
  const hasLogs = block > 0 && block <= blocks;
  const at = positionOf(block);
  const transaction = {
    ...at,
    hash: word(BigInt(block) + (1n << 130n)),
    transactionIndex: '0x0',
    from: address,
    to: address,
    input: '0x',
    nonce: numberToHex(block),
    gas: '0x5208',
    gasPrice: '0x1',
    value: '0x0',
    type: '0x0',
    r: '0x1',
    s: '0x1',
    v: '0x1b',
  };
  return {
    number: at.blockNumber,
    hash: at.blockHash,
    parentHash: block === 0 ? word(0n) : positionOf(block - 1).blockHash,
    timestamp: numberToHex(1_700_000_000 + 2 * block),
    logsBloom: hasLogs ? FULL_BLOOM : EMPTY_BLOOM,
    transactions: hasLogs ? [transaction] : [],
    miner: address,
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    baseFeePerGas: '0x1',
    difficulty: '0x0',
    extraData: '0x',
    mixHash: word(0n),
    nonce: '0x0000000000000000',
    receiptsRoot: word(0n),
    sha3Uncles: word(0n),
    size: '0x100',
    stateRoot: word(0n),
    totalDifficulty: '0x0',
    transactionsRoot: word(0n),
    uncles: [],
  };
}

type Request = { id: unknown; method: string; params?: unknown[] };

function reply(
  { method, params: [first] = [] }: Request,
  { blocks, chainId, address }: LogChainOptions,
): unknown {
  const head = blocks + EMPTY_BLOCKS;
  if (method === 'eth_chainId') return numberToHex(chainId);
  if (method === 'eth_blockNumber') return numberToHex(head);
  if (method === 'eth_getBlockByNumber') {
    const block = first === 'latest' ? head : Number(first);
    return block > head ? null : blockOf(block, blocks, address);
  }
  if (method === 'eth_getBlockByHash')
    return blockOf(Number(BigInt(first as Hex) & 0xffffffffn), blocks, address);
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock, blockHash } = first as { fromBlock?: Hex; toBlock?: Hex; blockHash?: Hex };
    const named = blockHash && Number(BigInt(blockHash) & 0xffffffffn);
    const from = Math.max(named ?? Number(fromBlock), 1);
    const to = Math.min(named ?? Number(toBlock), blocks);
    return Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) =>
      logsOf(from + index, address),
    ).flat();
  }
  throw new Error(`unexpected ${method}`);
}

/** Serves the chain on any port of loopback, and answers with its URL. */
answer(async (options: LogChainOptions) => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
      const one = (each: Request) => ({ jsonrpc: '2.0', id: each.id, result: reply(each, options) });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
});
