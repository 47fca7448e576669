/** The automatic top-up: a stored card is charged when the credit is low. */
import type { AutoTopUp, AutoTopUpSettings, SetupIntent } from '@latchkey/sdk';
import { Alert, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton, DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form } from '../../components/form.tsx';
import { Loaded } from '../../components/page.tsx';
import { Facts, Section } from '../../components/section.tsx';
import { useAutoTopUp } from '../../queries.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { CardElements, CardFields, CardPrivacy, dollars, returnUrl } from './card.tsx';
import { explainCardError } from './card-errors.ts';
import { openStripe } from './stripe.ts';

const DEFAULTS: AutoTopUpSettings = { thresholdCents: 500, amountCents: 2_000, monthlyLimitCents: 10_000 };

type Keyed = { publishableKey: string };

export function AutoTopUpSection({ publishableKey, onPaid }: Keyed & { onPaid: () => Promise<unknown> }) {
  const topUp = useAutoTopUp();
  return (
    <Section
      title="Automatic top-up"
      about="Your card is charged when the credit is low. The settings and the card end when another key or wallet owns the account."
    >
      <Loaded query={topUp} height={120}>
        {(found) =>
          found ? (
            <Active topUp={found} publishableKey={publishableKey} onPaid={onPaid} />
          ) : (
            <StoreCard label="Turn on" settings={DEFAULTS} publishableKey={publishableKey} />
          )
        }
      </Loaded>
    </Section>
  );
}

function Active({
  topUp,
  publishableKey,
  onPaid,
}: Keyed & { topUp: AutoTopUp; onPaid: () => Promise<unknown> }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const { thresholdCents, amountCents, monthlyLimitCents, chargedThisMonthCents, card } = topUp;
  const settings = { thresholdCents, amountCents, monthlyLimitCents };
  const remove = async (): Promise<void> => {
    await client.removeAutoTopUp();
    await refresh();
  };
  return (
    <Stack>
      {topUp.paused && <Paused topUp={topUp} publishableKey={publishableKey} onPaid={onPaid} />}
      <Facts
        label="Automatic top-up"
        facts={{
          Below: dollars(thresholdCents),
          Adds: dollars(amountCents),
          'This month': `${dollars(chargedThisMonthCents)} of at most ${dollars(monthlyLimitCents)}`,
          Card: `${card.brand} •••• ${card.last4}, ${card.expiryMonth}/${card.expiryYear}`,
        }}
      />
      <Group>
        <DialogButton label="Change">
          {(close) => <Change settings={settings} publishableKey={publishableKey} onDone={close} />}
        </DialogButton>
        <DialogButton label="Replace the card">
          {(close) => (
            <StoreCard
              label="Replace the card"
              settings={settings}
              publishableKey={publishableKey}
              onDone={close}
            />
          )}
        </DialogButton>
        <ConfirmButton
          label="Turn off"
          title="Turn the automatic top-up off"
          confirm="Turn off"
          send={remove}
        >
          The card is removed. Credit that was paid stays.
        </ConfirmButton>
      </Group>
    </Stack>
  );
}

const reasons = {
  authentication_required: 'Your bank asks you to confirm the payment.',
  card_declined: 'The card was declined.',
  payment_taken_back: 'A payment of the account was refunded or disputed.',
};

/** Why no charge is made, and the button that ends it. */
function Paused({
  topUp: { paused, ...topUp },
  publishableKey,
  onPaid,
}: Keyed & { topUp: AutoTopUp; onPaid: () => Promise<unknown> }) {
  const { client } = useSession();
  const { stripeJsUrl } = useSessionState().config;
  const refresh = useRefresh();
  const mustConfirm = paused?.reason === 'authentication_required';
  const resume = useMutation({
    mutationFn: async () => {
      if (!mustConfirm) return client.setAutoTopUp(topUp);
      const { paymentIntentId, clientSecret, paymentMethodId } = await client.getTopUpPayment();
      const stripe = await openStripe(publishableKey, stripeJsUrl);
      const { error } = await stripe.confirmPayment({
        clientSecret,
        redirect: 'if_required',
        confirmParams: { payment_method: paymentMethodId, return_url: returnUrl() },
      });
      if (error) throw explainCardError(error);
      await client.confirmPayment({ paymentIntentId });
      return onPaid();
    },
    onSettled: refresh,
  });
  if (!paused) return null;
  const { reason, declineCode } = paused;
  return (
    <Alert color="orange" title="Paused: the card is not charged">
      <Stack align="start" gap="xs">
        <Text size="sm">
          {reasons[reason]}
          {reason === 'card_declined' &&
            declineCode &&
            ` The bank says: ${declineCode.replaceAll('_', ' ')}.`}
        </Text>
        {resume.error && <ErrorMessage error={resume.error} />}
        <Button size="xs" onClick={() => resume.mutate()} loading={resume.isPending}>
          {mustConfirm ? `Confirm the payment of ${dollars(topUp.amountCents)}` : 'Try again'}
        </Button>
      </Stack>
    </Alert>
  );
}

function Change({
  settings,
  publishableKey,
  onDone,
}: Keyed & { settings: AutoTopUpSettings; onDone: () => void }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [values, setValues] = useState(settings);
  const [isAgreeing, setIsAgreeing] = useState(false);
  if (isAgreeing)
    return <StoreCard label="Save" settings={values} publishableKey={publishableKey} onDone={onDone} />;
  const isRaised = values.monthlyLimitCents > settings.monthlyLimitCents;
  const send = async (): Promise<AutoTopUp | undefined> => {
    if (isRaised) return void setIsAgreeing(true);
    const stored = await client.setAutoTopUp(values);
    await refresh();
    return stored;
  };
  return (
    <Form label={isRaised ? 'Enter the card' : 'Save'} send={send} onDone={onDone}>
      <Amounts values={values} onChange={setValues} />
      {isRaised && <Text size="sm">Its holder must agree to a higher limit: enter the card again.</Text>}
    </Form>
  );
}

type Editing = { values: AutoTopUpSettings; onChange: (values: AutoTopUpSettings) => void };

function Amounts({ values, onChange }: Editing) {
  const field = (name: keyof AutoTopUpSettings, min: number) => ({
    prefix: '$',
    min,
    decimalScale: 2,
    thousandSeparator: ',',
    value: values[name] / 100,
    onChange: (value: string | number) => onChange({ ...values, [name]: Math.round(Number(value) * 100) }),
    required: true,
  });
  return (
    <>
      <NumberInput label="When the credit is below" {...field('thresholdCents', 0.01)} />
      <NumberInput label="Add" description="From $5." {...field('amountCents', 5)} />
      <NumberInput
        label="At most per month"
        description="By the calendar, in UTC. At most 10 charges are made in a day."
        {...field('monthlyLimitCents', values.amountCents / 100)}
      />
    </>
  );
}

type Begun = { stripe: Stripe; setup: SetupIntent };

/** The amounts, and then the form of the card. */
function StoreCard({
  label,
  settings,
  publishableKey,
  onDone,
}: Keyed & { label: string; settings: AutoTopUpSettings; onDone?: () => void }) {
  const { client } = useSession();
  const { stripeJsUrl } = useSessionState().config;
  const [values, setValues] = useState(settings);
  const [begun, setBegun] = useState<Begun>();
  const begin = async (): Promise<Begun> => {
    const stripe = await openStripe(publishableKey, stripeJsUrl);
    return { stripe, setup: await client.createSetupIntent() };
  };
  if (!begun)
    return (
      <Form label="Store a card" send={begin} onDone={setBegun} align="start">
        <Amounts values={values} onChange={setValues} />
      </Form>
    );
  const { stripe, setup } = begun;
  return (
    <CardElements stripe={stripe} clientSecret={setup.clientSecret}>
      <CardForm
        label={label}
        setup={setup}
        settings={values}
        onCancel={() => setBegun(undefined)}
        onDone={onDone}
      />
    </CardElements>
  );
}

function CardForm({
  label,
  setup: { setupIntentId },
  settings,
  onCancel,
  onDone,
}: {
  label: string;
  setup: SetupIntent;
  settings: AutoTopUpSettings;
  onCancel: () => void;
  onDone: (() => void) | undefined;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const stripe = useStripe();
  const elements = useElements();
  const [isReady, setIsReady] = useState(false);
  const [isStored, setIsStored] = useState(false);
  const send = async (): Promise<AutoTopUp> => {
    if (!stripe || !elements) throw new Error('The form of the card processor is not ready.');
    // The card is stored once. A repeated attempt only turns the top-up on.
    if (!isStored) {
      const confirmParams = { return_url: returnUrl() };
      const { error } = await stripe.confirmSetup({ elements, redirect: 'if_required', confirmParams });
      if (error) throw explainCardError(error);
      setIsStored(true);
    }
    const stored = await client.setAutoTopUp({ ...settings, setupIntentId });
    notifications.show({ message: 'The card is stored for automatic top-ups.', color: 'teal' });
    return stored;
  };
  const done = (): void => {
    onDone?.();
    void refresh();
  };
  return (
    <Stack>
      <Form
        aria-label="Card for automatic top-ups"
        label={label}
        send={send}
        onDone={done}
        button={{ disabled: !isReady }}
      >
        <CardFields onReady={() => setIsReady(true)} />
      </Form>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Text size="sm">
        You permit the service to charge this card up to {dollars(settings.monthlyLimitCents)} per month
        without asking again, until you turn it off.
      </Text>
      <CardPrivacy />
    </Stack>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['top-up'] });
}
