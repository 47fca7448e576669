import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { forgetSealedKey } from '../../session/sealed-key.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { Section } from './section.tsx';

const WORD = 'retire';

export function Retire({ masterHash }: { masterHash: bigint }) {
  const write = useWrite();
  const { close } = useSessionState();
  const [word, setWord] = useState('');
  const retire = useMutation({
    mutationFn: () =>
      write({
        title: 'Retire the account',
        done: 'The account was retired.',
        isDestructive: true,
        prepare: (client) => client.prepare.retireAccount({ accountHash: masterHash }),
        refresh: [],
      }),
    onSuccess: (written) => {
      if (!written) return;
      forgetSealedKey();
      close();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    retire.mutate();
  };
  return (
    <Section
      title="Retire the account"
      about="Ends the account for good: no write and no run afterwards, the keys of its wallets are never released again, and its credit is lost. Move what the wallets hold first."
    >
      <form onSubmit={submit}>
        <Stack align="start">
          <TextInput
            label={`Type ${WORD} to confirm`}
            value={word}
            onChange={({ currentTarget }) => setWord(currentTarget.value)}
            autoComplete="off"
            required
          />
          {retire.error && <ErrorMessage error={retire.error} />}
          <Button
            type="submit"
            color="red"
            variant="outline"
            disabled={word !== WORD}
            loading={retire.isPending}
          >
            Retire the account
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
