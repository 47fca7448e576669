/** Random views, and the views that end a sequence. */
import type { Hex } from 'viem';
import type { Call } from './abi.ts';
import type { Choices } from './choices.ts';
import type { Model } from './model.ts';
import * as pools from './pools.ts';
import type { Random } from './random.ts';
import { CONTRACT_WALLET, DIGESTS } from './signatures.ts';
import { live, NOBODY } from './state.ts';

/**
 * Returns the generators of views.
 *
 * @param signatures Candidates for signature arguments.
 */
export function questionsFor(model: Model, random: Random, choices: Choices, signatures: Hex[]) {
  const { pick, chance, int } = random;
  const { target, groupId, groupOf, cid, pkp, configurationKey } = choices;

  const anyHash = () => (chance(0.7) ? target(0.4).hash : pick(pools.ALL_HASHES));
  const page = () => pick([0n, 0n, 0n, 1n, 2n, 2n ** 256n - 1n]);
  const pageSize = () =>
    chance(0.04) ? pick([0n, 1001n, 2n ** 256n - 1n]) : pick([1n, 3n, 7n, 40n, 100n, 1000n]);
  const permission = (name: string, parts: number) => () => {
    const { hash, account } = target(0.9);
    const group = account === undefined ? undefined : groupOf(account, groupId(account));
    return { name, args: [hash, cid(account, group), pkp(account, group)].slice(0, parts) };
  };
  const list = (name: string) => () => ({ name, args: [anyHash(), page(), pageSize()] });
  const groupList = (name: string) => () => {
    const { hash, account } = target(0.3);
    return { name, args: [hash, groupId(account), page(), pageSize()] };
  };
  const plain = (name: string) => () => ({ name, args: [] });
  const byHash = (name: string) => () => ({ name, args: [anyHash()] });

  const views: (() => Call)[] = [
    permission('canExecuteAction', 2),
    permission('canUseWalletInAction', 3),
    permission('canExecuteActionAndUseWallet', 3),
    permission('explainExecution', 3),
    permission('explainExecution', 3),
    byHash('resolve'),
    byHash('accountState'),
    byHash('accountState'),
    byHash('accountExistsAndIsMutable'),
    byHash('getAccountWalletAddress'),
    byHash('allApiKeyHashesToMaster'),
    byHash('listSizes'),
    list('listApiKeys'),
    list('listGroups'),
    list('listPkps'),
    list('listActions'),
    groupList('listActionsInGroup'),
    groupList('listWalletsInGroup'),
    () => {
      const { hash, account } = target(0.3);
      return { name: 'listGroupContents', args: [hash, groupId(account)] };
    },
    () => {
      const { hash, account } = target(0.3);
      return { name: 'getWalletDerivation', args: [hash, pkp(account)] };
    },
    () => {
      const known = [...model.state.pathOwners.keys()];
      return {
        name: pick(['getPathOwnerMaster', 'isPathRegistered']),
        args: [known.length > 0 && chance(0.7) ? pick(known) : pick(pools.PATHS)],
      };
    },
    () => {
      const wallet = chance(0.1) ? NOBODY : pick([...pools.WALLETS.slice(0, 3), CONTRACT_WALLET]);
      return { name: 'isValidWalletSignature', args: [wallet, pick(DIGESTS), pick(signatures)] };
    },
    () => ({ name: 'isValidAccountSignature', args: [anyHash(), pick(DIGESTS), pick(signatures)] }),
    () => ({ name: 'isNonceUsed', args: [anyHash(), BigInt(int(20))] }),
    () => ({ name: 'conversionsToday', args: [pick(pools.ACTORS)] }),
    () => {
      const { hash, account } = target(0.1);
      const removeAll = { name: 'removeAllUsageApiKeys', args: [hash] };
      const removeGroup = { name: 'removeGroup', args: [hash, groupId(account)] };
      const calls = [removeAll, removeGroup, removeAll].slice(0, int(4));
      const limits = [BigInt(int(20)), model.now];
      return { name: 'hashSignedWrites', args: [hash, pick(pools.WALLETS), calls, ...limits] };
    },
    () => ({ name: 'getPricing', args: [BigInt(int(3))] }),
    () => ({ name: 'nodeConfigurationValue', args: [configurationKey()] }),
  ];
  const settings = [
    'api_payers',
    'adminApiPayerAccount',
    'pricingOperator',
    'guardian',
    'payersFrozen',
    'conversionLimit',
    'consentRequired',
    'configOperator',
    'owner',
    'pendingOwner',
    'accountCount',
    'pkpCount',
    'nodeConfigurationValues',
    'eip712Domain',
  ].map((name) => plain(name)());

  const view = (): Call => (chance(0.1) ? pick(settings) : pick(views)());

  /** Returns views of every setting, every hash, every list of every account, and of the permissions of every key. */
  function closing(): Call[] {
    const calls: Call[] = [...settings];
    for (const hash of pools.ALL_HASHES) {
      calls.push({ name: 'resolve', args: [hash] }, { name: 'accountState', args: [hash] });
    }
    for (const hash of model.state.rotatedKeys.keys()) calls.push({ name: 'accountState', args: [hash] });
    for (const account of model.state.accounts.values()) {
      const hash = account.masterHash;
      calls.push({ name: 'listSizes', args: [hash] });
      for (const name of ['listApiKeys', 'listGroups', 'listPkps', 'listActions']) {
        calls.push({ name, args: [hash, 0n, name === 'listApiKeys' ? 20n : 1000n] });
      }
      const ids = new Set(Array.from({ length: Math.min(account.groups.length, 8) }, () => groupId(account)));
      for (const id of ids) calls.push({ name: 'listGroupContents', args: [hash, id] });
      for (const key of live(account.usageKeys)) {
        for (let i = 0; i < 3; i++) {
          const group = groupOf(account, groupId(account));
          calls.push({
            name: 'explainExecution',
            args: [key.hash, cid(account, group), pkp(account, group)],
          });
        }
      }
    }
    for (let i = 0; i < 10; i++) calls.push(pick(views)());
    return calls;
  }

  return { view, closing };
}
