import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { WalletIcon } from 'lucide-react';
import { useConfig, useConnectors } from 'wagmi';
import { t } from '../i18n.ts';
import { type ConnectedWallet, connectWallet } from '../wallets.ts';
import { ErrorMessage } from './error-message.tsx';

/** The wallets of this browser. Connects the one that is chosen. */
export function ChooseWallet({ onConnect }: { onConnect: (connected: ConnectedWallet) => void }) {
  const wagmi = useConfig();
  const connectors = useConnectors();
  const connect = useMutation({
    mutationFn: (connector: (typeof connectors)[number]) => connectWallet(wagmi, connector),
    onSuccess: onConnect,
  });
  if (connectors.length === 0)
    return (
      <Text size="sm">
        {t(
          'This browser has no wallet. Install a wallet extension, or open this page in the browser of your wallet, and reload it.',
        )}
      </Text>
    );
  return (
    <Stack>
      {connectors.map((connector) => (
        <Button
          key={connector.uid}
          variant="default"
          leftSection={
            connector.icon ? (
              <img src={connector.icon} alt="" width={20} height={20} />
            ) : (
              <WalletIcon size={20} aria-hidden />
            )
          }
          loading={connect.isPending && connect.variables === connector}
          onClick={() => connect.mutate(connector)}
        >
          {connector.name}
        </Button>
      ))}
      {connect.error && <ErrorMessage error={connect.error} />}
    </Stack>
  );
}
