import { createClient } from '@latchkey/sdk';
import {
  Alert,
  Anchor,
  Box,
  Button,
  Card,
  Center,
  Checkbox,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { TriangleAlertIcon } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ChooseWallet } from '../components/choose-wallet.tsx';
import { ColorScheme } from '../components/color-scheme.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { Copy } from '../components/values.tsx';
import { forgetSealedKey, hasSealedKey, sealKey, unsealKey } from '../session/sealed-key.ts';
import { useSendOnce } from '../session/send-once.ts';
import { openWithAccountKey, openWithWallet } from '../session/session.ts';
import { useSessionState } from '../session/session-context.tsx';

type Way = 'key' | 'wallet' | 'new';

/** Sign-in by account key or wallet, and the form that opens a managed account. */
export function SignIn() {
  useDocumentTitle('Sign in · Latchkey');
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
            <Text c="dimmed">Actions that use programmable wallets under scoped keys.</Text>
          </Box>
          <SegmentedControl
            aria-label="Way to sign in"
            fullWidth
            value={way}
            onChange={(value) => setWay(value as Way)}
            data={[
              { value: 'key', label: 'Account key' },
              { value: 'wallet', label: 'Wallet' },
              { value: 'new', label: 'New account' },
            ]}
          />
          <Card withBorder padding="lg" radius="md">
            {way === 'key' && <WithKey />}
            {way === 'wallet' && <WithWallet />}
            {way === 'new' && <NewAccount onWallet={() => setWay('wallet')} />}
          </Card>
        </Stack>
      </Center>
    </Box>
  );
}

function WithKey() {
  const [isSealed, setIsSealed] = useState(hasSealedKey);
  return isSealed ? <Unlock onForget={() => setIsSealed(false)} /> : <EnterKey />;
}

function EnterKey() {
  const { config, open } = useSessionState();
  const [key, setKey] = useState('');
  const [isKept, setIsKept] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const signIn = useMutation({
    mutationFn: async () => {
      const session = await openWithAccountKey(config, key);
      if (isKept) await sealKey(session.accountKey, passphrase);
      return session;
    },
    onSuccess: open,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Account key"
          description="It stays in the memory of this page and is sent to the relayer only."
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
          autoComplete="off"
          required
          data-autofocus
        />
        <Checkbox
          label="Keep it in this browser, sealed with a passphrase"
          checked={isKept}
          onChange={({ currentTarget }) => setIsKept(currentTarget.checked)}
        />
        {isKept && (
          <PasswordInput
            label="Passphrase"
            description="At least 12 characters. It cannot be recovered."
            minLength={12}
            value={passphrase}
            onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
            autoComplete="new-password"
            required
          />
        )}
        {signIn.error && <ErrorMessage error={signIn.error} />}
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function Unlock({ onForget }: { onForget: () => void }) {
  const { config, open } = useSessionState();
  const [passphrase, setPassphrase] = useState('');
  const unlock = useMutation({
    mutationFn: async () => openWithAccountKey(config, await unsealKey(passphrase)),
    onSuccess: open,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    unlock.mutate();
  };
  const forget = (): void => {
    forgetSealedKey();
    onForget();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Passphrase"
          description="This browser has an account key that is sealed with it."
          value={passphrase}
          onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
          autoComplete="current-password"
          required
        />
        {unlock.error && <ErrorMessage error={unlock.error} />}
        <Button type="submit" loading={unlock.isPending}>
          Sign in
        </Button>
        <Button variant="subtle" color="gray" onClick={forget}>
          Delete the sealed key from this browser
        </Button>
      </Stack>
    </form>
  );
}

function WithWallet() {
  const { config, open } = useSessionState();
  return (
    <Stack>
      <Text size="sm">
        The wallet owns the account and signs every change itself. One without an account can open one.
      </Text>
      <ChooseWallet onConnect={({ wallet }) => open(openWithWallet(config, wallet))} />
    </Stack>
  );
}

function NewAccount({ onWallet }: { onWallet: () => void }) {
  const { config, open } = useSessionState();
  const [name, setName] = useState('');
  const sendOnce = useSendOnce();
  const create = useMutation({
    mutationFn: () => {
      const account = { name: name, description: '' };
      return sendOnce(account, (idempotencyKey) =>
        createClient({ url: config.relayerUrl }).newAccount(account, { idempotencyKey }),
      );
    },
  });
  const signIn = useMutation({
    mutationFn: (key: string) => openWithAccountKey(config, key),
    onSuccess: open,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  if (create.data) {
    const { apiKey } = create.data;
    return (
      <Stack>
        <Alert color="yellow" icon={<TriangleAlertIcon aria-hidden />} title="Store the account key now">
          It is shown once and cannot be recovered. Whoever has it owns the account.
        </Alert>
        <Group wrap="nowrap" gap="xs">
          <TextInput aria-label="Account key" value={apiKey} readOnly ff="monospace" style={{ flex: 1 }} />
          <Copy value={apiKey} label="the account key" />
        </Group>
        {signIn.error && <ErrorMessage error={signIn.error} />}
        <Button onClick={() => signIn.mutate(apiKey)} loading={signIn.isPending}>
          I have stored it
        </Button>
      </Stack>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name of the account"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={128}
          required
        />
        <Text size="sm">
          A managed account: you hold its key, and the relayer writes to the chain for you. It trusts the
          payers of the relayer and the owner of the contract with the keys of its wallets. Should a wallet
          own it and sign each change?{' '}
          <Anchor component="button" type="button" onClick={onWallet}>
            Sign in with that wallet
          </Anchor>
          .
        </Text>
        {create.error && <ErrorMessage error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          Open the account
        </Button>
      </Stack>
    </form>
  );
}
