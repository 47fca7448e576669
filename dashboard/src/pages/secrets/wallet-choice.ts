import { LatchkeyError, type SecretItem } from '@latchkey/sdk';
import { useState } from 'react';
import { type Address, type Hex, isAddressEqual } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { t } from '../../i18n.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { useWrite } from '../../session/write.tsx';
import type { Versions } from './versions.ts';

/** In place of an address: a wallet that is created when the value is set. */
export const NEW = 'new';

export type WalletChoice = ReturnType<typeof useWalletChoice>;

/** The wallet of a value in a form. Public keys that the relayer lists are used only if the client checks their wallets with the contract. */
export function useWalletChoice(secrets: readonly SecretItem[], rotated: Versions | undefined) {
  const isVerified = useIsVerified();
  const create = useCreateWallet();
  const known = isVerified ? publicKeysOf(secrets) : new Map<Address, Hex>();
  const [wallet, setWallet] = useState<string>(rotated?.[0].walletAddress ?? [...known.keys()][0] ?? NEW);
  const [typedKey, setTypedKey] = useState('');
  return {
    wallet,
    setWallet,
    typedKey,
    setTypedKey,
    isVerified,
    isKeyAsked: wallet !== NEW && !known.has(wallet as Address),
    /** Returns the public key of the wallet. Undefined: the user did not confirm a new wallet, or must keep its key first. */
    async publicKey(): Promise<Hex | undefined> {
      if (wallet !== NEW)
        return requireKeyOf(wallet, known.get(wallet as Address) ?? (typedKey.trim() as Hex));
      const created = await create();
      if (!created) return undefined;
      // Trying again after a failure uses this wallet.
      setWallet(created.walletAddress);
      setTypedKey(created.publicKey ?? '');
      return isVerified ? created.publicKey : undefined;
    },
  };
}

/** Whether the client has a contract that the relayer did not name, and reads it without the relayer. */
function useIsVerified(): boolean {
  const { config, session } = useSessionState();
  const isReading = session?.mode === 'chainSecured' || config.rpcUrl !== undefined;
  return config.contractAddress !== undefined && isReading;
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
    throw new LatchkeyError('configuration', t('This is the public key of another wallet.'), {
      fix: t('Take the one that createWallet returned for this wallet.'),
    });
  return publicKey;
}

function useCreateWallet() {
  const write = useWrite();
  return () =>
    write({
      title: t('Create the wallet'),
      done: t('The wallet was created.'),
      prepare: (client) =>
        client.prepare.createWallet({
          name: 'Secrets',
          description: t('For secrets. Send it no funds.'),
          exportable: false,
        }),
      refresh: ['wallets'],
    });
}
