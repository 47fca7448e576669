import type { Address } from 'viem';
import type { BareClient } from './bare-client.ts';
import type { CallOptions } from './deadline.ts';
import { get } from './http.ts';
import { defaultDeadline } from './write.ts';

/** The chain and the contract that the relayer works on. */
export interface NodeChainConfig {
  chainName: string;
  chainId: number;
  isEvm: true;
  testnet: boolean;
  /** Symbol of the chain's own token. */
  token: string;
  contractAddress: Address;
}

/** The chain and the contract that the relayer works on. */
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

/** The wallets that write for managed accounts. */
export async function getApiPayers(client: BareClient, options?: CallOptions): Promise<Address[]> {
  const { json } = await get(client, '/core/v1/get_api_payers', {
    deadline: defaultDeadline(client, options),
  });
  return json as Address[];
}

/** The payer that is named as their admin. */
export async function getAdminApiPayer(client: BareClient, options?: CallOptions): Promise<Address> {
  const deadline = defaultDeadline(client, options);
  const { json } = await get(client, '/core/v1/get_admin_api_payer', { deadline });
  return json as Address;
}

/** Limits of one run; lengths are bytes of UTF-8. */
export interface SvcActionClientConfig {
  timeoutMs: number;
  memoryLimitMb: number;
  maxCodeLength: number;
  maxResponseLength: number;
  maxConsoleLogLength: number;
  maxFetchCount: number;
  maxGetKeysCount: number;
  maxJsParamsLength: number;
}

/** Limits of one run. */
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
    maxJsParamsLength: json.max_js_params_length,
  };
}

/** What the relayer runs. */
export interface Version {
  name: string;
  version: string;
  commit: string;
}

/** What the relayer runs. */
export async function getVersion(client: BareClient, options?: CallOptions): Promise<Version> {
  const { json } = await get(client, '/core/v1/version', { deadline: defaultDeadline(client, options) });
  return json;
}
