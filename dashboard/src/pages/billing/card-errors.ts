/** Advice after an error of a card. */
import type { StripeError } from '@stripe/stripe-js';
import { t } from '../../i18n.ts';

const fixes: { [code: string]: string } = {
  insufficient_funds: t('Use another card, or a smaller amount.'),
  lost_card: t('Use another card.'),
  stolen_card: t('Use another card.'),
  expired_card: t('Use a card that is valid.'),
  fraudulent: t('Use another card, or ask your bank.'),
  incorrect_cvc: t('Check the security code, the three or four digits on the card.'),
  incorrect_number: t('Check the number of the card.'),
  incomplete_number: t('Enter the whole number of the card.'),
  invalid_expiry_month: t('Check the date until which the card is valid.'),
  invalid_expiry_year: t('Check the date until which the card is valid.'),
  processing_error: t('Nothing was charged. Try again in a minute.'),
  payment_intent_authentication_failure: t('Confirm the payment with your bank, or use another card.'),
  authentication_required: t('Confirm the payment with your bank.'),
  card_declined: t('Use another card, or ask your bank why.'),
};

/** Returns an error with Stripe's message and what to do. */
export function explainCardError({ message, code, decline_code: reason }: StripeError): Error {
  const fix = (reason && fixes[reason]) ?? (code && fixes[code]);
  return new Error(
    [message ?? t('The payment failed.'), fix ?? t('Nothing was credited. Try again.')].join(' '),
  );
}
