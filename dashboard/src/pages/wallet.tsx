/** One wallet: its balance, who can use it, and what it did. */
import { useParams } from '@tanstack/react-router';
import type { Address } from 'viem';
import { keysThatRun, permitsWallet } from '../access.ts';
import { visible } from '../components/api-words.ts';
import { CreditAccess } from '../components/credit-access.tsx';
import { GroupsOfWallet } from '../components/groups-of.tsx';
import { DataTable, LoadedAll } from '../components/lists.tsx';
import { ActionLink, KeyLinks } from '../components/names.tsx';
import { Missing, Page } from '../components/page.tsx';
import { Dimmed, Section } from '../components/section.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { type AccountLists, type ListedWallet, nameOfWallet } from '../names.ts';
import { useAccountLists } from '../queries.ts';
import { Balance } from './wallets/balance.tsx';
import { KeyReleases } from './wallets/key-releases.tsx';
import { Transactions } from './wallets/transactions.tsx';

export default function OneWallet() {
  const { address } = useParams({ from: '/wallets/$address' });
  return (
    <LoadedAll<AccountLists> queries={useAccountLists()}>
      {(lists) => {
        const wallet = lists.wallets.find(
          ({ walletAddress }) => walletAddress.toLowerCase() === address.toLowerCase(),
        );
        return wallet ? (
          <Details key={wallet.walletAddress} wallet={wallet} lists={lists} />
        ) : (
          <Missing
            title={t('There is no such wallet')}
            why={t('The account has no wallet with this address.')}
            to="/wallets"
          />
        );
      }}
    </LoadedAll>
  );
}

function Details({ wallet, lists }: { wallet: ListedWallet; lists: AccountLists }) {
  const { walletAddress: address, description, exportable } = wallet;
  return (
    <Page
      title={nameOfWallet(lists.wallets, address)}
      about={
        <>
          {description && `${visible(description)} · `}
          {t('Address {id}', { id: <Identifier value={address} label={t('Copy the address')} /> })}
          {!exportable && <> · {t('Signs only')}</>}
        </>
      }
    >
      <Section title={t('Balance')}>
        <Balance address={address} />
      </Section>
      <Section title={t('Groups')}>
        <GroupsOfWallet address={address} groups={lists.groups} />
      </Section>
      <Section
        title={t('Who can use it')}
        about={t('Usage keys, by the actions that they run with this wallet.')}
      >
        <Uses address={address} {...lists} />
      </Section>
      <CreditAccess>
        <Section title={t('Transactions')}>
          <Transactions wallet={address} />
        </Section>
        <Section title={t('Key releases')}>
          <KeyReleases wallet={address} />
        </Section>
      </CreditAccess>
    </Page>
  );
}

function Uses({ address, groups, keys, actions }: AccountLists & { address: Address }) {
  const having = groups.filter((group) => permitsWallet(group, address));
  const hashes = [...new Set(having.flatMap(({ cidHashes }) => cidHashes))];
  if (hashes.length === 0)
    return <Dimmed>{t('No action can use it. Add it to a group that has one.')}</Dimmed>;
  return (
    <DataTable
      label={t('Who can use it')}
      items={hashes}
      isPaged
      rowKey={String}
      minWidth={420}
      columns={[
        { title: t('Action'), cell: (hash) => <ActionLink actions={actions} hash={hash} /> },
        {
          title: t('Usage keys'),
          cell: (hash) => (
            <KeyLinks keys={keysThatRun(keys, groups, hash, address)} none={t('No usage key')} />
          ),
        },
      ]}
    />
  );
}
