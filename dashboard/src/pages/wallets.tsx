import { Checkbox, Group, Text, VisuallyHidden } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { WalletIcon } from 'lucide-react';
import { useState } from 'react';
import type { Address } from 'viem';
import { permitsWallet } from '../access.ts';
import { CreditAccess } from '../components/credit-access.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { check, Form, LabelFields } from '../components/form.tsx';
import { GroupsOfWallet } from '../components/groups-of.tsx';
import { DataTable, LoadedAll, Names, nameCell, WithNote } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { type ListedGroup, type ListedWallet, nameOfGroup, nameOfWallet } from '../names.ts';
import { useGroups, useWallets } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { KeyReleases } from './key-releases.tsx';

export default function Wallets() {
  const { address } = useSearch({ from: '/wallets' });
  const queries = { wallets: useWallets(), groups: useGroups() };
  const create = (
    <DialogButton label="New wallet" variant="filled">
      {(close) => <NewWallet onDone={close} />}
    </DialogButton>
  );
  return (
    <Page
      title="Wallets"
      about="Actions use wallets: they sign and encrypt with keys that no one stores. A group permits which action uses which wallet."
      action={create}
    >
      <LoadedAll queries={queries}>
        {({ wallets, groups }) =>
          wallets.length === 0 ? (
            <EmptyState icon={WalletIcon} title="No wallets yet" action={create}>
              Create a wallet and add it to a group with the actions that may use it. Its address works on
              every EVM chain.
            </EmptyState>
          ) : address === undefined ? (
            <WalletTable wallets={wallets} groups={groups} />
          ) : (
            <OneWallet address={address} wallets={wallets} groups={groups} />
          )
        }
      </LoadedAll>
    </Page>
  );
}

type Lists = { wallets: ListedWallet[]; groups: ListedGroup[] };

/** Pages of other items link to a wallet by its address. */
function OneWallet({ address, wallets, groups }: Lists & { address: string }) {
  const found = wallets.filter(({ walletAddress }) => walletAddress.toLowerCase() === address.toLowerCase());
  return (
    <>
      {found.length > 0 ? (
        <WalletTable wallets={found} groups={groups} />
      ) : (
        <Text size="sm">The account has no wallet with this address.</Text>
      )}
      <TextLink to="/wallets" size="sm">
        Show all wallets
      </TextLink>
    </>
  );
}

function WalletTable({ wallets, groups }: Lists) {
  return (
    <DataTable
      label="Wallets"
      items={wallets}
      of="wallets"
      rowKey={({ walletAddress }) => walletAddress}
      minWidth={640}
      columns={[
        {
          title: 'Name',
          props: nameCell,
          cell: ({ walletAddress, description }) => (
            <WithNote note={description}>{nameOfWallet(wallets, walletAddress)}</WithNote>
          ),
        },
        {
          title: 'Address',
          cell: ({ walletAddress, exportable }) => (
            <WithNote note={!exportable && 'Signs only'}>
              <Identifier value={walletAddress} label="the address" />
            </WithNote>
          ),
        },
        {
          title: 'Groups',
          cell: ({ walletAddress }) => (
            <Names
              names={groups.filter((group) => permitsWallet(group, walletAddress)).map(nameOfGroup)}
              none="No group"
            />
          ),
        },
        {
          title: <VisuallyHidden>Changes</VisuallyHidden>,
          ta: 'right',
          cell: ({ walletAddress }) => (
            <Dialogs address={walletAddress} name={nameOfWallet(wallets, walletAddress)} groups={groups} />
          ),
        },
      ]}
    />
  );
}

function Dialogs({ address, name, groups }: { address: Address; name: string; groups: ListedGroup[] }) {
  const of = (label: string) => ({
    label,
    title: `${label} of ${name}`,
    'aria-label': `${label} of ${name}`,
  });
  return (
    <Group gap="xs" justify="flex-end">
      <DialogButton size="xs" {...of('Groups')}>
        {() => <GroupsOfWallet address={address} groups={groups} />}
      </DialogButton>
      <DialogButton size="xs" {...of('Key releases')} modal={{ size: 'xl' }}>
        {() => (
          <CreditAccess>
            <KeyReleases wallet={address} />
          </CreditAccess>
        )}
      </DialogButton>
    </Group>
  );
}

function NewWallet({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const [labels, setLabels] = useState({ name: '', description: '' });
  const [exportable, setExportable] = useState(true);
  const send = () =>
    write({
      title: 'Create the wallet',
      done: 'The wallet was created.',
      prepare: (client) => client.prepare.createWallet({ ...labels, exportable }),
      refresh: ['wallets'],
    });
  return (
    <Form label="Create the wallet" send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
      <Checkbox
        label="Actions can get the private key"
        description="Without it they can only sign and encrypt. This cannot be changed later."
        {...check(exportable, setExportable)}
      />
    </Form>
  );
}
