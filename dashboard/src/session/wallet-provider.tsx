import { type ReactNode, useState } from 'react';
import { type Config as WagmiConfig, WagmiContext } from 'wagmi';
import { createWalletConfig } from '../wallets.ts';
import { useSessionState } from './session-context.tsx';

/** The wallets stay connected when the sign-in page gives way to the pages of the account. */
let wallets: WagmiConfig | undefined;

/** Its content can use the wallets of the browser. It is loaded when it is needed. */
export function WalletProvider({ children }: { children: ReactNode }) {
  const { config, chain } = useSessionState();
  const [shared] = useState(() => {
    wallets ??= createWalletConfig(config, chain);
    return wallets;
  });
  // Not WagmiProvider, which ends the connections whenever it is mounted.
  return <WagmiContext value={shared}>{children}</WagmiContext>;
}
