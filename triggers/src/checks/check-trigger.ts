/** Checks of a new or changed trigger that ask the parser, the relayer and the node of a chain. */
import { badRequest } from '@latchkey/http';
import { cidOf } from '@latchkey/protocol';
import type { Logger } from 'pino';
import { getAddress } from 'viem';
import type { RpcUrls } from '../config.ts';
import type { RelayerClient } from '../relayer-client.ts';
import { type ChainEventConfig, contractsOf } from '../sources/chain-config.ts';
import { openChainRpc } from '../sources/chain-failover.ts';
import { findSyntaxFault } from './syntax.ts';

/** Time for all checks together. */
const DEADLINE_MS = 4_000;

export const warningCodes = [
  'usage_key_unknown',
  'not_permitted',
  'cid_unknown',
  'contract_without_code',
  'not_checked',
] as const;

export type Warning = { code: (typeof warningCodes)[number]; message: string };

/** New parts of a trigger. */
export type Changes = {
  /** New code. */
  code?: string | undefined;
  /** The action and the usage key, when one of them is new. `isKnown` is false for a key that the relayer does not know. */
  action?: { code: string | null; cid: string | null; key: string; isKnown: boolean } | undefined;
  contract?:
    | Pick<ChainEventConfig, 'chain' | 'contract_address' | 'contract_addresses' | 'factory'>
    | undefined;
};

type Options = {
  relayer: Pick<RelayerClient, 'explainExecution'>;
  rpcUrls: RpcUrls;
  log: Logger;
  deadline: AbortSignal;
};

/** Returns the signal that ends the checks of a request. */
export const checkDeadline = () => AbortSignal.timeout(DEADLINE_MS);

/**
 * Resolves to warnings about a trigger that can be stored. Rejects with 400 for code that does not parse. A check without an
 * answer within the deadline becomes a warning.
 */
export async function checkTrigger(
  { code, action, contract }: Changes,
  { relayer, rpcUrls, log, deadline }: Options,
): Promise<Warning[]> {
  const checked = async <T>(subject: string, check: () => Promise<T>): Promise<T | Warning[]> =>
    Promise.race([check(), rejectAt(deadline)]).catch((err: unknown) => {
      log.warn({ err, subject }, 'failed to check a trigger');
      return [{ code: 'not_checked', message: `Not checked, because there was no answer: ${subject}.` }];
    });
  const [syntax, ...found] = await Promise.all([
    code === undefined ? [] : checked('the syntax of action_code', () => findSyntaxFault(code, deadline)),
    action ? checked('the permission of the usage key', () => checkAction(action, relayer, deadline)) : [],
    contract ? checked('the code of the contract', () => checkContract(contract, rpcUrls)) : [],
  ]);
  if (Array.isArray(syntax) || syntax === undefined) return [...(syntax ?? []), ...found.flat()];
  throw badRequest(`body.action_code: line ${syntax.line}, column ${syntax.column}: ${syntax.message}`);
}

async function rejectAt(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function checkAction(
  { code, cid, key, isKnown }: NonNullable<Changes['action']>,
  relayer: Options['relayer'],
  deadline: AbortSignal,
): Promise<Warning[]> {
  const found = isKnown
    ? await relayer.explainExecution(key, cid ?? (await cidOf(code ?? '')), deadline)
    : undefined;
  if (!found)
    return [
      {
        code: 'usage_key_unknown',
        message:
          'The relayer does not know usage_api_key, or it has expired: no run succeeds until it is valid.',
      },
    ];
  const warnings: Warning[] = [];
  if (!found.permitted)
    warnings.push({
      code: 'not_permitted',
      message: `usage_api_key is not permitted to run this action. ${found.explanation}`,
    });
  if (cid !== null && !found.codeStored)
    warnings.push({
      code: 'cid_unknown',
      message:
        'The relayer does not store the code of action_cid: runs fail unless its gateway serves the code. A run of the code itself stores it.',
    });
  return warnings;
}

async function checkContract(
  { chain, ...contract }: NonNullable<Changes['contract']>,
  rpcUrls: Options['rpcUrls'],
): Promise<Warning[]> {
  const rpc = openChainRpc(rpcUrls[chain] ?? []);
  try {
    const found = await Promise.all(
      (contract.factory ? [contract.factory.address] : contractsOf(contract)).map(async (address) => ({
        address,
        hasCode: await rpc.hasCode(address),
      })),
    );
    return found.flatMap(({ address, hasCode }): Warning[] => {
      const message = `There is no contract at ${getAddress(address)} on the chain ${chain}: no event of it fires the trigger until one is deployed.`;
      return hasCode ? [] : [{ code: 'contract_without_code', message }];
    });
  } finally {
    rpc.close();
  }
}
