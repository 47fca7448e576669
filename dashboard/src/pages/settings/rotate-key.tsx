import { apiKeyFromBytes } from '@latchkey/protocol';
import { Alert, Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { TriangleAlertIcon } from 'lucide-react';
import { useState } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section.tsx';
import { Unsaved } from '../../components/unsaved.tsx';
import { SecretText } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { forgetSealedKey } from '../../session/sealed-key.ts';
import { type ApiSession, openWithAccountKey } from '../../session/session.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';

const newKey = (): string => apiKeyFromBytes(crypto.getRandomValues(new Uint8Array(32)));

export function RotateKey({ session }: { session: ApiSession }) {
  return (
    <Section
      align="start"
      title={t('Account key')}
      about={t(
        'Replace the account key when others may know it. Usage keys, groups, wallets and credit stay. Sessions and agents of the trigger service end: log in there with the new key, and pair the agents again. Webhooks and the automatic top-up are disabled: check them and enable them again.',
      )}
    >
      <DialogButton label={t('Replace the account key')} modal={{ size: 'lg', closeOnClickOutside: false }}>
        {(close) => <NewKey session={session} onDone={close} />}
      </DialogButton>
    </Section>
  );
}

/** Shows the new key before it is in force, so that a lost reply does not lose the account. */
function NewKey({ session, onDone }: { session: ApiSession; onDone: () => void }) {
  const { config, open } = useSessionState();
  const write = useWrite();
  const [key] = useState(newKey);
  const rotate = useMutation({
    mutationFn: async () => {
      const written = await write({
        title: t('Replace the account key'),
        done: t('The account key was replaced.'),
        isDestructive: true,
        prepare: () => session.client.prepare.rotateAccountKey({ newApiKey: key }),
        refresh: [],
      });
      if (!written) return;
      // A sealed key of this browser is the old one.
      forgetSealedKey();
      open(await openWithAccountKey(config, key));
      onDone();
    },
  });
  return (
    <Stack>
      <Alert
        color="yellow"
        icon={<TriangleAlertIcon aria-hidden />}
        title={t('Store the new account key now')}
      >
        {t(
          'It is shown once and cannot be recovered. Anyone who has it owns the account. It is in force after the next step.',
        )}
      </Alert>
      <SecretText value={key} label={t('New account key')} copy={t('Copy the new account key')} />
      <Unsaved isLost={() => true}>
        {t('This can be the only copy of the new account key. Store it first.')}
      </Unsaved>
      {rotate.error && <ErrorMessage error={rotate.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onDone}>
          {t('Cancel')}
        </Button>
        <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
          {t('I have stored it')}
        </Button>
      </Group>
    </Stack>
  );
}
