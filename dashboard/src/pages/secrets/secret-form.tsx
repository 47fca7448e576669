import { LatchkeyError, type SecretItem } from '@latchkey/sdk';
import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { type Address, type Hex, isAddressEqual } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { Form, text } from '../../components/form.tsx';
import { type ListedWallet, walletOptions } from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import { secretsKey, type Versions } from './versions.ts';

const NEW = 'new';

/** Sets the first or the next version of a secret. */
export function SecretForm({
  secrets,
  wallets,
  rotated,
  onDone,
}: {
  secrets: readonly SecretItem[];
  wallets: readonly ListedWallet[];
  rotated?: Versions;
  onDone: () => void;
}) {
  const { client } = useSession();
  const queries = useQueryClient();
  const create = useCreateWallet();
  const known = publicKeysOf(secrets);
  const [name, setName] = useState('');
  const [wallet, setWallet] = useState<string>(rotated?.[0].walletAddress ?? [...known.keys()][0] ?? NEW);
  const [typedKey, setTypedKey] = useState('');
  // Not in state, and not in the mutation, which is kept for minutes.
  const value = useRef<HTMLTextAreaElement>(null);

  const publicKey = known.get(wallet as Address) ?? (typedKey.trim() as Hex);
  const keyOfWallet = async (): Promise<Hex | undefined> => {
    if (wallet !== NEW) return requireKeyOf(wallet, publicKey);
    const created = await create();
    if (!created) return undefined;
    // Trying again after a failure uses this wallet.
    setWallet(created.walletAddress);
    setTypedKey(created.publicKey ?? '');
    return created.publicKey;
  };
  const send = async (): Promise<true | undefined> => {
    const isTaken = secrets.some((secret) => secret.name === name);
    if (!rotated && isTaken)
      throw new LatchkeyError('configuration', `The account has a secret ${name}.`, { fix: 'Rotate it.' });
    const walletPublicKey = await keyOfWallet();
    if (!walletPublicKey || !value.current) return undefined;
    const secret = { name: rotated?.[0].name ?? name, value: value.current.value };
    await client.setSecret({ ...secret, walletPublicKey });
    value.current.value = '';
    await queries.invalidateQueries({ queryKey: secretsKey });
    return true;
  };
  return (
    <Form label={rotated ? 'Set the new value' : 'Set the secret'} send={send} onDone={onDone}>
      {!rotated && <NameField name={name} onChange={setName} />}
      <ValueField ref={value} isFirst={rotated !== undefined} />
      <WalletFields
        wallets={wallets}
        wallet={wallet}
        onWallet={setWallet}
        isKeyAsked={wallet !== NEW && !known.has(wallet as Address)}
        publicKey={typedKey}
        onPublicKey={setTypedKey}
      />
    </Form>
  );
}

function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="Letters, digits and _"
      placeholder="WEATHER_API_KEY"
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
      label="Value"
      description="Encrypted before it leaves this page. It is not shown again."
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

function WalletFields({
  wallets,
  wallet,
  onWallet,
  isKeyAsked,
  publicKey,
  onPublicKey,
}: {
  wallets: readonly ListedWallet[];
  wallet: string;
  onWallet: (wallet: string) => void;
  isKeyAsked: boolean;
  publicKey: string;
  onPublicKey: (publicKey: string) => void;
}) {
  return (
    <>
      <Select
        label="Wallet"
        description="The groups that have it may read the secret."
        data={[{ value: NEW, label: 'A new wallet for secrets' }, ...walletOptions(wallets)]}
        value={wallet}
        onChange={(chosen) => onWallet(chosen ?? NEW)}
        allowDeselect={false}
        searchable
      />
      {wallet === NEW && (
        <Text size="sm">
          The new wallet is in no group, and its private key is not exportable. Add it to a group afterwards.
        </Text>
      )}
      {isKeyAsked && (
        <TextInput
          label="Public key of the wallet"
          description="0x04 and 128 hex digits, as createWallet of the SDK returned it"
          {...text(publicKey, onPublicKey)}
          pattern="\s*0x04[0-9a-fA-F]{128}\s*"
          autoComplete="off"
          required
        />
      )}
    </>
  );
}

/** Public keys of the wallets of secrets. */
const publicKeysOf = (secrets: readonly SecretItem[]): Map<Address, Hex> =>
  new Map(
    secrets.flatMap(({ walletAddress, walletPublicKey }) =>
      walletPublicKey ? [[walletAddress, walletPublicKey]] : [],
    ),
  );

function requireKeyOf(wallet: string, publicKey: Hex): Hex {
  if (!isAddressEqual(publicKeyToAddress(publicKey), wallet as Address))
    throw new LatchkeyError('configuration', 'This is the public key of another wallet.', {
      fix: 'Take the one that createWallet returned for this wallet.',
    });
  return publicKey;
}

function useCreateWallet() {
  const write = useWrite();
  return () =>
    write({
      title: 'Create the wallet',
      done: 'The wallet was created.',
      prepare: (client) =>
        client.prepare.createWallet({
          name: 'Secrets',
          description: 'For secrets. Send it no funds.',
          exportable: false,
        }),
      refresh: ['wallets'],
    });
}
