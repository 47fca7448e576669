import { Checkbox } from '@mantine/core';
import { WalletIcon } from 'lucide-react';
import { useState } from 'react';
import { permitsWallet } from '../access.ts';
import { visible } from '../components/api-words.ts';
import { DialogButton } from '../components/dialog.tsx';
import { check, Form, LabelFields } from '../components/form.tsx';
import { List } from '../components/list.tsx';
import { LoadedAll, NameLine, Names, nameCell } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { Dimmed } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { groupFilter, type ListedGroup, type ListedWallet, nameOfGroup, nameOfWallet } from '../names.ts';
import { useGroups, useWallets } from '../queries.ts';
import { useWrite } from '../session/write.tsx';

export default function Wallets() {
  const queries = { wallets: useWallets(), groups: useGroups() };
  const create = (
    <DialogButton label={t('New wallet')} variant="filled">
      {(close) => <NewWallet onDone={close} />}
    </DialogButton>
  );
  return (
    <Page
      title={t('Wallets')}
      about={t(
        'Actions use wallets: they sign and encrypt with keys that no one stores. A group permits which action uses which wallet.',
      )}
      action={create}
    >
      <LoadedAll queries={queries}>
        {({ wallets, groups }) =>
          wallets.length === 0 ? (
            <EmptyState icon={WalletIcon} title={t('No wallets yet')} action={create}>
              {t(
                'Create a wallet and add it to a group with the actions that may use it. Its address works on every EVM chain.',
              )}
            </EmptyState>
          ) : (
            <WalletList wallets={wallets} groups={groups} />
          )
        }
      </LoadedAll>
    </Page>
  );
}

function WalletList({ wallets, groups }: { wallets: ListedWallet[]; groups: ListedGroup[] }) {
  const nameOf = ({ walletAddress }: ListedWallet) => nameOfWallet(wallets, walletAddress);
  return (
    <List
      label={t('Wallets')}
      items={wallets}
      rowKey={({ walletAddress }) => walletAddress}
      minWidth={640}
      texts={(wallet) => [nameOf(wallet), wallet.description, wallet.walletAddress]}
      filters={[
        groupFilter(groups, ({ walletAddress }: ListedWallet, group) => permitsWallet(group, walletAddress)),
      ]}
      columns={[
        {
          title: t('Name'),
          props: nameCell,
          sort: ['name', nameOf],
          cell: (wallet) => (
            <NameLine note={wallet.description && visible(wallet.description)}>
              <TextLink to="/wallets/$address" params={{ address: wallet.walletAddress }} fw={500}>
                {nameOf(wallet)}
              </TextLink>
            </NameLine>
          ),
        },
        {
          title: t('Address'),
          sort: ['address', ({ walletAddress }) => walletAddress.toLowerCase()],
          cell: ({ walletAddress }) => <Identifier value={walletAddress} label={t('Copy the address')} />,
        },
        {
          title: t('Private key'),
          cell: ({ exportable }) => <Dimmed>{exportable ? t('Exportable') : t('Signs only')}</Dimmed>,
        },
        {
          title: t('Groups'),
          cell: ({ walletAddress }) => (
            <Names
              names={groups.filter((group) => permitsWallet(group, walletAddress)).map(nameOfGroup)}
              none={t('No group')}
            />
          ),
        },
      ]}
    />
  );
}

function NewWallet({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const [labels, setLabels] = useState({ name: '', description: '' });
  const [exportable, setExportable] = useState(true);
  const send = () =>
    write({
      title: t('Create the wallet'),
      done: t('The wallet was created.'),
      prepare: (client) => client.prepare.createWallet({ ...labels, exportable }),
      refresh: ['wallets'],
    });
  return (
    <Form label={t('Create the wallet')} send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
      <Checkbox
        label={t('Actions can get the private key')}
        description={t('Without it they can only sign and encrypt. This cannot be changed later.')}
        {...check(exportable, setExportable)}
      />
    </Form>
  );
}
