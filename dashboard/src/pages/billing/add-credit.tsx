/** A card payment: the amount, the form of the card processor, and the credit. */
import { LatchkeyError, type PaymentIntent } from '@latchkey/sdk';
import { Button, NumberInput, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe, StripeElements } from '@stripe/stripe-js';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Form } from '../../components/form.tsx';
import { Loaded } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { explainCardError } from './card-errors.ts';
import { openStripe } from './stripe.ts';

const MIN_DOLLARS = 5;
const MAX_DOLLARS = 10_000;

const dollars = (cents: number): string =>
  (cents / 100).toLocaleString('en', { style: 'currency', currency: 'USD' });

/** The publishable key, or undefined when the service accepts no cards. */
function usePublishableKey() {
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

export function AddCredit({ onPaid }: { onPaid: () => Promise<unknown> }) {
  const publishableKey = usePublishableKey();
  return (
    <Section title="Add credit">
      <Loaded query={publishableKey} height={150}>
        {(key) =>
          key === null ? (
            <Text size="sm">This service accepts no cards. Ask its operator for credit.</Text>
          ) : (
            <Payment publishableKey={key} onPaid={onPaid} />
          )
        }
      </Loaded>
    </Section>
  );
}

type Begun = { stripe: Stripe; intent: PaymentIntent; cents: number };

function Payment({ publishableKey, onPaid }: { publishableKey: string; onPaid: () => Promise<unknown> }) {
  const { client } = useSession();
  const { stripeJsUrl } = useSessionState().config;
  const [amount, setAmount] = useState<string | number>(20);
  const [begun, setBegun] = useState<Begun>();
  const begin = async (): Promise<Begun> => {
    const cents = Math.round(Number(amount) * 100);
    const stripe = await openStripe(publishableKey, stripeJsUrl);
    return { stripe, intent: await client.createPaymentIntent({ amountCents: cents }), cents };
  };
  if (begun)
    return (
      <PayWithCard
        {...begun}
        onCancel={() => setBegun(undefined)}
        onPaid={async () => {
          await onPaid();
          setBegun(undefined);
        }}
      />
    );
  return (
    <Form
      label="Continue to the card"
      send={begin}
      onDone={setBegun}
      align="start"
      button={{ disabled: Number(amount) < MIN_DOLLARS }}
    >
      <NumberInput
        label="Amount in US dollars"
        description={`From $${MIN_DOLLARS}. A write over HTTP and each second of a run cost one cent.`}
        prefix="$"
        min={MIN_DOLLARS}
        max={MAX_DOLLARS}
        decimalScale={2}
        thousandSeparator=","
        value={amount}
        onChange={setAmount}
        required
      />
    </Form>
  );
}

function PayWithCard({
  stripe,
  intent,
  ...payment
}: Begun & { onCancel: () => void; onPaid: () => Promise<unknown> }) {
  const scheme = useComputedColorScheme('light');
  const { clientSecret } = intent;
  const options = useMemo(
    () => ({
      clientSecret,
      appearance: { theme: scheme === 'dark' ? ('night' as const) : ('stripe' as const) },
    }),
    [clientSecret, scheme],
  );
  return (
    <Elements stripe={stripe} options={options}>
      <CardForm paymentIntentId={intent.paymentIntentId} {...payment} />
    </Elements>
  );
}

function CardForm({
  paymentIntentId,
  cents,
  onCancel,
  onPaid,
}: {
  paymentIntentId: string;
  cents: number;
  onCancel: () => void;
  onPaid: () => Promise<unknown>;
}) {
  const { client } = useSession();
  const stripe = useStripe();
  const elements = useElements();
  const [isReady, setIsReady] = useState(false);
  const [isCharged, setIsCharged] = useState(false);
  const [isPaying, setIsPaying] = useState(false);
  const pay = async (): Promise<void> => {
    if (!stripe || !elements) throw new Error('The form of the card processor is not ready.');
    // The card is charged once. A repeated attempt only asks for the credit.
    if (!isCharged) {
      await charge(stripe, elements);
      setIsCharged(true);
    }
    await client.confirmPayment({ paymentIntentId });
    await onPaid();
    notifications.show({ message: `${dollars(cents)} of credit was added.`, color: 'teal' });
  };
  return (
    <Stack>
      <Form
        aria-label="Card payment"
        label={isCharged ? 'Ask for the credit again' : `Pay ${dollars(cents)}`}
        send={() => {
          setIsPaying(true);
          return pay().finally(() => setIsPaying(false));
        }}
        button={{ disabled: !isReady }}
      >
        <div style={{ minHeight: 220 }}>
          <PaymentElement onReady={() => setIsReady(true)} />
        </div>
      </Form>
      <Button variant="default" onClick={onCancel} disabled={isPaying}>
        Cancel
      </Button>
      <Text size="xs" c="dimmed">
        The form is the card processor's. This page and the service never see the card.
      </Text>
    </Stack>
  );
}

/** Charges the card. Rejects when it is not charged immediately. */
async function charge(stripe: Stripe, elements: StripeElements): Promise<void> {
  const { error, paymentIntent } = await stripe.confirmPayment({
    elements,
    redirect: 'if_required',
    // For payments that leave this page, which drops the parameters of their return URL.
    confirmParams: { return_url: `${location.origin}/billing` },
  });
  if (error) throw explainCardError(error);
  if (paymentIntent.status === 'processing')
    throw new Error('Your bank takes time for this payment. The credit arrives when it has decided.');
}
