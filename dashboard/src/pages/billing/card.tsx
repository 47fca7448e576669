/** The card processor's form of a card, and what its users share. */
import { LatchkeyError } from '@latchkey/sdk';
import { Text, useComputedColorScheme } from '@mantine/core';
import { Elements, PaymentElement } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { locale, t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';

export const dollars = (cents: number): string =>
  (cents / 100).toLocaleString(locale, { style: 'currency', currency: 'USD' });

/** Where payments and setups that leave this page come back to. The page drops the parameters of the URL. */
export const returnUrl = (): string => `${location.origin}/billing`;

/** The publishable key, or null when the service accepts no cards. */
export function usePublishableKey() {
  const { client } = useSession();
  return useQuery({
    queryKey: ['processor'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      client.getProcessorConfig().then(
        ({ publishableKey }): string | null => publishableKey,
        (error: unknown) => {
          if (error instanceof LatchkeyError && error.code === 'not_found') return null;
          throw error;
        },
      ),
  });
}

/** The form's frame for one payment or setup. */
export function CardElements({
  stripe,
  clientSecret,
  children,
}: {
  stripe: Stripe;
  clientSecret: string;
  children: ReactNode;
}) {
  const scheme = useComputedColorScheme('light');
  const options = useMemo(
    () => ({
      clientSecret,
      appearance: { theme: scheme === 'dark' ? ('night' as const) : ('stripe' as const) },
    }),
    [clientSecret, scheme],
  );
  return (
    <Elements stripe={stripe} options={options}>
      {children}
    </Elements>
  );
}

export function CardFields({ onReady }: { onReady: () => void }) {
  return (
    <div style={{ minHeight: 220 }}>
      <PaymentElement onReady={onReady} />
    </div>
  );
}

export function CardPrivacy() {
  return (
    <Text size="xs" c="dimmed">
      {t("The form is the card processor's. This page and the service never see the card.")}
    </Text>
  );
}
