/** Names of keys, actions and wallets, which runs and the ledger identify by hash, CID and address, and links to their pages. */
import { apiKeyHash, cidHash } from '@latchkey/protocol';
import { Group, Text } from '@mantine/core';
import { type Address, zeroAddress } from 'viem';
import { t } from '../i18n.ts';
import {
  type ListedAction,
  type ListedGroup,
  type ListedUsageKey,
  type ListedWallet,
  nameOfAction,
  nameOfKey,
  nameOfWallet,
  namesOfGroups,
  toWord,
} from '../names.ts';
import { useActions, useUsageKeys, useWallets } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { visible } from './api-words.ts';
import { Links } from './lists.tsx';
import { TextLink } from './text-link.tsx';
import { Identifier } from './values.tsx';

/** A name with the identifier beside it, or the identifier alone when the account has no such item now. Without a page it is plain text. */
function Named({
  name,
  value,
  label,
  to,
  search,
}: {
  name: string | undefined;
  value: string;
  label: string;
  to?: string | undefined;
  search?: object | undefined;
}) {
  const shown = { size: 'sm', truncate: true, maw: 180, title: name } as const;
  return (
    <Group gap={0} display="inline-flex" style={{ columnGap: 8, whiteSpace: 'nowrap' }}>
      {name &&
        (to === undefined ? (
          <Text component="span" {...shown}>
            {name}
          </Text>
        ) : (
          <TextLink to={to} search={search as never} {...shown}>
            {name}
          </TextLink>
        ))}
      <Identifier value={value} label={label} />
    </Group>
  );
}

/** The name of a usage key, or of the account key of the session. Undefined for a key that the account does not have now. */
export function useKeyName(): (hash: bigint) => string | undefined {
  const session = useSession();
  const { data = [] } = useUsageKeys();
  const own = session.mode === 'api' ? apiKeyHash(session.accountKey) : undefined;
  return (hash) => {
    if (hash === own) return t('Account key');
    const key = data.find(({ usageKeyHash }) => usageKeyHash === hash);
    return key && nameOfKey(key);
  };
}

export function useActionName(): (cid: string) => string | undefined {
  const { data = [] } = useActions();
  return (cid) => {
    const hash = cidHash(cid);
    const name = data.find((action) => action.cidHash === hash)?.name;
    return name && visible(name);
  };
}

/** `search` are parameters of the page of the key. */
export function KeyName({ hash, search }: { hash: bigint; search?: object }) {
  const nameOf = useKeyName();
  const { data = [] } = useUsageKeys();
  const word = toWord(hash);
  const isListed = data.some(({ usageKeyHash }) => usageKeyHash === hash);
  return (
    <Named
      name={nameOf(hash)}
      value={word}
      label={t('Copy the hash of the key')}
      to={isListed ? `/keys/${word}` : undefined}
      search={search}
    />
  );
}

export function ActionName({ cid }: { cid: string }) {
  const { data = [] } = useActions();
  const hash = cidHash(cid);
  const isListed = data.some((action) => action.cidHash === hash);
  return (
    <Named
      name={isListed ? nameOfAction(data, hash) : undefined}
      value={cid}
      label={t('Copy the CID')}
      to={`/actions/${cid}`}
    />
  );
}

export function WalletName({ address }: { address: string }) {
  const { data = [] } = useWallets();
  const wallet = data.find(({ walletAddress }) => walletAddress.toLowerCase() === address.toLowerCase());
  return (
    <Named
      name={wallet && nameOfWallet(data, wallet.walletAddress)}
      value={address}
      label={t('Copy the address')}
      to={`/wallets/${address}`}
    />
  );
}

/** A link to the page of an action. Hash 0 is every action. */
export function ActionLink({ actions, hash }: { actions: readonly ListedAction[]; hash: bigint }) {
  const name = nameOfAction(actions, hash);
  if (hash === 0n) return name;
  return (
    <TextLink to="/actions/$cid" params={{ cid: toWord(hash) }} size="sm">
      {name}
    </TextLink>
  );
}

/** A link to the page of a wallet. Address 0 is every wallet, and leads to the list. */
export function WalletLink({ wallets, address }: { wallets: readonly ListedWallet[]; address: Address }) {
  const to: string = address === zeroAddress ? '/wallets' : `/wallets/${address}`;
  return (
    <TextLink to={to} size="sm">
      {nameOfWallet(wallets, address)}
    </TextLink>
  );
}

/** Links to the pages of groups by their ids. Id 0 is every group, and leads to the list. */
export function GroupLinks({ ids, groups }: { ids: readonly bigint[]; groups: readonly ListedGroup[] }) {
  const pathOf = (id: bigint): string => (id === 0n ? '/groups' : `/groups/${id}`);
  const names = namesOfGroups(ids, groups);
  return (
    <Links items={[...ids.entries()]} none={t('No group')}>
      {([index, id]) => (
        <TextLink key={String(id)} to={pathOf(id)} size="sm">
          {names[index]}
        </TextLink>
      )}
    </Links>
  );
}

/** Links to the pages of usage keys. `none` is said when there are none. */
export function KeyLinks({ keys, none }: { keys: readonly ListedUsageKey[]; none: string }) {
  return (
    <Links items={keys} none={none}>
      {(key) => (
        <TextLink
          key={String(key.usageKeyHash)}
          to="/keys/$hash"
          params={{ hash: toWord(key.usageKeyHash) }}
          size="sm"
        >
          {nameOfKey(key)}
        </TextLink>
      )}
    </Links>
  );
}
