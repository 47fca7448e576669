import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isAddress } from 'viem';
import { changes, Form, text } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { useUsageKeys } from '../../queries.ts';
import type { ChainSecuredSession } from '../../session/session.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { useRemoveAllKeys } from '../keys/remove-all.ts';

export function Transfer({ session: { client, address } }: { session: ChainSecuredSession }) {
  const write = useWrite();
  const { close } = useSessionState();
  const [newAdmin, setNewAdmin] = useState('');
  const isValid = isAddress(newAdmin.trim(), { strict: false });
  const transfer = () =>
    write({
      title: t('Transfer the account'),
      done: t(
        'The account was transferred. Until the new wallet accepts it, sign in with this one to take it back.',
      ),
      isDestructive: true,
      compare: changes({ [t('Admin wallet')]: address }, { [t('Admin wallet')]: newAdmin.trim() }),
      prepare: () =>
        client.prepare.transferOwnership({ newAdminWalletAddress: newAdmin.trim() as `0x${string}` }),
      refresh: [],
    });
  return (
    <Section
      title={t('Transfer ownership')}
      about={t(
        'Another wallet becomes the admin. Until it accepts the account, you can take it back. Afterwards this wallet can no longer change the account, and it can never own one again.',
      )}
    >
      <RemoveKeys />
      <Form
        label={t('Transfer the account')}
        send={transfer}
        onDone={close}
        align="start"
        button={{ color: 'red', variant: 'outline', disabled: !isValid }}
      >
        <TextInput
          label={t('Address of the new admin wallet')}
          placeholder={t('0x…')}
          {...text(newAdmin, setNewAdmin)}
          error={newAdmin !== '' && !isValid && t('An address is 0x and 40 hex digits.')}
          maw={480}
          w="100%"
          required
        />
      </Form>
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
        {t('Usage keys outlive a transfer: whoever has one can run actions at the cost of the new owner.')}{' '}
        {t('{count, plural, =0 {The account has none now.} other {The account has #.}}', { count })}
      </Text>
      {count > 0 && (
        <Button size="xs" variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>
          {t('Remove all usage keys')}
        </Button>
      )}
    </Stack>
  );
}
