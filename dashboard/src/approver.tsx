/** The frame of the pages for an approver, who has a wallet or a passkey and needs no account. */
import { Container } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { WalletProvider } from './session/wallet-provider.tsx';

export default function Approver() {
  return (
    <WalletProvider>
      <Container component="main" py="xl">
        <Outlet />
      </Container>
    </WalletProvider>
  );
}
