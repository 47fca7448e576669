import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isAddress } from 'viem';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useUsageKeys } from '../../queries.ts';
import type { ChainSecuredSession } from '../../session/session.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { useRemoveAllKeys } from '../keys/remove-all.ts';
import { Section } from './section.tsx';

export function Transfer({ session: { client, address } }: { session: ChainSecuredSession }) {
  const write = useWrite();
  const { close } = useSessionState();
  const [newAdmin, setNewAdmin] = useState('');
  const isValid = isAddress(newAdmin.trim(), { strict: false });
  const transfer = useMutation({
    mutationFn: () =>
      write({
        title: 'Transfer the account',
        done: 'The account was transferred. Until the new wallet accepts it, sign in with this one to take it back.',
        isDestructive: true,
        compare: [{ label: 'Admin wallet', before: address, after: newAdmin.trim() }],
        prepare: () =>
          client.prepare.transferOwnership({ newAdminWalletAddress: newAdmin.trim() as `0x${string}` }),
        refresh: [],
      }),
    onSuccess: (written) => {
      if (written) close();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    transfer.mutate();
  };
  return (
    <Section
      title="Transfer ownership"
      about="Another wallet becomes the admin. Until it accepts the account, you can take it back. Afterwards this wallet can no longer change the account, and it can never own one again."
    >
      <RemoveKeys />
      <form onSubmit={submit} style={{ width: '100%' }}>
        <Stack align="start">
          <TextInput
            label="Address of the new admin wallet"
            placeholder="0x…"
            value={newAdmin}
            onChange={({ currentTarget }) => setNewAdmin(currentTarget.value)}
            error={newAdmin !== '' && !isValid && 'An address is 0x and 40 hex digits.'}
            maw={480}
            w="100%"
            required
          />
          {transfer.error && <ErrorMessage error={transfer.error} />}
          <Button
            type="submit"
            color="red"
            variant="outline"
            disabled={!isValid}
            loading={transfer.isPending}
          >
            Transfer the account
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

function RemoveKeys() {
  const keys = useUsageKeys();
  const count = keys.data?.length ?? 0;
  const remove = useMutation({ mutationFn: useRemoveAllKeys() });
  return (
    <Stack gap="xs" align="start">
      <Text size="sm">
        Usage keys outlive a transfer: whoever has one can run actions at the cost of the new owner.{' '}
        {count === 0 ? 'The account has none now.' : `The account has ${count}.`}
      </Text>
      {count > 0 && (
        <Group>
          <Button size="xs" variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>
            Remove all usage keys
          </Button>
        </Group>
      )}
    </Stack>
  );
}
