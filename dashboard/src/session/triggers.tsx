/** The login to the trigger service, which has tokens of its own. */
import { createTriggersClient, logInToTriggers, type TriggersClient } from '@latchkey/sdk';
import { Button, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ErrorMessage } from '../components/error-message.tsx';
import { Loading } from '../components/page.tsx';
import { t } from '../i18n.ts';
import { TRIGGERS_LOGIN, useSession, useSessionState } from './session-context.tsx';

/** The token is valid for 12 hours. */
const LOGIN_MS = 11 * 3_600_000;
const CHECK_MS = 30_000;

/** The client of the trigger service. An account key logs in immediately, a wallet only when it is asked to. */
export function useTriggersLogin() {
  const { config } = useSessionState();
  const session = useSession();
  return useQuery({
    queryKey: TRIGGERS_LOGIN,
    queryFn: async () => {
      const url = config.triggersUrl;
      const { token } = await logInToTriggers(
        session.mode === 'api' ? { url, accountKey: session.accountKey } : { url, wallet: session.wallet },
      );
      return createTriggersClient({ url, token });
    },
    enabled: session.mode === 'api',
    staleTime: LOGIN_MS,
    gcTime: LOGIN_MS,
  });
}

/** Shows its content with a client of the trigger service. A wallet is asked to sign a message for it. */
export function WithTriggers({ children }: { children: (client: TriggersClient) => ReactNode }) {
  const session = useSession();
  const queries = useQueryClient();
  const login = useTriggersLogin();
  const isLoggedIn = login.data !== undefined;
  const endsAt = login.dataUpdatedAt + LOGIN_MS;
  useEffect(() => {
    if (!isLoggedIn) return;
    // Short timers: a long one would stand still while the computer sleeps.
    const timer = setInterval(() => {
      const isLoggingIn = queries.isFetching({ queryKey: TRIGGERS_LOGIN }) > 0;
      if (Date.now() >= endsAt && !isLoggingIn) void queries.resetQueries({ queryKey: TRIGGERS_LOGIN });
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [isLoggedIn, endsAt, queries]);
  if (login.data && Date.now() < endsAt) return children(login.data);
  if (login.isFetching) return <Loading height={240} label={t('Logging in')} />;
  if (session.mode === 'api' && login.error)
    return <ErrorMessage error={login.error} onRetry={() => void login.refetch()} />;
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="start" maw={520}>
        <Text>
          {t(
            'The trigger service runs actions for you while you are away. Log in to it with your wallet: it signs a message and sends no transaction.',
          )}
        </Text>
        {login.error && <ErrorMessage error={login.error} />}
        <Button onClick={() => void login.refetch()}>{t('Log in with the wallet')}</Button>
      </Stack>
    </Paper>
  );
}
