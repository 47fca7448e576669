import { Button, Card, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n.ts';
import { useBalance } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { ErrorMessage } from './error-message.tsx';
import { Heading } from './section.tsx';

/** Whether runs and credit can be read without asking the wallet for its first signature. */
export function useCreditAccess(): boolean {
  const { mode } = useSession();
  const balance = useBalance();
  return mode === 'api' || balance.data !== undefined;
}

/** Content that reads runs or credit. In ChainSecured mode it first explains the signature that this needs. */
export function CreditAccess({ children }: { children: ReactNode }) {
  const balance = useBalance();
  const hasAccess = useCreditAccess();
  if (hasAccess) return children;
  return (
    <Card withBorder padding="lg" radius="md" maw={560}>
      <Stack align="start">
        <Heading>{t('Runs and credit are private')}</Heading>
        <Text size="sm">
          {t(
            'To read them, your wallet signs one message (BillingAuth). It proves that you own the account. The signature is free: it sends no transaction. After four minutes the wallet is asked again.',
          )}
        </Text>
        {balance.error && <ErrorMessage error={balance.error} />}
        <Button onClick={() => void balance.refetch()} loading={balance.isFetching}>
          {t('Sign with the wallet')}
        </Button>
      </Stack>
    </Card>
  );
}
