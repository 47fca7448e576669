import {
  Alert,
  Anchor,
  Box,
  Button,
  Card,
  Center,
  Group,
  Loader,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { TriangleAlertIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { ColorScheme } from '../components/color-scheme.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Form, text } from '../components/form.tsx';
import { Unsaved } from '../components/unsaved.tsx';
import { SecretText } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { openManagedAccount, openWithAccountKey } from '../session/open.ts';
import { useSendOnce } from '../session/send-once.ts';
import { useSessionState } from '../session/session-context.tsx';
import { WithKey } from './sign-in/with-key.tsx';

const WithWallet = lazy(() => import('./sign-in/with-wallet.tsx'));

type Way = 'key' | 'wallet' | 'new';

/** Sign-in by account key or wallet, and the form that opens a managed account. */
export function SignIn() {
  useDocumentTitle(t('Sign in · Latchkey'));
  const [way, setWay] = useState<Way>('key');
  return (
    <Box component="main">
      <Group justify="end" p="md">
        <ColorScheme />
      </Group>
      <Center px="md" pb="xl">
        <Stack w="100%" maw={440} gap="lg">
          <Box>
            <Title order={1} size="h2">
              Latchkey
            </Title>
            <Text c="dimmed">{t('Actions that use programmable wallets under scoped keys.')}</Text>
          </Box>
          <SegmentedControl
            aria-label={t('Way to sign in')}
            fullWidth
            value={way}
            onChange={(value) => setWay(value as Way)}
            data={[
              { value: 'key', label: t('Account key') },
              { value: 'wallet', label: t('Wallet') },
              { value: 'new', label: t('New account') },
            ]}
          />
          <Card withBorder padding="lg" radius="md">
            {way === 'key' && <WithKey />}
            {way === 'wallet' && (
              <Suspense fallback={<Loader aria-label={t('Loading the wallets')} />}>
                <WithWallet />
              </Suspense>
            )}
            {way === 'new' && <NewAccount onWallet={() => setWay('wallet')} />}
          </Card>
        </Stack>
      </Center>
    </Box>
  );
}

function NewAccount({ onWallet }: { onWallet: () => void }) {
  const { config } = useSessionState();
  const [name, setName] = useState('');
  const [apiKey, setApiKey] = useState<string>();
  const sendOnce = useSendOnce();
  const create = () => {
    const account = { name, description: '' };
    return sendOnce(account, (idempotencyKey) => openManagedAccount(config, account, idempotencyKey));
  };
  if (apiKey !== undefined) return <StoreKey apiKey={apiKey} />;
  return (
    <Form label={t('Open the account')} send={create} onDone={(created) => setApiKey(created.apiKey)}>
      <TextInput label={t('Name of the account')} {...text(name, setName)} maxLength={128} required />
      <Text size="sm">
        {t(
          'A managed account: you hold its key, and the relayer writes to the chain for you. It trusts the payers of the relayer and the owner of the contract with the keys of its wallets. Should a wallet own it and sign each change? <link>Sign in with that wallet</link>.',
          {
            link: (inner) => (
              <Anchor component="button" type="button" onClick={onWallet}>
                {inner}
              </Anchor>
            ),
          },
        )}
      </Text>
    </Form>
  );
}

function StoreKey({ apiKey }: { apiKey: string }) {
  const { config, open } = useSessionState();
  const signIn = useMutation({
    mutationFn: () => openWithAccountKey(config, apiKey),
    onSuccess: open,
  });
  return (
    <Stack>
      <Alert color="yellow" icon={<TriangleAlertIcon aria-hidden />} title={t('Store the account key now')}>
        {t('It is shown once and cannot be recovered. Anyone who has it owns the account.')}
      </Alert>
      <SecretText value={apiKey} label={t('Account key')} copy={t('Copy the account key')} />
      <Unsaved isLost={() => true}>{t('This is the only copy of the account key. Store it first.')}</Unsaved>
      {signIn.error && <ErrorMessage error={signIn.error} />}
      <Button onClick={() => signIn.mutate()} loading={signIn.isPending}>
        {t('I have stored it')}
      </Button>
    </Stack>
  );
}
