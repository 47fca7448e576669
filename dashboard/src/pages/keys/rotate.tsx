import { apiKeyFromBytes, apiKeyHash } from '@latchkey/protocol';
import { Alert, Checkbox, Text } from '@mantine/core';
import { TriangleAlertIcon } from 'lucide-react';
import { useState } from 'react';
import { check, Form } from '../../components/form.tsx';
import { SecretText } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { type ListedUsageKey, toWord } from '../../names.ts';
import { useWrite } from '../../session/write.tsx';

/** Replaces a key by one that this page makes, of which only the hash is sent. `onDone` gets the new hash. */
export function Rotate({
  usageKey: { usageKeyHash },
  onDone,
}: {
  usageKey: ListedUsageKey;
  onDone: (hash: string) => void;
}) {
  const write = useWrite();
  const [newUsageKey] = useState(() => apiKeyFromBytes(crypto.getRandomValues(new Uint8Array(32))));
  const [isStored, setIsStored] = useState(false);
  const send = () =>
    write({
      title: t('Rotate the usage key'),
      done: t('The usage key was rotated.'),
      prepare: (client) => client.prepare.rotateUsageApiKey({ usageKey: usageKeyHash, newUsageKey }),
      refresh: ['keys', 'runs'],
    });
  return (
    <Form
      label={t('Rotate the usage key')}
      send={send}
      onDone={() => onDone(toWord(apiKeyHash(newUsageKey)))}
    >
      <Alert color="yellow" icon={<TriangleAlertIcon aria-hidden />}>
        {t(
          'This is the new key. Store it first: it is shown once. With the rotation the old key is refused, and can never be used again.',
        )}
      </Alert>
      <SecretText value={newUsageKey} label={t('Usage key')} copy={t('Copy the usage key')} />
      <Text size="sm">
        {t(
          'Permissions, caps, expiry and labels stay. Put the new key into every program that has the old one, and into each trigger: a trigger keeps the old key, and its next run pauses it.',
        )}
      </Text>
      <Checkbox label={t('I have stored the new key')} {...check(isStored, setIsStored)} required />
    </Form>
  );
}
