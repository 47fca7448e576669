import { Stack, Text } from '@mantine/core';
import { ChooseWallet } from '../../components/choose-wallet.tsx';
import { t } from '../../i18n.ts';
import { openWithWallet } from '../../session/session.ts';
import { useSessionState } from '../../session/session-context.tsx';
import { WalletProvider } from '../../session/wallet-provider.tsx';

export default function WithWallet() {
  const { config, open } = useSessionState();
  return (
    <WalletProvider>
      <Stack>
        <Text size="sm">
          {t(
            'The wallet owns the account and signs every change itself. One without an account can open one.',
          )}
        </Text>
        <ChooseWallet onConnect={({ wallet }) => open(openWithWallet(config, wallet))} />
      </Stack>
    </WalletProvider>
  );
}
