import { Button, Checkbox, Group, Modal, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { WalletIcon } from 'lucide-react';
import { useState } from 'react';
import { type Address, zeroAddress } from 'viem';
import { permitsWallet } from '../access.ts';
import { CreditAccess } from '../components/credit-access.tsx';
import { GroupsOf } from '../components/groups-of.tsx';
import { DataTable, LoadedAll, Names } from '../components/lists.tsx';
import { EmptyState, Page } from '../components/page.tsx';
import { Identifier } from '../components/values.tsx';
import { LabelFields, WriteForm } from '../components/write-form.tsx';
import { type ListedGroup, nameOfGroup, nameOfWallet } from '../names.ts';
import { useGroups, useWallets } from '../queries.ts';
import { useWrite } from '../session/write.tsx';
import { KeyReleases } from './key-releases.tsx';

export default function Wallets() {
  const queries = { wallets: useWallets(), groups: useGroups() };
  const [isCreating, creating] = useDisclosure(false);
  const [opened, setOpened] = useState<Address>();
  const [audited, setAudited] = useState<Address>();
  return (
    <Page
      title="Wallets"
      about="Actions use wallets: they sign and encrypt with keys that no one stores. A group permits which action uses which wallet."
      action={<Button onClick={creating.open}>New wallet</Button>}
    >
      <LoadedAll queries={queries}>
        {({ wallets, groups }) => (
          <>
            {wallets.length === 0 ? (
              <EmptyState
                icon={WalletIcon}
                title="No wallets yet"
                action={{ label: 'New wallet', onClick: creating.open }}
              >
                Create a wallet and add it to a group with the actions that may use it. Its address works on
                every EVM chain.
              </EmptyState>
            ) : (
              <DataTable
                label="Wallets"
                items={wallets}
                of="wallets"
                rowKey={({ walletAddress }) => walletAddress}
                minWidth={640}
                columns={[
                  {
                    title: 'Name',
                    props: { maw: 280, style: { overflowWrap: 'anywhere' } },
                    cell: ({ walletAddress, description }) => (
                      <>
                        {nameOfWallet(wallets, walletAddress)}
                        <Text size="xs" c="dimmed" lineClamp={2}>
                          {description}
                        </Text>
                      </>
                    ),
                  },
                  {
                    title: 'Address',
                    cell: ({ walletAddress, exportable }) => (
                      <>
                        <Identifier value={walletAddress} label="the address" />
                        {!exportable && (
                          <Text size="xs" c="dimmed">
                            Signs only
                          </Text>
                        )}
                      </>
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
                      <Group gap="xs" justify="flex-end">
                        <Button
                          size="xs"
                          variant="default"
                          onClick={() => setOpened(walletAddress)}
                          aria-label={`Groups of ${nameOfWallet(wallets, walletAddress)}`}
                        >
                          Groups
                        </Button>
                        <Button
                          size="xs"
                          variant="default"
                          onClick={() => setAudited(walletAddress)}
                          aria-label={`Key releases of ${nameOfWallet(wallets, walletAddress)}`}
                        >
                          Key releases
                        </Button>
                      </Group>
                    ),
                  },
                ]}
              />
            )}
            <Modal opened={isCreating} onClose={creating.close} title="New wallet">
              <NewWallet onDone={creating.close} />
            </Modal>
            <Modal
              opened={opened !== undefined}
              onClose={() => setOpened(undefined)}
              title={opened && `Groups of ${nameOfWallet(wallets, opened)}`}
            >
              {opened && <GroupsOfWallet address={opened} groups={groups} />}
            </Modal>
            <Modal
              opened={audited !== undefined}
              onClose={() => setAudited(undefined)}
              size="xl"
              title={audited && `Key releases of ${nameOfWallet(wallets, audited)}`}
            >
              {audited && (
                <CreditAccess>
                  <KeyReleases wallet={audited} />
                </CreditAccess>
              )}
            </Modal>
          </>
        )}
      </LoadedAll>
    </Page>
  );
}

function GroupsOfWallet({ address, groups }: { address: Address; groups: ListedGroup[] }) {
  return (
    <GroupsOf
      member={{ pkpIds: [address] }}
      one="wallet"
      groups={groups}
      isIn={({ pkpIds }) => pkpIds.includes(address)}
      isInByWildcard={({ pkpIds }) => pkpIds.includes(zeroAddress)}
    />
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
    <WriteForm label="Create the wallet" send={send} onDone={onDone}>
      <LabelFields value={labels} onChange={setLabels} />
      <Checkbox
        label="Actions can get the private key"
        description="Without it they can only sign and encrypt. This cannot be changed later."
        checked={exportable}
        onChange={({ currentTarget }) => setExportable(currentTarget.checked)}
      />
    </WriteForm>
  );
}
