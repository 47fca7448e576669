/** Says when the session is over or can no longer write: it ended in another tab, the key was refused, or the wallet uses another account or chain. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConfig, useConnection } from 'wagmi';
import { switchChain } from 'wagmi/actions';
import { ErrorMessage } from '../components/error-message.tsx';
import { useAskedLeave } from '../components/unsaved.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { walletOf } from '../wallets.ts';
import { type ChainSecuredSession, openWithWallet } from './session.ts';
import { useSession, useSessionState } from './session-context.tsx';

export function SessionNotice() {
  const { isRefused, isEnded, close, signOut } = useSessionState();
  const session = useSession();
  if (isEnded)
    return (
      <Notice
        title={t('The account was signed out in another tab')}
        button={t('Reload the page')}
        act={signOut}
      >
        {t(
          'This page stays because it would lose something. Copy or store what you still need, then reload it.',
        )}
      </Notice>
    );
  if (session.mode === 'chainSecured') return <WalletNotice session={session} />;
  if (!isRefused) return null;
  return (
    <Notice isEnd title={t('The account key is no longer valid')} button={t('Sign in again')} act={close}>
      {t(
        'It was replaced, or the account was retired. The page shows what it has loaded before, and can change nothing. Copy what you still need, then sign in with the new key, or with the wallet that owns the account.',
      )}
    </Notice>
  );
}

function WalletNotice({ session }: { session: ChainSecuredSession }) {
  const { config, open, close } = useSessionState();
  const wagmi = useConfig();
  const { address, chainId, connector } = useConnection();
  const [chain] = wagmi.chains;
  if (address === undefined || !connector)
    return (
      <Notice isEnd title={t('The wallet is no longer connected')} button={t('Sign in again')} act={close}>
        {t('It signs nothing for this page until you connect it again.')}
      </Notice>
    );
  if (address !== session.address) {
    const next = async (): Promise<void> => {
      const { wallet } = await walletOf(wagmi, connector, address);
      open(openWithWallet(config, wallet));
    };
    return (
      <Notice
        isEnd
        title={t('The wallet uses another account now')}
        button={t('Continue with the other account')}
        act={next}
      >
        {t(
          'The page belongs to {admin}, and the wallet signs with {other}. Choose the first one in the wallet again, or continue with the other one.',
          {
            admin: <Identifier value={session.address} label={t('Copy the admin wallet')} />,
            other: <Identifier value={address} label={t('Copy the account of the wallet')} />,
          },
        )}
      </Notice>
    );
  }
  if (chainId === chain.id) return null;
  return (
    <Notice
      title={t('The wallet uses another chain now')}
      button={t('Change to {name}', { name: chain.name })}
      act={() => switchChain(wagmi, { chainId: chain.id })}
    >
      {t('The account is on {name} ({id}).', { name: chain.name, id: chain.id })}
    </Notice>
  );
}

function Notice({
  title,
  button,
  act,
  isEnd = false,
  children,
}: {
  title: string;
  button: string;
  act: () => unknown;
  /** The button ends the session of the page: it asks first when the page would lose something. */
  isEnd?: boolean;
  children: ReactNode;
}) {
  const acting = useMutation({ mutationFn: async () => act() });
  const [askOrAct, dialog] = useAskedLeave(acting.mutate);
  return (
    <Alert color="orange" title={title} role="alert" mb="md">
      <Stack align="start" gap="xs">
        <Text size="sm" component="div">
          {children}
        </Text>
        {acting.error && <ErrorMessage error={acting.error} />}
        <Button size="xs" variant="default" onClick={isEnd ? askOrAct : () => acting.mutate()}>
          {button}
        </Button>
      </Stack>
      {dialog}
    </Alert>
  );
}
