/** Random writes. */
import type { ConsentType } from '@latchkey/protocol';
import type { Address, Hex } from 'viem';
import type { Call } from './abi.ts';
import type { Choices } from './choices.ts';
import type { Model } from './model.ts';
import { type Consented, consentDigestOf, digestOf } from './model-signed.ts';
import * as pools from './pools.ts';
import type { Random } from './random.ts';
import { CONTRACT_WALLET, CONTRACT_WALLET_OWNER, type Signed, signAs } from './signatures.ts';
import { type Account, identityOf, LISTS, NOBODY } from './state.ts';

export type Draft = { caller: Address; call: Call };

/** Writes of focused sequences. */
const CONTENTS = new Set([
  'addAction',
  'removeAction',
  'addActionToGroup',
  'removeActionFromGroup',
  'addPkpToGroup',
  'removePkpFromGroup',
  'addToGroup',
  'removeFromGroup',
  'removeWalletDerivation',
  'updateGroup',
  'removeGroup',
  'executeSigned',
]);

/** Writes that are made of others. */
const COMPOSED = new Set(['multicall', 'executeSigned']);

/**
 * Returns the generators of writes.
 *
 * @param view Generates a view, for calls among writes.
 */
export function writesFor(
  model: Model,
  random: Random,
  choices: Choices,
  view: () => Call,
  isFocused: boolean,
): () => Draft {
  const { pick, chance, int } = random;
  const {
    anyone,
    newAdmin,
    wallet,
    labels,
    text,
    some,
    waiting,
    managed,
    asMaster,
    asPermitted,
    groupId,
    groupOf,
    cid,
    pkp,
    contents,
    knownPkp,
    usageHash,
    permissionList,
    expiration,
    path,
    payer,
    role,
    configurationKey,
  } = choices;

  const draft = (caller: Address, name: string, ...args: unknown[]): Draft => ({
    caller,
    call: { name, args },
  });
  const writes: Record<string, [weight: number, () => Draft]> = {
    newChainSecuredAccount: [4, () => draft(wallet(), 'newChainSecuredAccount', ...labels())],
    newAccount: [
      5,
      () => {
        const opened = [...model.state.openedKeyHashes];
        const hash =
          opened.length > 0 && chance(0.25) ? pools.twin(pick(opened)) : pick(pools.ACCOUNT_HASHES);
        return draft(payer(), 'newAccount', hash, !chance(0.03), ...labels(), newAdmin());
      },
    ],
    convertToChainSecuredAccount: [
      2,
      () => {
        const { hash } = chance(0.7) ? managed() : asMaster();
        return draft(converter(), 'convertToChainSecuredAccount', hash, newAdmin());
      },
    ],
    convertWithConsent: [
      2,
      () => {
        const { hash, account } = chance(0.8) ? managed() : asMaster();
        const consented = { apiKeyHash: hash, newAdminWalletAddress: newAdmin(), deadline: deadline() };
        const consent = consentOf(account, 'ConvertToChainSecuredAccount', consented);
        const { newAdminWalletAddress } = consented;
        return draft(
          converter(),
          'convertWithConsent',
          hash,
          newAdminWalletAddress,
          consented.deadline,
          consent,
        );
      },
    ],
    transferChainSecuredAccountOwnership: [
      3,
      () => {
        const { hash, account, caller } = asMaster();
        const to = account !== undefined && chance(0.1) ? account.admin : newAdmin();
        return draft(caller, 'transferChainSecuredAccountOwnership', hash, to);
      },
    ],
    acceptAccount: [
      2,
      () => {
        const { hash, caller } = waiting();
        return draft(caller, 'acceptAccount', hash);
      },
    ],
    cancelTransfer: [
      4,
      () => {
        const { hash, account, caller } = waiting();
        const giver = account?.giver ?? NOBODY;
        return draft(giver !== NOBODY && chance(0.6) ? giver : caller, 'cancelTransfer', hash);
      },
    ],
    rotateAccountKey: [
      2.5,
      () => {
        const { hash, account, caller } = chance(0.8) ? managed() : asMaster();
        const taken = chance(0.1) ? pick(pools.ALL_HASHES) : usageHash(account);
        const newHash = chance(0.6) ? BigInt(int(1_000_000_000)) : chance(0.4) ? identityOf(wallet()) : taken;
        const consented = {
          apiKeyHash: hash,
          newApiKeyHash: newHash,
          newAdminWalletAddress: newAdmin(),
          deadline: deadline(),
        };
        const consent = consentOf(account, 'RotateAccountKey', consented);
        return draft(caller, 'rotateAccountKey', ...Object.values(consented), consent);
      },
    ],
    retireAccount: [
      0.7,
      () => {
        const { hash, caller } = chance(0.3) ? waiting() : asMaster();
        return draft(caller, 'retireAccount', hash);
      },
    ],
    retireManagedAccount: [
      0.7,
      () => {
        const { hash, account, caller } = chance(0.8) ? managed() : asMaster();
        const consented = { apiKeyHash: hash, deadline: deadline() };
        const consent = consentOf(account, 'RetireManagedAccount', consented);
        return draft(caller, 'retireManagedAccount', hash, consented.deadline, consent);
      },
    ],
    setUsageApiKey: [
      12,
      () => {
        const { hash, account, caller } = asMaster();
        const flags = [chance(0.5), chance(0.5), chance(0.5)];
        const lists = LISTS.map(() => permissionList(account));
        const balance = pick([0n, 5n, 2n ** 256n - 1n]);
        const key = usageHash(account);
        return draft(
          caller,
          'setUsageApiKey',
          hash,
          key,
          expiration(),
          balance,
          ...labels(),
          ...flags,
          ...lists,
        );
      },
    ],
    updateUsageApiKeyMetadata: [
      1,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'updateUsageApiKeyMetadata', hash, usageHash(account), ...labels());
      },
    ],
    removeUsageApiKey: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeUsageApiKey', hash, usageHash(account));
      },
    ],
    setUsageApiKeyExpiration: [
      1.5,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'setUsageApiKeyExpiration', hash, usageHash(account), expiration());
      },
    ],
    rotateUsageApiKey: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        const newHash = chance(0.6) ? pick(pools.USAGE_HASHES) : chance(0.5) ? identityOf(wallet()) : 77n;
        return draft(caller, 'rotateUsageApiKey', hash, usageHash(account), newHash);
      },
    ],
    removeAllUsageApiKeys: [
      0.7,
      () => {
        const { hash, caller } = asMaster();
        return draft(caller, 'removeAllUsageApiKeys', hash);
      },
    ],
    addToGroup: [
      4,
      () => {
        const { hash, account, caller } = asPermitted();
        const cids = contents(() => cid(account));
        return draft(
          caller,
          'addToGroup',
          hash,
          groupId(account),
          cids,
          contents(() => knownPkp(account)),
        );
      },
    ],
    removeFromGroup: [
      3,
      () => {
        const { hash, account, caller } = asPermitted();
        const id = groupId(account);
        const group = groupOf(account, id);
        const cids = contents(() => cid(account, group));
        return draft(
          caller,
          'removeFromGroup',
          hash,
          id,
          cids,
          contents(() => pkp(account, group)),
        );
      },
    ],
    addGroup: [
      11,
      () => {
        const { hash, account, caller } = asPermitted();
        const cids = contents(() => cid(account));
        return draft(
          caller,
          'addGroup',
          hash,
          ...labels(),
          cids,
          contents(() => knownPkp(account)),
        );
      },
    ],
    updateGroup: [
      5,
      () => {
        const { hash, account, caller } = asMaster();
        const cids = contents(() => cid(account));
        const pkps = contents(() => knownPkp(account));
        return draft(caller, 'updateGroup', hash, groupId(account), ...labels(), cids, pkps);
      },
    ],
    updateGroupMetadata: [
      1,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'updateGroupMetadata', hash, groupId(account), ...labels());
      },
    ],
    removeGroup: [
      5,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'removeGroup', hash, groupId(account));
      },
    ],
    addAction: [
      4,
      () => {
        const { hash, account, caller } = asMaster();
        const action = chance(0.8) ? pick(pools.CID_HASHES) : cid(account);
        return draft(caller, 'addAction', hash, ...labels(), action);
      },
    ],
    removeAction: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeAction', hash, cid(account));
      },
    ],
    updateActionMetadata: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        const id = chance(0.5) ? 0n : groupId(account);
        return draft(
          caller,
          'updateActionMetadata',
          hash,
          cid(account, groupOf(account, id)),
          id,
          ...labels(),
        );
      },
    ],
    addActionToGroup: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'addActionToGroup', hash, groupId(account), cid(account));
      },
    ],
    removeActionFromGroup: [
      4,
      () => {
        const { hash, account, caller } = asPermitted();
        const id = groupId(account);
        return draft(caller, 'removeActionFromGroup', hash, id, cid(account, groupOf(account, id)));
      },
    ],
    registerWalletDerivation: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        const wallet = chance(0.9) ? pick(pools.PKP_IDS) : pkp(account);
        return draft(caller, 'registerWalletDerivation', hash, wallet, path(account), ...labels());
      },
    ],
    removeWalletDerivation: [
      2,
      () => {
        const { hash, account, caller } = asMaster();
        return draft(caller, 'removeWalletDerivation', hash, pkp(account));
      },
    ],
    addPkpToGroup: [
      8,
      () => {
        const { hash, account, caller } = asPermitted();
        return draft(caller, 'addPkpToGroup', hash, groupId(account), pkp(account));
      },
    ],
    removePkpFromGroup: [
      4,
      () => {
        const { hash, account, caller } = asPermitted();
        const id = groupId(account);
        return draft(caller, 'removePkpFromGroup', hash, id, pkp(account, groupOf(account, id)));
      },
    ],
    multicall: [4, () => multicall(2)],
    executeSigned: [7, () => signed()],
    cancelNonce: [
      1,
      () => {
        const { hash, caller } = asMaster();
        const by = wallet();
        return chance(0.5)
          ? draft(caller, 'cancelNonce', hash, nonce())
          : draft(by, 'cancelNonce', identityOf(by), nonce());
      },
    ],
    unknownFunction: [0.3, () => draft(anyone(), 'unknownFunction', unknownData())],

    setApiPayers: [
      1.6,
      () => {
        const payers = new Set(some(3, () => pick([...model.state.apiPayers, ...pools.ACTORS])));
        const odd = chance(0.15)
          ? [pick([NOBODY, NOBODY, ...payers])]
          : chance(0.3)
            ? Array.from({ length: pick([47, 51]) }, (_, i) => pools.addressOf(BigInt(0xa000 + i)))
            : [];
        return draft(chance(0.8) ? model.state.owner : anyone(), 'setApiPayers', [...payers, ...odd]);
      },
    ],
    setGuardian: [0.4, () => draft(role(NOBODY), 'setGuardian', newAdmin())],
    freezePayers: [0.6, () => draft(role(model.state.guardian), 'freezePayers')],
    unfreezePayers: [1.5, () => draft(chance(0.8) ? model.state.owner : anyone(), 'unfreezePayers')],
    setConversionLimit: [3, () => draft(role(NOBODY), 'setConversionLimit', pick([0n, 0n, 1n, 2n ** 64n]))],
    setConsentRequired: [1, () => draft(role(NOBODY), 'setConsentRequired', chance(0.3))],
    setAdminApiPayerAccount: [
      0.3,
      () => draft(role(model.state.configOperator), 'setAdminApiPayerAccount', anyone()),
    ],
    setConfigOperator: [0.3, () => draft(role(model.state.configOperator), 'setConfigOperator', newAdmin())],
    setPricingOperator: [
      0.3,
      () => draft(role(model.state.pricingOperator), 'setPricingOperator', newAdmin()),
    ],
    setPricing: [
      0.5,
      () => draft(role(model.state.pricingOperator), 'setPricing', BigInt(int(3)), BigInt(int(5))),
    ],
    setNodeConfiguration: [
      2,
      () => {
        const value = chance(0.3) ? '' : chance(0.05) ? 'x'.repeat(1025) : text(1024);
        return draft(role(model.state.configOperator), 'setNodeConfiguration', configurationKey(), value);
      },
    ],
    transferOwnership: [
      0.4,
      () =>
        draft(
          chance(0.8) ? model.state.owner : anyone(),
          'transferOwnership',
          chance(0.2) ? NOBODY : newAdmin(),
        ),
    ],
    acceptOwnership: [0.3, () => accept()],
  };

  function accept(): Draft {
    const { pendingOwner } = model.state;
    return draft(pendingOwner === NOBODY || chance(0.2) ? anyone() : pendingOwner, 'acceptOwnership');
  }
  const unknownData = (): Hex => pick(['0x', '0x12345678', '0xdeadbeef00']);

  /** Returns several calls by the caller of the first; one revert undoes all. */
  function multicall(depth: number): Draft {
    const first = write(depth - 1);
    const others = some(3, () => {
      if (chance(0.1)) return view();
      const other = write(depth - 1);
      return other.caller === first.caller || chance(0.1) ? other.call : undefined;
    });
    const calls = [first.call, ...others].filter((call) => call !== undefined);
    return draft(first.caller, 'multicall', chance(0.02) ? [] : calls);
  }

  const nonce = (): bigint => (chance(0.1) ? 2n ** 256n - 1n : BigInt(int(20)));
  const deadline = (): bigint => (chance(0.05) ? model.now - 1n : pick([model.now, 2n ** 256n - 1n]));
  const converter = (): Address => (chance(0.2) ? model.state.owner : payer());

  /** Returns the consent of the holder of the account key, sometimes of another one, or to another call. */
  function consentOf(account: Account | undefined, type: ConsentType, message: Consented): Signed {
    const holder = account === undefined || chance(0.05) ? anyone() : account.admin;
    const isOther = chance(0.05);
    const consented = isOther ? { ...message, apiKeyHash: message.apiKeyHash ^ 1n } : message;
    return signedBy(holder, consentDigestOf(model.contract, type, consented), isOther);
  }

  /** @param isOther True for the digest of another call than the one that the signature is sent with. */
  function signedBy(wallet: Address, digest: Hex, isOther: boolean): Signed {
    const name = pools.nameOf(wallet);
    if (name === undefined || chance(0.03)) return { signature: '0x', signer: undefined };
    return { signature: signAs(name, digest), signer: isOther ? undefined : pools.signingKeyOf(wallet) };
  }

  /** Returns writes of one account that its admin signs and anyone submits. */
  function signed(): Draft {
    let first = write(0);
    const isSecured = () => model.namedInWrite(first.call.args[0] as bigint)?.account.managed === false;
    for (let i = 0; i < 6 && !isSecured() && first.call.name !== 'newChainSecuredAccount'; i++)
      first = write(0);
    const isOpening = first.call.name === 'newChainSecuredAccount';
    const [argument] = first.call.args;
    const hash = isOpening
      ? identityOf(first.caller)
      : typeof argument === 'bigint'
        ? argument
        : pick(pools.ALL_HASHES);
    const others = some(2, () => {
      const { call } = write(0);
      return call.args[0] === hash || chance(0.05) ? call : undefined;
    });
    const calls = [first.call, ...others].filter((call) => call !== undefined);
    if (chance(0.02)) calls.length = 0;
    if (chance(0.02)) calls.push(...Array.from({ length: 16 }, () => first.call));
    const limits = [nonce(), deadline()] as const;
    const named = chance(0.02) ? pick(pools.ALL_HASHES) : hash;
    const signer = chance(0.03) ? anyone() : first.caller;
    return draft(
      anyone(),
      'executeSigned',
      named,
      signer,
      calls,
      ...limits,
      signature(signer, calls, limits),
    );
  }

  /** Returns the signature of a wallet, or of one with the same key, sometimes for a digest that names the other. */
  function signature(signer: Address, calls: Call[], limits: readonly [bigint, bigint]): Signed {
    const isUnknown = calls.length === 0 || calls.some((call) => call.name === 'unknownFunction');
    if (isUnknown) return { signature: '0x', signer: undefined };
    const key = pools.signingKeyOf(signer);
    const named = key === CONTRACT_WALLET_OWNER && chance(0.2) ? pick([key, CONTRACT_WALLET]) : signer;
    const wallet = chance(0.05) ? anyone() : signer;
    return signedBy(wallet, digestOf(model.contract, named, calls, ...limits), named !== signer);
  }

  const drawers = Object.entries(writes).filter(([name]) => !isFocused || CONTENTS.has(name));
  const total = drawers.reduce((sum, [, [weight]]) => sum + weight, 0);
  function write(depth = 2): Draft {
    // A pending owner must accept the ownership before the sequence ends.
    if (model.state.pendingOwner !== NOBODY && chance(0.1)) return accept();
    let at = (int(1_000_000) / 1_000_000) * total;
    for (const [name, [weight, make]] of drawers) {
      at -= weight;
      if (at < 0 && (depth > 0 || !COMPOSED.has(name))) return make();
    }
    return write(depth);
  }

  return write;
}
