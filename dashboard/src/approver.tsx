/** The frame of one approval for an approver, who has a wallet and needs no account. */
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
