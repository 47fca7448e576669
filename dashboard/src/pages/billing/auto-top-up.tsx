/** The automatic top-up: a stored card is charged when the credit is low. */
import type { AutoTopUp, AutoTopUpSettings } from '@latchkey/sdk';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton, DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form } from '../../components/form.tsx';
import { Loaded } from '../../components/page.tsx';
import { Facts, Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { useAutoTopUp } from '../../queries.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { dollars, returnUrl } from './card.tsx';
import { explainCardError } from './card-errors.ts';
import { Amounts, type Keyed, StoreCard, useRefresh } from './store-card.tsx';
import { openStripe } from './stripe.ts';

const DEFAULTS: AutoTopUpSettings = { thresholdCents: 500, amountCents: 2_000, monthlyLimitCents: 10_000 };

export function AutoTopUpSection({ publishableKey, onPaid }: Keyed & { onPaid: () => Promise<unknown> }) {
  const topUp = useAutoTopUp();
  return (
    <Section
      title={t('Automatic top-up')}
      about={t(
        'Your card is charged when the credit is low. The settings and the card end when another key or wallet owns the account.',
      )}
    >
      <Loaded query={topUp} height={36}>
        {(found) =>
          found ? (
            <Active topUp={found} publishableKey={publishableKey} onPaid={onPaid} />
          ) : (
            <Group>
              <DialogButton label={t('Turn on')} title={t('Turn the automatic top-up on')}>
                {(close) => (
                  <StoreCard
                    label={t('Turn on')}
                    settings={DEFAULTS}
                    publishableKey={publishableKey}
                    onDone={close}
                  />
                )}
              </DialogButton>
            </Group>
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
        label={t('Automatic top-up')}
        facts={{
          [t('Below')]: dollars(thresholdCents),
          [t('Adds')]: dollars(amountCents),
          [t('This month')]: t('{chargedThisMonthCents} of at most {monthlyLimitCents}', {
            chargedThisMonthCents: dollars(chargedThisMonthCents),
            monthlyLimitCents: dollars(monthlyLimitCents),
          }),
          [t('Card')]: `${card.brand} •••• ${card.last4}, ${card.expiryMonth}/${card.expiryYear}`,
        }}
      />
      <Group>
        <DialogButton label={t('Change')}>
          {(close) => <Change settings={settings} publishableKey={publishableKey} onDone={close} />}
        </DialogButton>
        <DialogButton label={t('Replace the card')}>
          {(close) => (
            <StoreCard
              label={t('Replace the card')}
              settings={settings}
              publishableKey={publishableKey}
              onDone={close}
            />
          )}
        </DialogButton>
        <ConfirmButton
          label={t('Turn off')}
          title={t('Turn the automatic top-up off')}
          confirm={t('Turn off')}
          send={remove}
        >
          {t('The card is removed. Credit that was paid stays.')}
        </ConfirmButton>
      </Group>
    </Stack>
  );
}

const reasons = {
  authentication_required: t('Your bank asks you to confirm the payment.'),
  card_declined: t('The card was declined.'),
  payment_taken_back: t('A payment of the account was refunded or disputed.'),
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
    <Alert color="orange" title={t('Paused: the card is not charged')}>
      <Stack align="start" gap="xs">
        <Text size="sm">
          {reasons[reason]}
          {reason === 'card_declined' && declineCode && (
            <> {t('The bank says: {declineCode}.', { declineCode: declineCode.replaceAll('_', ' ') })}</>
          )}
        </Text>
        {resume.error && <ErrorMessage error={resume.error} />}
        <Button size="xs" onClick={() => resume.mutate()} loading={resume.isPending}>
          {mustConfirm
            ? t('Confirm the payment of {amountCents}', { amountCents: dollars(topUp.amountCents) })
            : t('Try again')}
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
    return <StoreCard label={t('Save')} settings={values} publishableKey={publishableKey} onDone={onDone} />;
  const isRaised = values.monthlyLimitCents > settings.monthlyLimitCents;
  const send = async (): Promise<AutoTopUp | undefined> => {
    if (isRaised) return void setIsAgreeing(true);
    const stored = await client.setAutoTopUp(values);
    await refresh();
    return stored;
  };
  return (
    <Form label={isRaised ? t('Enter the card') : t('Save')} send={send} onDone={onDone}>
      <Amounts values={values} onChange={setValues} />
      {isRaised && (
        <Text size="sm">{t('Its holder must agree to a higher limit: enter the card again.')}</Text>
      )}
    </Form>
  );
}
