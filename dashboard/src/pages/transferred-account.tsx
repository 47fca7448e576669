import type { AccountState } from '@latchkey/sdk';
import { Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorMessage } from '../components/error-message.tsx';
import { Page } from '../components/page.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { toWord } from '../names.ts';
import type { ChainSecuredSession } from '../session/session.ts';
import { useWrite } from '../session/write.tsx';
import { OpenAccount } from './open-account.tsx';

type Shown = { session: ChainSecuredSession; account: AccountState };

/** Shown at every path to the wallet that an account was transferred to, until it accepts or refuses it. */
export function AcceptAccount({ session, account }: Shown) {
  const write = useWrite();
  const { accountHash, giver } = account;
  const accept = useMutation({
    mutationFn: () =>
      write({
        title: t('Accept the account'),
        done: t('The account was accepted. This wallet owns it.'),
        prepare: () => session.client.prepare.acceptAccount({ accountHash }),
        refresh: ['account'],
      }),
  });
  const refuse = useCancelTransfer(
    { session, account },
    { title: t('Refuse the account'), done: t('The account was given back.') },
  );
  const [isOpening, setIsOpening] = useState(false);
  if (isOpening) return <OpenAccount />;
  const error = accept.error ?? refuse.error;
  return (
    <Page
      title={t('An account waits for this wallet')}
      about={t(
        'Another wallet transferred it to this one. Until you accept it, it takes no payment, and the former owner can take it back.',
      )}
    >
      <Card withBorder padding="lg" radius="md" maw={560}>
        <Stack>
          <Fact label={t('Account')} value={toWord(accountHash)} copy={t('Copy the master hash')} />
          {giver && <Fact label={t('Former owner')} value={giver} copy={t('Copy the address')} />}
          <BeforeAccepting />
          {error && <ErrorMessage error={error} />}
          <Group>
            <Button onClick={() => accept.mutate()} loading={accept.isPending} disabled={refuse.isPending}>
              {t('Accept the account')}
            </Button>
            <Button
              variant="default"
              onClick={() => refuse.mutate()}
              loading={refuse.isPending}
              disabled={accept.isPending}
            >
              {t('Refuse the account')}
            </Button>
            <Button variant="subtle" onClick={() => setIsOpening(true)}>
              {t('Open an own account')}
            </Button>
          </Group>
        </Stack>
      </Card>
    </Page>
  );
}

const BeforeAccepting = () => (
  <List size="sm" spacing={4}>
    <List.Item>
      {t('Accept it only if you expected it. This wallet can then own no other account.')}
    </List.Item>
    <List.Item>
      {t(
        'Its usage keys stay valid, and others may know them: remove those that you did not make before you add credit.',
      )}
    </List.Item>
    <List.Item>{t('If you refuse it, it goes back to its former owner.')}</List.Item>
  </List>
);

/** Shown at every path to the wallet that transferred its account, until the new wallet accepts it. */
export function TakeBackAccount({ session, account }: Shown) {
  const takeBack = useCancelTransfer(
    { session, account },
    { title: t('Take the account back'), done: t('This wallet owns the account again.') },
  );
  return (
    <Page
      title={t('The account waits for its new wallet')}
      about={t(
        'You transferred it. Until the new wallet accepts it, you can take it back, for example when the address was wrong.',
      )}
    >
      <Card withBorder padding="lg" radius="md" maw={560}>
        <Stack align="start">
          <Fact label={t('Account')} value={toWord(account.accountHash)} copy={t('Copy the master hash')} />
          <Fact label={t('New wallet')} value={account.walletAddress} copy={t('Copy the address')} />
          {takeBack.error && <ErrorMessage error={takeBack.error} />}
          <Button onClick={() => takeBack.mutate()} loading={takeBack.isPending}>
            {t('Take the account back')}
          </Button>
        </Stack>
      </Card>
    </Page>
  );
}

function useCancelTransfer({ session, account }: Shown, texts: { title: string; done: string }) {
  const write = useWrite();
  const { accountHash } = account;
  return useMutation({
    mutationFn: () =>
      write({
        ...texts,
        prepare: () => session.client.prepare.cancelTransfer({ accountHash }),
        refresh: ['account'],
      }),
  });
}

function Fact({ label, value, copy }: { label: string; value: string; copy: string }) {
  return (
    <div>
      <Title order={2} size="h5">
        {label}
      </Title>
      <Text component="div" size="sm">
        <Identifier value={value} label={copy} />
      </Text>
    </div>
  );
}
