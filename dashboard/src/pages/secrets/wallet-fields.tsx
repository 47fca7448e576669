import { Select, Text, TextInput } from '@mantine/core';
import { permitsWallet } from '../../access.ts';
import { text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import {
  type ListedGroup,
  type ListedWallet,
  nameOfGroup,
  nameOfWallet,
  walletOptions,
} from '../../names.ts';
import type { Versions } from './versions.ts';
import { NEW, type WalletChoice } from './wallet-choice.ts';

/** The wallet to which a value is encrypted, and who can read the value with it. */
export function WalletFields({
  wallets,
  groups,
  rotated,
  choice,
}: {
  wallets: readonly ListedWallet[];
  groups: readonly ListedGroup[];
  rotated: Versions | undefined;
  choice: WalletChoice;
}) {
  const { wallet, setWallet, isKeyAsked, typedKey, setTypedKey, isVerified } = choice;
  const other = rotated?.find(({ walletAddress }) => !isSame(walletAddress, wallet));
  return (
    <>
      <Select
        label={t('Wallet')}
        description={t('The groups that have it may read the secret.')}
        data={[{ value: NEW, label: t('A new wallet for secrets') }, ...walletOptions(wallets)]}
        value={wallet}
        onChange={(chosen) => setWallet(chosen ?? NEW)}
        allowDeselect={false}
        searchable
      />
      <Text size="sm">{describeWallet(wallet, wallets, groups)}</Text>
      {other && (
        <Text size="sm" fw={600}>
          {t('Version {version} has another wallet: {wallets}.', {
            version: other.version,
            wallets: nameOfWallet(wallets, other.walletAddress),
          })}
        </Text>
      )}
      {!isVerified && (
        <Text size="sm">
          {t(
            'This page has no contract and node of its own, so the relayer could name a wallet of which it has the key.',
          )}
        </Text>
      )}
      {isKeyAsked && (
        <TextInput
          label={t('Public key of the wallet')}
          description={t(
            '0x04 and 128 hex digits, as createWallet of the SDK returned it. Keep it: a rotation can ask for it.',
          )}
          {...text(typedKey, setTypedKey)}
          pattern="\s*0x04[0-9a-fA-F]{128}\s*"
          autoComplete="off"
          required
        />
      )}
    </>
  );
}

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

function describeWallet(
  wallet: string,
  wallets: readonly ListedWallet[],
  groups: readonly ListedGroup[],
): string {
  if (wallet === NEW)
    return t(
      'The new wallet is in no group, and its private key is not exportable. Add it to a group afterwards.',
    );
  const listed = wallets.find(({ walletAddress }) => isSame(walletAddress, wallet));
  if (!listed) return t('The account has no wallet {wallet}.', { wallet });
  const names = groups.filter((group) => permitsWallet(group, listed.walletAddress)).map(nameOfGroup);
  const key = listed.exportable
    ? t('Its private key is exportable: their actions can take it, and open all secrets of the wallet.')
    : t('Its private key is not exportable.');
  return t('Groups that may read it: {names}. {key}', { names: names.join(', ') || t('none'), key });
}
