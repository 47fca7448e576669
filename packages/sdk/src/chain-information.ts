import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import { type CallOptions, defaultDeadline } from './deadline.ts';
import { get } from './http.ts';

/** The chain and the contract that the relayer uses. */
export interface NodeChainConfig {
  chainName: string;
  chainId: number;
  isEvm: true;
  testnet: boolean;
  /** Symbol of the chain's own token. */
  token: string;
  contractAddress: Address;
}

/** Returns the chain and the contract that the relayer uses. */
export async function getNodeChainConfig(
  client: BareClient,
  options?: CallOptions,
): Promise<NodeChainConfig> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/get_node_chain_config', { deadline });
  return {
    chainName: json.chain_name,
    chainId: json.chain_id,
    isEvm: json.is_evm,
    testnet: json.testnet,
    token: json.token,
    contractAddress: json.contract_address as Address,
  };
}

/** Returns the api payers: the wallets that write to managed accounts. */
export async function getApiPayers(client: BareClient, options?: CallOptions): Promise<Address[]> {
  const { json } = await get(client, '/core/v1/get_api_payers', {
    deadline: defaultDeadline(client, options),
  });
  return json as Address[];
}

/** Returns the admin payer. */
export async function getAdminApiPayer(client: BareClient, options?: CallOptions): Promise<Address> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/get_admin_api_payer', { deadline });
  return json as Address;
}

/** Limits per run. Lengths are UTF-8 bytes. */
export interface SvcActionClientConfig {
  timeoutMs: number;
  memoryLimitMb: number;
  maxCodeLength: number;
  maxResponseLength: number;
  maxConsoleLogLength: number;
  maxFetchCount: number;
  maxGetKeysCount: number;
  maxTransactionCount: number;
  maxJsParamsLength: number;
  /** Address that signs the receipts of this relayer. Trust the one that the contract names. */
  receiptSigner: Address;
}

/** Returns the limits per run. */
export async function getSvcActionClientConfig(
  client: BareClient,
  options?: CallOptions,
): Promise<SvcActionClientConfig> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/get_svc_action_client_config', { deadline });
  return {
    timeoutMs: json.timeout_ms,
    memoryLimitMb: json.memory_limit_mb,
    maxCodeLength: json.max_code_length,
    maxResponseLength: json.max_response_length,
    maxConsoleLogLength: json.max_console_log_length,
    maxFetchCount: json.max_fetch_count,
    maxGetKeysCount: json.max_get_keys_count,
    maxTransactionCount: json.max_transaction_count,
    maxJsParamsLength: json.max_js_params_length,
    receiptSigner: json.receipt_signer as Address,
  };
}

/** The version of the relayer. */
export interface Version {
  name: string;
  version: string;
  commit: string;
}

/** Returns the version of the relayer. */
export async function getVersion(client: BareClient, options?: CallOptions): Promise<Version> {
  const { json } = await get(client, '/core/v1/version', { deadline: defaultDeadline(client, options) });
  return json;
}
