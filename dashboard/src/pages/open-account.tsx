import { Button, Card, List, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../components/error-message.tsx';
import { Page } from '../components/page.tsx';
import { useWrite } from '../session/write.tsx';

/** Shown at every path while the connected wallet has no account. */
export function OpenAccount() {
  const write = useWrite();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useMutation({
    mutationFn: () =>
      write({
        title: 'Open the account',
        done: 'The account was opened.',
        prepare: (client) => client.prepare.newAccount({ name, description }),
        refresh: ['account'],
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Page
      title="Open an account for this wallet"
      about="The connected wallet owns no account yet. To use another wallet, or an account key, sign out."
    >
      <Card withBorder padding="lg" radius="md" maw={560}>
        <form onSubmit={submit}>
          <Stack>
            <List size="sm" spacing={4}>
              <List.Item>
                Only this wallet can change the account. It signs every change and pays the gas.
              </List.Item>
              <List.Item>Usage keys that it adds can run actions without the wallet.</List.Item>
              <List.Item>Runs cost credit, which you add by card.</List.Item>
            </List>
            <TextInput
              label="Name"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              maxLength={128}
              required
            />
            <TextInput
              label="Description"
              value={description}
              onChange={({ currentTarget }) => setDescription(currentTarget.value)}
              maxLength={1_024}
            />
            <Text size="sm" c="dimmed">
              Name and description are public: they are stored on the chain.
            </Text>
            {create.error && <ErrorMessage error={create.error} />}
            <Button type="submit" loading={create.isPending}>
              Open the account
            </Button>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}
