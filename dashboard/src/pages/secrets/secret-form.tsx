import { LatchkeyError, type SecretItem } from '@latchkey/sdk';
import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { Form, text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import type { ListedGroup, ListedWallet } from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';
import { secretsKey, type Versions } from './versions.ts';
import { useWalletChoice } from './wallet-choice.ts';
import { WalletFields } from './wallet-fields.tsx';

/** Sets the first or the next version of a secret. */
export function SecretForm({
  secrets,
  wallets,
  groups,
  rotated,
  onDone,
}: {
  secrets: readonly SecretItem[];
  wallets: readonly ListedWallet[];
  groups: readonly ListedGroup[];
  rotated?: Versions;
  onDone: () => void;
}) {
  const { client } = useSession();
  const queries = useQueryClient();
  const choice = useWalletChoice(secrets, rotated);
  const [name, setName] = useState('');
  // Not in state, and not in the mutation, which is kept for minutes.
  const value = useRef<HTMLTextAreaElement>(null);

  const send = async (): Promise<true | undefined> => {
    const isTaken = secrets.some((secret) => secret.name === name);
    if (!rotated && isTaken)
      throw new LatchkeyError('configuration', t('The account has a secret {name}.', { name }), {
        fix: t('Rotate it.'),
      });
    const walletPublicKey = await choice.publicKey();
    if (!walletPublicKey || !value.current) return undefined;
    const secret = { name: rotated?.[0].name ?? name, value: value.current.value };
    await client.setSecret({ ...secret, walletPublicKey });
    value.current.value = '';
    await queries.invalidateQueries({ queryKey: secretsKey });
    return true;
  };
  return (
    <Form label={rotated ? t('Set the new value') : t('Set the secret')} send={send} onDone={onDone}>
      {!rotated && <NameField name={name} onChange={setName} />}
      <ValueField ref={value} isFirst={rotated !== undefined} />
      <WalletFields wallets={wallets} groups={groups} rotated={rotated} choice={choice} />
    </Form>
  );
}

function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label={t('Name')}
      description={t('Letters, digits and _')}
      placeholder={t('WEATHER_API_KEY')}
      {...text(name, onChange)}
      pattern="[A-Za-z_][A-Za-z0-9_]*"
      maxLength={64}
      autoComplete="off"
      required
      data-autofocus
    />
  );
}

function ValueField({ ref, isFirst }: { ref: RefObject<HTMLTextAreaElement | null>; isFirst: boolean }) {
  return (
    <Textarea
      label={t('Value')}
      description={t('Encrypted before it leaves this page. It is not shown again.')}
      ref={ref}
      rows={4}
      maxLength={65_536}
      autoComplete="off"
      spellCheck={false}
      required
      data-autofocus={isFirst || undefined}
    />
  );
}
