/** A card payment: the amount, the form of the card processor, and the credit. */
import type { PaymentIntent } from '@latchkey/sdk';
import { Button, NumberInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe, StripeElements } from '@stripe/stripe-js';
import { useState } from 'react';
import { Form } from '../../components/form.tsx';
import { Loaded } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { CardElements, CardFields, CardPrivacy, dollars, returnUrl, usePublishableKey } from './card.tsx';
import { explainCardError } from './card-errors.ts';
import { openStripe } from './stripe.ts';

const MIN_DOLLARS = 5;
const MAX_DOLLARS = 10_000;

export function AddCredit({ onPaid }: { onPaid: () => Promise<unknown> }) {
  const publishableKey = usePublishableKey();
  return (
    <Section title={t('Add credit')}>
      <Loaded query={publishableKey} height={150}>
        {(key) =>
          key === null ? (
            <Text size="sm">{t('This service accepts no cards. Ask its operator for credit.')}</Text>
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
      label={t('Continue to the card')}
      send={begin}
      onDone={setBegun}
      align="start"
      button={{ disabled: Number(amount) < MIN_DOLLARS }}
    >
      <NumberInput
        label={t('Amount in US dollars')}
        description={t('From {least}. A write over HTTP and each second of a run cost one cent.', {
          least: `$${MIN_DOLLARS}`,
        })}
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
  intent: { clientSecret, paymentIntentId },
  ...payment
}: Begun & { onCancel: () => void; onPaid: () => Promise<unknown> }) {
  return (
    <CardElements stripe={stripe} clientSecret={clientSecret}>
      <CardForm paymentIntentId={paymentIntentId} {...payment} />
    </CardElements>
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
    if (!stripe || !elements) throw new Error(t('The form of the card processor is not ready.'));
    // The card is charged once. A repeated attempt only asks for the credit.
    if (!isCharged) {
      await charge(stripe, elements);
      setIsCharged(true);
    }
    await client.confirmPayment({ paymentIntentId });
    await onPaid();
    notifications.show({
      message: t('{cents} of credit was added.', { cents: dollars(cents) }),
      color: 'teal',
    });
  };
  return (
    <Stack>
      <Form
        aria-label={t('Card payment')}
        label={isCharged ? t('Ask for the credit again') : t('Pay {cents}', { cents: dollars(cents) })}
        send={() => {
          setIsPaying(true);
          return pay().finally(() => setIsPaying(false));
        }}
        button={{ disabled: !isReady }}
      >
        <CardFields onReady={() => setIsReady(true)} />
      </Form>
      <Button variant="default" onClick={onCancel} disabled={isPaying}>
        {t('Cancel')}
      </Button>
      <CardPrivacy />
    </Stack>
  );
}

/** Charges the card. Rejects when it is not charged immediately. */
async function charge(stripe: Stripe, elements: StripeElements): Promise<void> {
  const { error, paymentIntent } = await stripe.confirmPayment({
    elements,
    redirect: 'if_required',
    confirmParams: { return_url: returnUrl() },
  });
  if (error) throw explainCardError(error);
  if (paymentIntent.status === 'processing')
    throw new Error(t('Your bank takes time for this payment. The credit arrives when it has decided.'));
}
