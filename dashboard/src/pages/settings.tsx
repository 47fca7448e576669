import { Badge, Button, Stack, Table } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Loaded, Page } from '../components/page.tsx';
import { Identifier } from '../components/values.tsx';
import { toWord } from '../names.ts';
import { forgetSealedKey, hasSealedKey } from '../session/sealed-key.ts';
import { useSession } from '../session/session-context.tsx';
import { type AccountOnChain, useAccountOnChain } from './settings/account-on-chain.ts';
import { Convert } from './settings/convert.tsx';
import { Export } from './settings/export.tsx';
import { Retire } from './settings/retire.tsx';
import { RotateKey } from './settings/rotate-key.tsx';
import { Section } from './settings/section.tsx';
import { Transfer } from './settings/transfer.tsx';

export default function Settings() {
  const session = useSession();
  const account = useAccountOnChain();
  return (
    <Page title="Settings" about="The account, who controls it, and how it ends.">
      <Loaded query={account} height={600}>
        {(known) => (
          <Stack gap="lg" maw={860}>
            <Account account={known} />
            {session.mode === 'api' ? (
              <>
                <RotateKey session={session} />
                <Convert session={session} />
                <SealedKey />
              </>
            ) : (
              <>
                <Section
                  title="Account key"
                  about="A ChainSecured account has none: the admin wallet signs every change. To replace the wallet, transfer the account."
                >
                  {null}
                </Section>
                <Transfer session={session} />
              </>
            )}
            <Export account={known} />
            <Retire masterHash={known.masterHash} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Account({ account }: { account: AccountOnChain }) {
  const { name, masterHash, adminWallet, contractAddress, chainName, chainId } = account;
  const rows: [string, ReactNode][] = [
    ['Name', name || 'None'],
    [
      'Mode',
      <Badge key="mode" variant="light">
        {adminWallet ? 'ChainSecured' : 'Managed'}
      </Badge>,
    ],
    ['Master hash', <Identifier key="hash" value={toWord(masterHash)} label="the master hash" />],
    ...(adminWallet
      ? [
          ['Admin wallet', <Identifier key="admin" value={adminWallet} label="the admin wallet" />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ['Contract', <Identifier key="contract" value={contractAddress} label="the address of the contract" />],
    ['Chain', `${chainName} (${chainId})`],
  ];
  return (
    <Table variant="vertical" withTableBorder aria-label="Account">
      <Table.Tbody>
        {rows.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" w={{ base: 110, sm: 160 }}>
              {label}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function SealedKey() {
  const [isSealed, setIsSealed] = useState(hasSealedKey);
  const forget = (): void => {
    forgetSealedKey();
    setIsSealed(false);
  };
  return (
    <Section
      title="This browser"
      about={
        isSealed
          ? 'It keeps an account key, sealed with your passphrase. Without it, sign in with the account key itself.'
          : 'It keeps no account key. Sign out and sign in again to keep one, sealed with a passphrase.'
      }
    >
      {isSealed && (
        <Button variant="default" onClick={forget}>
          Delete the sealed key
        </Button>
      )}
    </Section>
  );
}
