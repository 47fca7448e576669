import { LatchkeyError, type SecretItem } from '@latchkey/sdk';
import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
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
      {!rotated && (
        <TextInput
          label="Name"
          description="Letters, digits and _"
          placeholder="WEATHER_API_KEY"
          {...text(name, setName)}
          pattern="[A-Za-z_][A-Za-z0-9_]*"
          maxLength={64}
          autoComplete="off"
          required
          data-autofocus
        />
      )}
      <Textarea
        label="Value"
        description="Encrypted before it leaves this page. It is not shown again."
        ref={value}
        rows={4}
        maxLength={65_536}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus={rotated && true}
      />
      <Select
        label="Wallet"
        description="The groups that have it may read the secret."
        data={[{ value: NEW, label: 'A new wallet for secrets' }, ...walletOptions(wallets)]}
        value={wallet}
        onChange={(chosen) => setWallet(chosen ?? NEW)}
        allowDeselect={false}
        searchable
      />
      {wallet === NEW ? (
        <Text size="sm">
          The new wallet is in no group, and its private key is not exportable. Add it to a group afterwards.
        </Text>
      ) : (
        !known.has(wallet as Address) && (
          <TextInput
            label="Public key of the wallet"
            description="0x04 and 128 hex digits, as createWallet of the SDK returned it"
            {...text(typedKey, setTypedKey)}
            pattern="\s*0x04[0-9a-fA-F]{128}\s*"
            autoComplete="off"
            required
          />
        )
      )}
    </Form>
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
