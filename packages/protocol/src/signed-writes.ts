/** The typed data of signed writes (`executeSigned`), as `ISignedWrites` of the contracts describes it. */
import { type Address, decodeFunctionData, type Hex, type TypedDataDomain } from 'viem';
import { TYPED_DATA_NAME, TYPED_DATA_VERSION } from './envelope.ts';
import { accountConfigAbi } from './generated/abi.ts';

type Field = { name: string; type: string };

/** Typed data that wallets can sign (EIP-712). */
export type SignedWritesTypedData = {
  domain: TypedDataDomain;
  types: Record<string, Field[]>;
  primaryType: string;
  message: Record<string, unknown>;
};

export type SignedWrites = {
  chainId: number;
  contractAddress: Address;
  /** Calldata of the writes, in the order of their execution. */
  calls: readonly Hex[];
  /** The admin wallet, or the wallet that opens its account. */
  signer: Address;
  nonce: bigint;
  /** Unix seconds. */
  deadline: bigint;
};

const LIMITS: Field[] = [
  { name: 'signer', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
];

/**
 * Returns the typed data that the admin wallet signs: one write as a struct of its function, several as a struct of such
 * structs. Throws for calldata of no function of the contract.
 */
export function buildSignedWrites({
  chainId,
  contractAddress,
  calls,
  signer,
  nonce,
  deadline,
}: SignedWrites): SignedWritesTypedData {
  const writes = calls.map(describe);
  const limits = { signer, nonce, deadline };
  const domain = domainOf(chainId, contractAddress);
  const [only] = writes;
  if (writes.length === 1 && only) {
    const types = { [only.type]: [...only.fields, ...LIMITS] };
    return { domain, types, primaryType: only.type, message: { ...only.values, ...limits } };
  }
  const members = writes.map(({ type, values }, index) => ({ name: `write${index + 1}`, type, values }));
  return {
    domain,
    types: {
      Writes: [...members.map(({ name, type }) => ({ name, type })), ...LIMITS],
      ...Object.fromEntries(writes.map(({ type, fields }) => [type, fields])),
    },
    primaryType: 'Writes',
    message: { ...Object.fromEntries(members.map(({ name, values }) => [name, values])), ...limits },
  };
}

export function domainOf(chainId: number, verifyingContract: Address): TypedDataDomain {
  return { name: TYPED_DATA_NAME, version: TYPED_DATA_VERSION, chainId, verifyingContract };
}

/** Returns the struct of a write: its function in upper camel case, with the parameters of the function. */
function describe(data: Hex): { type: string; fields: Field[]; values: Record<string, unknown> } {
  const { functionName, inputs, args } = decodeCall(data);
  const type = functionName.charAt(0).toUpperCase() + functionName.slice(1);
  return { type, fields: inputs.map(({ name, type }) => ({ name, type })), values: args };
}

/** Decodes calldata. `args` are by the names of `inputs`. Throws for calldata of no function of the contract. */
export function decodeCall(data: Hex): {
  functionName: string;
  inputs: readonly Field[];
  args: Record<string, unknown>;
} {
  const { functionName, args = [] } = decodeFunctionData({ abi: accountConfigAbi, data });
  const item = accountConfigAbi.find((entry) => entry.type === 'function' && entry.name === functionName);
  const { inputs } = item as { inputs: readonly Field[] };
  return {
    functionName,
    inputs,
    args: Object.fromEntries(inputs.map(({ name }, index) => [name, args[index]])),
  };
}
