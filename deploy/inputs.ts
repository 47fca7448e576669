/** The inputs of a deployment: `deploy/networks.json` and the environment. */

import { readFileSync } from 'node:fs';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { type Address, getAddress, type Hex, isAddress, isHex, size, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';

/** Mistakes in the inputs, one line each. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: true }), 'is not an address, or its checksum is wrong')
  .refine((text) => text.toLowerCase() !== zeroAddress, 'is the zero address')
  .transform((text): Address => getAddress(text));

/** The longest delay that Deploy.s.sol accepts. */
const MAX_DELAY_SEC = 30 * 86_400;

const members = z.array(address).min(1, 'is empty');

/** An entry of networks.json; its key is the chain id. */
const network = z
  .strictObject({
    /** The value of `--network`. */
    name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case letters, digits and dashes'),
    /** True when the owner may be the address of one key. */
    isTestnet: z.boolean().default(false),
    /** Sends the transactions. Part of the diamond's address. */
    deployer: address,
    /** The Safe that gets the ownership, or that proposes to the timelock that gets it. */
    owner: address,
    /** null: no timelock. The values at its creation, which determine its address. */
    timelock: z
      .strictObject({
        minDelaySec: z.int().min(1).max(MAX_DELAY_SEC),
        /** May schedule and cancel. */
        proposers: members,
        /** May execute after the delay. */
        executors: members,
      })
      .nullable(),
    apiPayers: z.array(address).min(1, 'is empty').max(50, 'has more than 50 addresses'),
    /** One of the api payers. */
    adminApiPayer: address,
    /** May freeze the api payers. null: only the owner. */
    guardian: address.nullable(),
    /** Conversions per UTC day. null: no limit. */
    conversionLimit: z.int().min(0).nullable(),
    consentRequired: z.boolean(),
    /** null: only the owner. */
    configOperator: address.nullable(),
    pricingOperator: address.nullable(),
    /** Values by setting, as nodeConfigurationValue returns them. */
    nodeConfiguration: z.record(z.string().min(1), z.string().min(1)),
    /** Number of blocks, the transaction's own included, after which the result is checked. */
    confirmations: z.int().min(1).max(1_000),
    /** Base URL of a block explorer, or null. */
    explorer: z.url().nullable(),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string[], message: string) =>
      issues.push({ code: 'custom', path, message, input: value });
    const { apiPayers, adminApiPayer, deployer, owner, timelock, guardian } = value;
    const twice = apiPayers.find((payer, index) => apiPayers.indexOf(payer) !== index);
    if (twice) refuse(['apiPayers'], `has ${twice} twice`);
    if (!apiPayers.includes(adminApiPayer)) refuse(['adminApiPayer'], 'is not one of apiPayers');
    if (apiPayers.includes(deployer)) refuse(['deployer'], 'is one of apiPayers');
    if (apiPayers.includes(owner)) refuse(['owner'], 'is one of apiPayers');
    if (guardian && apiPayers.includes(guardian)) refuse(['guardian'], 'is one of apiPayers');
    if (timelock && !guardian) refuse(['guardian'], 'is null: a timelock cannot freeze without a delay');
    for (const role of ['proposers', 'executors'] as const)
      if (timelock && !timelock[role].includes(owner))
        refuse(['timelock', role], 'does not contain the owner');
  });

export type Network = z.output<typeof network> & { chainId: number };

/** Returns the entry of a network by its name or chain id. Throws an InputError that lists all mistakes in it. */
export function readNetwork(file: string, nameOrChainId: string): Network {
  const entries = Object.entries(
    JSON.parse(readFileSync(file, 'utf8')) as Record<string, { name?: unknown }>,
  );
  const found = entries.filter(([id, { name }]) => id === nameOrChainId || name === nameOrChainId);
  const [entry, other] = found;
  if (!entry) {
    const names = entries.map(([id, { name }]) => `${name} (${id})`).join(', ');
    throw new InputError(`${file} has no network ${nameOrChainId}; it has ${names}`);
  }
  if (other) throw new InputError(`${file} has two networks ${nameOrChainId}`);
  if (!/^[1-9]\d{0,14}$/.test(entry[0])) throw new InputError(`${entry[0]} is not a chain id`);
  const chainId = Number(entry[0]);
  const parsed = network.safeParse(entry[1], {
    error: ({ input }) => (input === undefined ? 'is missing' : undefined),
  });
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`);
    throw new InputError([`${file}, network ${nameOrChainId}:`, ...mistakes].join('\n'));
  }
  if (chainId !== LOCAL_CHAIN_ID && parsed.data.owner === parsed.data.deployer)
    throw new InputError(`${file}, network ${nameOrChainId}:\n  owner is the deployer`);
  return { chainId, ...parsed.data };
}

/** Throws for a public network without a guardian: a stolen payer key could be stopped only by the owner, with its delay. */
export function requireGuardian({ chainId, name, guardian }: Network): void {
  if (chainId === LOCAL_CHAIN_ID || guardian !== null) return;
  throw new InputError(
    `${name} has no guardian: enter one that can freeze the api payers immediately, or pass --without-guardian`,
  );
}

export function readRpcUrl(): string {
  const url = process.env.RPC_URL;
  if (!url)
    throw new InputError('RPC_URL is missing in the environment: set it to the URL of a node of the chain');
  return url;
}

/** Returns the key in a variable of the environment, which must be the key of this address. */
export function readKey(variable: 'DEPLOYER_KEY' | 'OWNER_KEY', address: Address): Hex {
  const key = process.env[variable];
  if (!key)
    throw new InputError(`${variable} is missing in the environment: set it to the key of ${address}`);
  if (!isHex(key) || size(key) !== 32) throw new InputError(`${variable} is not 0x and 64 hex digits`);
  const found = privateKeyToAddress(key);
  if (found !== address) throw new InputError(`${variable} is the key of ${found}, not of ${address}`);
  return key;
}

/** Returns OWNER_KEY, undefined when it is not set. */
export function readOwnerKey({ name, owner, isTestnet }: Network): Hex | undefined {
  if (!process.env.OWNER_KEY) return undefined;
  if (!isTestnet)
    throw new InputError(
      `OWNER_KEY is for test networks: ${name} has no "isTestnet": true. Unset it and use a Safe`,
    );
  return readKey('OWNER_KEY', owner);
}
