import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form, text } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { forgetSealedKey } from '../../session/sealed-key.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';

const WORD = 'retire';

export function Retire({ masterHash }: { masterHash: bigint }) {
  const write = useWrite();
  const { close } = useSessionState();
  const [word, setWord] = useState('');
  const retire = () =>
    write({
      title: t('Retire the account'),
      done: t('The account was retired.'),
      isDestructive: true,
      prepare: (client) => client.prepare.retireAccount({ accountHash: masterHash }),
      refresh: [],
    });
  return (
    <Section
      title={t('Retire the account')}
      about={t(
        'Ends the account for good: no write and no run afterwards, the keys of its wallets are never released again, and its credit is lost. Move what the wallets hold first.',
      )}
    >
      <Form
        label={t('Retire the account')}
        send={retire}
        onDone={() => {
          forgetSealedKey();
          close();
        }}
        align="start"
        button={{ color: 'red', variant: 'outline', disabled: word !== WORD }}
      >
        <TextInput
          label={t('Type {word} to confirm', { word: WORD })}
          {...text(word, setWord)}
          autoComplete="off"
          required
        />
      </Form>
    </Section>
  );
}
