/** Names of keys, actions and wallets, which runs and the ledger identify by hash, CID and address. */
import { apiKeyHash, cidHash } from '@latchkey/protocol';
import { Group, Text } from '@mantine/core';
import { type ListedUsageKey, nameOfKey, toWord } from '../names.ts';
import { useActions, useUsageKeys, useWallets } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { Links } from './lists.tsx';
import { TextLink } from './text-link.tsx';
import { Identifier } from './values.tsx';

/** A name with the identifier beside it, or the identifier alone when the account has no such item now. */
function Named({ name, value, label }: { name: string | undefined; value: string; label: string }) {
  return (
    <Group gap={0} display="inline-flex" style={{ columnGap: 8, whiteSpace: 'nowrap' }}>
      {name && (
        <Text component="span" size="sm" truncate maw={180} title={name}>
          {name}
        </Text>
      )}
      <Identifier value={value} label={label} />
    </Group>
  );
}

export function useKeyName(): (hash: bigint) => string | undefined {
  const session = useSession();
  const { data = [] } = useUsageKeys();
  const own = session.mode === 'api' ? apiKeyHash(session.accountKey) : undefined;
  return (hash) =>
    hash === own ? 'Account key' : data.find(({ usageKeyHash }) => usageKeyHash === hash)?.name;
}

export function useActionName(): (cid: string) => string | undefined {
  const { data = [] } = useActions();
  return (cid) => {
    const hash = cidHash(cid);
    return data.find((action) => action.cidHash === hash)?.name;
  };
}

export function KeyName({ hash }: { hash: bigint }) {
  const nameOf = useKeyName();
  return <Named name={nameOf(hash)} value={toWord(hash)} label="the hash of the key" />;
}

export function ActionName({ cid }: { cid: string }) {
  const nameOf = useActionName();
  return <Named name={nameOf(cid)} value={cid} label="the CID" />;
}

export function WalletName({ address }: { address: string }) {
  const { data = [] } = useWallets();
  const wallet = data.find(({ walletAddress }) => walletAddress.toLowerCase() === address.toLowerCase());
  return <Named name={wallet?.name} value={address} label="the address" />;
}

/** Links to the pages of usage keys. `none` is said when there are none. */
export function KeyLinks({ keys, none }: { keys: readonly ListedUsageKey[]; none: string }) {
  return (
    <Links items={keys} of="usage keys" none={none}>
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
