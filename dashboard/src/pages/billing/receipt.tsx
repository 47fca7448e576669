/** The receipt of a payment, as a page that can be printed. */
import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CreditAccess } from '../../components/credit-access.tsx';
import { Loaded, Missing, Page } from '../../components/page.tsx';
import { Facts } from '../../components/section.tsx';
import { locale, t } from '../../i18n.ts';
import { toWord } from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';
import { dollars } from './card.tsx';

export default function Receipt() {
  return (
    <CreditAccess>
      <PaymentReceipt />
    </CreditAccess>
  );
}

function PaymentReceipt() {
  const { client, mode } = useSession();
  const { intent } = useParams({ from: '/billing/receipts/$intent' });
  const receipt = useQuery({
    queryKey: ['receipt', intent],
    queryFn: () => client.getPaymentReceipt({ paymentIntentId: intent }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: mode === 'api',
  });
  const missing = (
    <Missing title={t('There is no such payment')} why={t('The account does not have it.')} to="/billing" />
  );
  return (
    <Loaded query={receipt} missing={missing}>
      {({ amountCents, paidAt, account, paymentIntentId, receiptUrl }) => (
        <Page title={t('Receipt')} about={t('Latchkey, prepaid credit')}>
          <Stack align="start">
            <Facts
              label={t('Receipt')}
              facts={{
                [t('Amount')]: `${dollars(amountCents)} (USD)`,
                [t('Date')]: paidAt.toLocaleString(locale, {
                  dateStyle: 'long',
                  timeStyle: 'long',
                  timeZone: 'UTC',
                }),
                [t('Account')]: toWord(account),
                [t('Payment')]: paymentIntentId,
              }}
            />
            <Group className="screen-only">
              <Button onClick={() => print()}>{t('Print')}</Button>
              {receiptUrl !== undefined && (
                <Anchor href={receiptUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
                  {t('Receipt of the card processor')}
                </Anchor>
              )}
            </Group>
          </Stack>
        </Page>
      )}
    </Loaded>
  );
}
