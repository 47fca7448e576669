import { Box, Button, Code, Group, List, SimpleGrid, Stack, Stepper, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CheckIcon, XIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ChooseWallet } from '../../components/choose-wallet.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { forgetSealedKey } from '../../session/sealed-key.ts';
import { type ApiSession, openWithWallet } from '../../session/session.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import type { ConnectedWallet } from '../../wallets.ts';

const kept = [
  t('The master hash, groups, actions and wallets'),
  t('Usage keys, with their permissions and caps: what runs now goes on'),
  t('Credit, the ledger and the records of runs'),
  t('Triggers: they keep running'),
];
const ended = [
  t('The account key: it only reads lists and the balance'),
  t('Writes by the relayer: the wallet signs each change and pays its gas'),
  t('Sessions and agents of the trigger service: log in with the wallet, and pair the agents again'),
  t('Changes of caps: those that are set stay until their key is removed'),
  t('Managed mode: a conversion cannot be reversed'),
];

export function Convert({ session }: { session: ApiSession }) {
  return (
    <Section
      align="start"
      title={t('Convert to ChainSecured')}
      about={t(
        'A wallet of yours becomes the admin of the account and signs every change of it. The account key can then only read lists and the balance.',
      )}
    >
      <DialogButton
        label={t('Convert the account')}
        title={t('Convert to ChainSecured')}
        modal={{ size: 'xl', closeOnClickOutside: false }}
      >
        {() => <Walk session={session} />}
      </DialogButton>
    </Section>
  );
}

function Walk({ session }: { session: ApiSession }) {
  const [step, setStep] = useState(0);
  const [connected, setConnected] = useState<ConnectedWallet>();
  const connect = (wallet: ConnectedWallet): void => {
    setConnected(wallet);
    setStep(2);
  };
  return (
    <Stack>
      <Stepper active={step} size="sm" allowNextStepsSelect={false} onStepClick={setStep}>
        <Stepper.Step label={t('What changes')}>
          <WhatChanges onContinue={() => setStep(1)} />
        </Stepper.Step>
        <Stepper.Step label={t('Wallet')}>
          <Box mt="md">
            <ChooseWallet onConnect={connect} />
          </Box>
        </Stepper.Step>
        <Stepper.Step label={t('Signature')}>
          {connected && <Sign session={session} connected={connected} />}
        </Stepper.Step>
      </Stepper>
    </Stack>
  );
}

function WhatChanges({ onContinue }: { onContinue: () => void }) {
  return (
    <Stack mt="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Points
          title={t('Kept')}
          points={kept}
          icon={<CheckIcon size={16} color="var(--mantine-color-teal-7)" aria-hidden />}
        />
        <Points
          title={t('What ends')}
          points={ended}
          icon={<XIcon size={16} color="var(--mantine-color-red-7)" aria-hidden />}
        />
      </SimpleGrid>
      <Text size="sm">
        {t(
          "Use a wallet that never was the admin of an account, with some of the chain's token for gas. If you lose the wallet, you lose the account.",
        )}
      </Text>
      <Group justify="end">
        <Button onClick={onContinue}>{t('Choose the wallet')}</Button>
      </Group>
    </Stack>
  );
}

function Points({ title, points, icon }: { title: string; points: string[]; icon: ReactNode }) {
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <List size="sm" spacing="xs" icon={icon}>
        {points.map((point) => (
          <List.Item key={point}>{point}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Sign({
  session,
  connected: { address, wallet },
}: {
  session: ApiSession;
  connected: ConnectedWallet;
}) {
  const { config, open } = useSessionState();
  const write = useWrite();
  const convert = useMutation({
    mutationFn: () =>
      write({
        title: t('Convert the account'),
        done: t('The account is ChainSecured now. The wallet owns it.'),
        isDestructive: true,
        prepare: () => session.client.prepare.convertToChainSecuredAccount({ wallet }),
        refresh: [],
      }),
    onSuccess: (written) => {
      if (!written) return;
      forgetSealedKey();
      open(openWithWallet(config, wallet));
    },
  });
  return (
    <Stack mt="md">
      <Text size="sm" component="div">
        {t('This wallet becomes the admin of the account, permanently:{code}', {
          code: (
            <Code block mt="xs" tabIndex={0}>
              {address}
            </Code>
          ),
        })}
      </Text>
      <Text size="sm">
        {t(
          'It signs one message (ConvertAccount) and sends no transaction: the relayer does. You then continue here with the wallet.',
        )}
      </Text>
      {convert.error && <ErrorMessage error={convert.error} />}
      <Group justify="end">
        <Button color="red" onClick={() => convert.mutate()} loading={convert.isPending}>
          {t('Sign and convert')}
        </Button>
      </Group>
    </Stack>
  );
}
