import { Badge, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { Loaded, Page } from '../components/page.tsx';
import { Facts, Section } from '../components/section.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { toWord } from '../names.ts';
import { forgetSealedKey, sealedBy } from '../session/sealed-key.ts';
import { useSession } from '../session/session-context.tsx';
import { type AccountOnChain, useAccountOnChain } from './settings/account-on-chain.ts';
import { Convert } from './settings/convert.tsx';
import { Export } from './settings/export.tsx';
import { Retire } from './settings/retire.tsx';
import { RotateKey } from './settings/rotate-key.tsx';
import { Transfer } from './settings/transfer.tsx';

export default function Settings() {
  const session = useSession();
  const account = useAccountOnChain();
  return (
    <Page title={t('Settings')} about={t('The account, who controls it, and how it ends.')}>
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
                  title={t('Account key')}
                  about={t(
                    'A ChainSecured account has none: the admin wallet signs every change. To replace the wallet, transfer the account.',
                  )}
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
  return (
    <Facts
      label={t('Account')}
      facts={{
        [t('Name')]: name === undefined ? t('Not known: no indexer answers') : name || t('None'),
        [t('Mode')]: <Badge>{adminWallet ? t('ChainSecured') : t('Managed')}</Badge>,
        [t('Master hash')]: <Identifier value={toWord(masterHash)} label={t('Copy the master hash')} />,
        [t('Admin wallet')]: adminWallet && (
          <Identifier value={adminWallet} label={t('Copy the admin wallet')} />
        ),
        [t('Contract')]: <Identifier value={contractAddress} label={t('Copy the address of the contract')} />,
        [t('Chain')]: `${chainName} (${chainId})`,
      }}
    />
  );
}

function SealedKey() {
  const [by, setBy] = useState(sealedBy);
  const forget = (): void => {
    forgetSealedKey();
    setBy(undefined);
  };
  return (
    <Section
      align="start"
      title={t('This browser')}
      about={
        by
          ? t(
              'It keeps an account key, sealed with your {by, select, passkey {passkey} other {passphrase}}. Without it, sign in with the account key itself.',
              { by },
            )
          : t(
              'It keeps no account key. Sign out and sign in again to keep one, sealed with a passkey or a passphrase.',
            )
      }
    >
      {by && (
        <Button variant="default" onClick={forget}>
          {t('Delete the sealed key')}
        </Button>
      )}
    </Section>
  );
}
