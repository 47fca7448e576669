/** The forms of the automatic top-up: its amounts, and the card that is stored for it. */
import type { AutoTopUp, AutoTopUpSettings, SetupIntent } from '@latchkey/sdk';
import { Button, NumberInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { CardElements, CardFields, CardPrivacy, dollars, returnUrl } from './card.tsx';
import { explainCardError } from './card-errors.ts';
import { openStripe } from './stripe.ts';

export type Keyed = { publishableKey: string };

/** Reads the automatic top-up again. */
export function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['top-up'] });
}

export function Amounts({
  values,
  onChange,
}: {
  values: AutoTopUpSettings;
  onChange: (values: AutoTopUpSettings) => void;
}) {
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
      <NumberInput label={t('When the credit is below')} {...field('thresholdCents', 0.01)} />
      <NumberInput label={t('Add')} description={t('From $5.')} {...field('amountCents', 5)} />
      <NumberInput
        label={t('At most per month')}
        description={t('By the calendar, in UTC. At most 10 charges are made in a day.')}
        {...field('monthlyLimitCents', values.amountCents / 100)}
      />
    </>
  );
}

type Begun = { stripe: Stripe; setup: SetupIntent };

/** The amounts, and then the form of the card. */
export function StoreCard({
  label,
  settings,
  publishableKey,
  onDone,
}: Keyed & { label: string; settings: AutoTopUpSettings; onDone: () => void }) {
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
      <Form label={t('Store a card')} send={begin} onDone={setBegun}>
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
  onDone: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const stripe = useStripe();
  const elements = useElements();
  const [isReady, setIsReady] = useState(false);
  const [isStored, setIsStored] = useState(false);
  const send = async (): Promise<AutoTopUp> => {
    if (!stripe || !elements) throw new Error(t('The form of the card processor is not ready.'));
    // The card is stored once. A repeated attempt only turns the top-up on.
    if (!isStored) {
      const confirmParams = { return_url: returnUrl() };
      const { error } = await stripe.confirmSetup({ elements, redirect: 'if_required', confirmParams });
      if (error) throw explainCardError(error);
      setIsStored(true);
    }
    const stored = await client.setAutoTopUp({ ...settings, setupIntentId });
    notifications.show({ message: t('The card is stored for automatic top-ups.'), color: 'teal' });
    return stored;
  };
  const done = (): void => {
    onDone();
    void refresh();
  };
  return (
    <Stack>
      <Form
        aria-label={t('Card for automatic top-ups')}
        label={label}
        send={send}
        onDone={done}
        button={{ disabled: !isReady }}
      >
        <CardFields onReady={() => setIsReady(true)} />
      </Form>
      <Button variant="default" onClick={onCancel}>
        {t('Cancel')}
      </Button>
      <Text size="sm">
        {t(
          'You permit the service to charge this card up to {monthlyLimitCents} per month without asking again, until you turn it off.',
          { monthlyLimitCents: dollars(settings.monthlyLimitCents) },
        )}
      </Text>
      <CardPrivacy />
    </Stack>
  );
}
