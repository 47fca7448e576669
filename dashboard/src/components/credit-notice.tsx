/** Says on every page that credit is low, or that the automatic top-up was paused. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../i18n.ts';
import { useAutoTopUp, useBalance } from '../queries.ts';
import { useSession } from '../session/session-context.tsx';
import { TextLink } from './text-link.tsx';
import { formatMicros, MICROS_PER_CENT } from './values.tsx';

/** Threshold of an account that has set none for the event `credit.low`. */
const LOW_CENTS = 100;

export function CreditNotice() {
  const { client } = useSession();
  const balance = useBalance();
  const topUp = useAutoTopUp();
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => client.listWebhooks(),
    // A wallet that has signed for the balance is not asked again.
    enabled: balance.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (topUp.data?.paused)
    return <Notice>{t('The automatic top-up is paused: your card is not charged.')}</Notice>;
  if (!balance.data || webhooks.isPending || topUp.isPending) return null;
  const card = topUp.data;
  // The card is charged in a moment.
  if (card && card.chargedThisMonthCents + card.amountCents <= card.monthlyLimitCents) return null;
  const thresholds = (webhooks.data ?? []).flatMap(({ enabled, creditLowCents }) =>
    enabled && creditLowCents !== undefined ? [creditLowCents] : [],
  );
  const lowCents = thresholds.length > 0 ? Math.max(...thresholds) : LOW_CENTS;
  const { creditMicros } = balance.data;
  if (creditMicros >= BigInt(lowCents) * MICROS_PER_CENT) return null;
  return (
    <Notice>
      {t('Credit is low: {creditMicros}. Runs and writes stop without credit.', {
        creditMicros: formatMicros(creditMicros),
      })}
    </Notice>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" variant="outline" mb="md" py="xs" role="status" className="screen-only">
      <Text size="sm">
        {children} <TextLink to="/billing">{t('Go to billing')}</TextLink>
      </Text>
    </Alert>
  );
}
