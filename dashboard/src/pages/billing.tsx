import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CreditAccess } from '../components/credit-access.tsx';
import { Loaded, Loading, Page } from '../components/page.tsx';
import { Dimmed, Section } from '../components/section.tsx';
import { formatMicros } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useBalance } from '../queries.ts';
import { AddCredit } from './billing/add-credit.tsx';
import { AutoTopUpSection } from './billing/auto-top-up.tsx';
import { usePublishableKey } from './billing/card.tsx';
import { Ledger } from './billing/ledger.tsx';

export default function Billing() {
  return (
    <Page
      title={t('Billing')}
      about={t('Credit pays for runs and for writes over HTTP. Add it by card; the ledger has every change.')}
    >
      <CreditAccess>
        <Credit />
      </CreditAccess>
    </Page>
  );
}

function Credit() {
  const balance = useBalance();
  const queries = useQueryClient();
  const { data: publishableKey, isPending } = usePublishableKey();
  // The query of the balance is not refetched by itself in ChainSecured mode.
  const refresh = (): Promise<unknown> =>
    Promise.all([balance.refetch(), queries.invalidateQueries({ queryKey: ['ledger'] })]);
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t('Credit')}>
          <Loaded query={balance} height={100}>
            {({ creditMicros }) => (
              <Stack gap="xs">
                <Text fw={700} fz={32}>
                  {formatMicros(creditMicros)}
                </Text>
                <Dimmed>
                  {creditMicros < 0n
                    ? t(
                        'The account owes this amount: a payment was taken back. Add credit to run actions again.',
                      )
                    : t('Available now, without what is reserved for runs and writes in progress.')}
                </Dimmed>
              </Stack>
            )}
          </Loaded>
        </Section>
        <AddCredit onPaid={refresh} />
      </SimpleGrid>
      {isPending ? (
        // The ledger would move when the section above it comes.
        <Loading height={400} />
      ) : (
        <>
          {publishableKey && <AutoTopUpSection publishableKey={publishableKey} onPaid={refresh} />}
          <Ledger />
        </>
      )}
    </Stack>
  );
}
